"""The budget of a run: exact by requests, set aside in advance by money and tokens."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.engine.budget import FIRST_AT_ONCE, Budget, Cost, Limits


class Clock:
    """Counts seconds that a test lets pass."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def a_budget(**limits: float) -> Budget:
    return Budget(Limits(**limits), clock=Clock())  # type: ignore[arg-type]  # whole where they must be


async def exchange(budget: Budget, cost: Cost, *, kind: str = "judge 1", rounds: int = 3) -> bool:
    """Do one exchange that takes a few turns of the loop; False where there was no room."""
    if await budget.begin(kind) is not None:
        return False
    for _ in range(rounds):
        await asyncio.sleep(0)
    budget.end(kind, [cost])
    return True


def exchanges(budget: Budget, costs: Sequence[Cost]) -> list[bool]:
    """Do all of them at once."""

    async def go() -> list[bool]:
        async with asyncio.timeout(5):
            return await asyncio.gather(*(exchange(budget, cost) for cost in costs))

    return asyncio.run(go())


# --- requests -----------------------------------------------------------------------------


@given(
    most=st.integers(1, 12),
    steps=st.lists(st.sampled_from(["request", "begin", "end"]), max_size=60),
)
def test_whatever_comes_in_whatever_order_no_request_is_let_through_beyond_the_budget(
    most: int, steps: list[str]
) -> None:
    async def go() -> None:
        budget, open_exchanges, sent = a_budget(requests=most), 0, 0
        for step in steps:
            if step == "request":
                sent += budget.take_request() is None
            elif step == "begin" and budget.refusal() is None:
                open_exchanges += await budget.begin("judge 1") is None
            elif step == "end" and open_exchanges:
                budget.end("judge 1", [Cost(usd=None, tokens=None, answered=False)])
                open_exchanges -= 1
            assert budget.requests == sent <= most
        wanted = steps.count("request")
        assert (budget.refused is not None) == (wanted > most)

    asyncio.run(go())


def test_a_budget_that_is_used_to_its_last_request_has_refused_nothing() -> None:
    budget = a_budget(requests=2)
    assert [budget.take_request(), budget.take_request(), budget.refused] == [None] * 3
    assert budget.take_request() == "the budget of 2 requests is spent (budget.requests)"
    assert budget.requests == 2


# --- money and tokens ---------------------------------------------------------------------


@given(price=st.integers(1, 9), room=st.integers(1, 40), wanted=st.integers(0, 60))
def test_where_everything_costs_the_same_the_budget_is_used_up_and_never_passed(
    price: int, room: int, wanted: int
) -> None:
    budget = a_budget(tokens=room)
    done = exchanges(budget, [Cost(tokens=price)] * wanted)
    # Of a kind that nobody knows yet a few are let go, so a tiny budget may be passed by those.
    most = max(room // price, min(FIRST_AT_ONCE, wanted))
    assert sum(done) == min(wanted, most)
    assert budget.tokens == price * sum(done)


@given(prices=st.lists(st.integers(0, 9), max_size=40), room=st.integers(1, 60))
def test_the_budget_is_passed_only_by_what_is_dearer_than_all_before(
    prices: list[int], room: int
) -> None:
    budget = a_budget(tokens=room)
    exchanges(budget, [Cost(tokens=price) for price in prices])
    assert budget.tokens <= room + FIRST_AT_ONCE * max(prices, default=0) * 2


def test_what_is_in_flight_counts() -> None:
    async def go() -> None:
        budget = a_budget(usd=1.0)
        budget.book("judge 1", Cost(usd=0.4))
        assert await budget.begin("judge 1") is None  # 0.4 spent, 0.4 set aside
        second = asyncio.create_task(budget.begin("judge 1"))
        await asyncio.sleep(0)
        assert not second.done(), "0.2 are left, the dearest was 0.4"
        budget.end("judge 1", [Cost(usd=0.1)])
        assert await second is None, "it was cheaper than was set aside for it"

    asyncio.run(go())


def test_when_nothing_in_flight_can_make_room_any_more_the_budget_is_spent() -> None:
    async def go() -> None:
        budget = a_budget(usd=1.0)
        budget.book("judge 1", Cost(usd=0.6))
        assert await budget.begin("judge 1") == "the budget of $1 is spent (budget.usd)"
        assert budget.usd == 0.6

    asyncio.run(go())


def test_of_an_unknown_kind_only_a_few_are_in_flight_until_one_has_ended() -> None:
    async def go() -> None:
        budget, in_flight, most = a_budget(usd=1_000), 0, []

        async def one() -> None:
            nonlocal in_flight
            await budget.begin("judge 1")
            in_flight += 1
            most.append(in_flight)
            await asyncio.sleep(0)
            in_flight -= 1
            budget.end("judge 1", [Cost(usd=0.01)])

        await asyncio.gather(*(one() for _ in range(20)))
        first = most[:FIRST_AT_ONCE]
        assert first == list(range(1, FIRST_AT_ONCE + 1))
        assert max(most) > FIRST_AT_ONCE, "once the price is known they go all at once"

    asyncio.run(go())


def test_a_budget_by_requests_alone_holds_nobody_back_for_a_price() -> None:
    async def go() -> None:
        budget = a_budget(requests=50)
        async with asyncio.timeout(5):
            for _ in range(20):
                assert await budget.begin("judge 1") is None

    asyncio.run(go())


@pytest.mark.parametrize(("limit", "times"), [(1.0, 10), (0.3, 3)])
def test_ten_times_a_tenth_is_one(limit: float, times: int) -> None:
    budget = a_budget(usd=limit)
    assert sum(exchanges(budget, [Cost(usd=0.1)] * 12)) == times


def test_a_cost_that_nobody_tells_counts_as_the_dearest_so_far() -> None:
    budget = a_budget(usd=10.0)
    for usd in (0.1, 0.3, 0.2):
        budget.book("judge 1", Cost(usd=usd))
    assert not budget.estimated
    budget.book("judge 1", Cost(usd=None, tokens=None, answered=False))
    assert budget.usd == pytest.approx(0.9)
    assert budget.estimated


def test_a_failure_that_cost_who_knows_what_is_no_reason_to_stop_but_such_an_answer_is() -> None:
    budget = a_budget(usd=10.0)
    budget.book("judge 1", Cost(usd=None, answered=False))
    assert budget.refused is None
    budget.book("judge 1", Cost(usd=None))
    assert budget.refused == (
        "what an answer costs is not told, so the budget cannot be held (budget.usd)"
    )


def test_what_an_answer_costs_matters_to_no_other_limit() -> None:
    budget = a_budget(requests=5, minutes=1)
    budget.book("judge 1", Cost(usd=None, tokens=None))
    assert budget.refused is None


# --- minutes ------------------------------------------------------------------------------


def test_when_its_minutes_are_over_nothing_is_sent_any_more() -> None:
    clock = Clock()
    budget = Budget(Limits(minutes=2), clock=clock)
    clock.now += 119.9
    assert budget.take_request() is None
    clock.now += 0.1
    assert budget.take_request() == "the budget of 2 minutes is spent (budget.minutes)"
    assert budget.requests == 1
    assert asyncio.run(budget.begin("judge 1")) is not None
    assert asyncio.run(budget.admit(Counter())) is not None


# --- whole runs ---------------------------------------------------------------------------


def test_runs_wait_for_room_for_all_that_they_will_ask() -> None:
    async def go() -> None:
        budget = a_budget(requests=5)
        needs = Counter({"target": 1, "judge 1": 1})
        assert await budget.admit(needs) is None
        assert await budget.admit(needs) is None
        third = asyncio.create_task(budget.admit(needs))
        await asyncio.sleep(0)
        assert not third.done(), "with it there would be six"
        budget.leave(needs)  # it asked nobody: its verdict was known
        assert await third is None

    asyncio.run(go())


def test_the_only_run_begins_even_where_there_is_no_room_for_all_of_it() -> None:
    async def go() -> None:
        budget = a_budget(requests=1)
        async with asyncio.timeout(5):
            assert await budget.admit(Counter({"target": 1, "judge 1": 3})) is None

    asyncio.run(go())


def test_who_waits_hears_at_once_that_the_budget_is_spent() -> None:
    async def go() -> list[str | None]:
        budget = a_budget(requests=2)
        needs = Counter({"target": 2})
        await budget.admit(needs)
        waiting = asyncio.create_task(budget.admit(needs))
        await asyncio.sleep(0)
        for _ in range(3):
            budget.take_request()
        async with asyncio.timeout(5):
            return [await waiting, budget.refused]

    first, second = asyncio.run(go())
    assert first == second == "the budget of 2 requests is spent (budget.requests)"
