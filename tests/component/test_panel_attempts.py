"""A panel in one run: who is asked, how often, with which draws, and what is kept of it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from ci_judge.check_tools import check_tools
from ci_judge.document.run_entries import run_entry
from ci_judge.engine.attempt import Attempts, Bench, Slots
from ci_judge.engine.panel_votes import PanelVotes
from ci_judge.engine.seats import Seat, Seats, panel, single
from ci_judge.model.evidence import CaseValue, FailureCode
from ci_judge.model.judging import (
    Answer,
    Decision,
    JudgeFailure,
    JudgeIdentity,
    Likelihood,
    PanelRule,
    Question,
    Run,
    VotePolicy,
)
from ci_judge.model.suite import Expectation
from ci_judge.rules.draws import draw
from tests.fakes import FakeCases, FakeJudge, FakeTarget
from tests.model_builders import a_scenario

POLITE = a_scenario(expectations=(Expectation(text="Is polite."),))
TWICE = VotePolicy(repetitions=2)
DOWN = JudgeFailure(code=FailureCode.TIMEOUT, message="no answer in time", requests=4)


def a_judge(model: str, answer: Answer | JudgeFailure | str) -> FakeJudge:
    if isinstance(answer, str):
        answer = Answer(
            opinions=(Decision(passed=answer == "pass", reason=f"{model} says so"),), model=model
        )
    said = answer
    return FakeJudge(
        lambda _: said,
        identity=JudgeIdentity(provider="fake", model=model, wire="boolean"),
    )


def seated(
    *judges: FakeJudge, rule: PanelRule = "majority", policy: VotePolicy | None = None
) -> Seats:
    seats = tuple(Seat(judge=judge, policy=policy or VotePolicy()) for judge in judges)
    return panel(seats, rule)


def a_bench(seats: Seats, *, judge_slots: int = 8, reply: str = "Please, 14 days.") -> Bench:
    return Bench(
        targets={None: FakeTarget(lambda *_: reply)},
        cases=FakeCases(lambda *_: CaseValue(value=1, latency_seconds=0.1)),
        seats=seats,
        tools=check_tools(),
        seed=7,
        slots=Slots(target=asyncio.Semaphore(8), judge=asyncio.Semaphore(judge_slots)),
        wall_clock=lambda: 1000.0,
        clock=iter(range(10_000)).__next__,
    )


def one_run(seats: Seats, *, test: Any = POLITE, number: int = 1, **changes: Any) -> Run:
    return asyncio.run(Attempts(a_bench(seats, **changes)).make_run(test, number))


def test_every_judge_is_asked_and_everything_it_said_is_kept() -> None:
    run = one_run(seated(a_judge("a", "pass"), a_judge("b", "fail"), a_judge("c", "pass")))
    assert (run.outcome, run.reason) == (
        "pass",
        "2 of 3 judges pass it, 2 needed; fake a: a says so",
    )
    assert [(trial.judge, trial.judge_index, trial.model) for trial in run.trials] == [
        ("fake a", 1, "a"), ("fake b", 2, "b"), ("fake c", 3, "c"),
    ]  # fmt: skip
    entry = run_entry(run, max_response_chars=1000)
    (vote,) = entry["votes"]
    assert [(each["judge"], each["passed"], each["reason"]) for each in vote["members"]] == [
        ("fake a", True, "a says so"),
        ("fake b", False, "b says so"),
        ("fake c", True, "c says so"),
    ]
    assert [trial["judge"] for trial in entry["trials"]] == ["fake a", "fake b", "fake c"]


def test_an_error_stands_only_where_that_judge_would_decide() -> None:
    settled = one_run(seated(a_judge("a", "pass"), a_judge("b", "pass"), a_judge("c", DOWN)))
    assert (settled.outcome, [trial.failure for trial in settled.trials]) == (
        "pass",
        [None, None, DOWN],
    )
    lost = one_run(seated(a_judge("a", "fail"), a_judge("b", "fail"), a_judge("c", DOWN)))
    assert lost.outcome == "fail"
    open_ = one_run(seated(a_judge("a", "pass"), a_judge("b", "fail"), a_judge("c", DOWN)))
    assert open_.outcome == "judge_error"
    assert open_.reason == "fake c: no answer in time; its vote would decide"


def test_each_judge_draws_its_own_numbers_by_its_place() -> None:
    likely = Answer(opinions=(Likelihood(probability=0.5),))
    sample = VotePolicy(mode="sample", repetitions=3)
    run = one_run(seated(a_judge("a", likely), a_judge("b", likely), policy=sample), number=4)
    drawn = {(trial.judge_index, trial.repetition): trial.rulings[0].draw for trial in run.trials}
    assert drawn == {
        (place, repetition): draw(
            seed=7, test_id=POLITE.id, run=4, repetition=repetition, judge_index=place, item=1
        )
        for place in (1, 2)
        for repetition in (1, 2, 3)
    }


def test_each_judge_counts_by_its_own_policy() -> None:
    once, twice = a_judge("a", "pass"), a_judge("b", "pass")
    seats = (Seat(judge=once, policy=VotePolicy()), Seat(judge=twice, policy=TWICE))
    run = one_run(panel(seats, "all"))
    assert (len(once.asked), len(twice.asked), run.outcome) == (1, 2, "pass")


def test_a_check_that_fails_asks_no_judge_of_the_panel() -> None:
    judges = [a_judge("a", "pass"), a_judge("b", "pass")]
    run = one_run(seated(*judges), test=a_scenario(), reply="You have 114 days.")
    assert (run.outcome, run.certain, run.votes, run.trials) == ("fail", True, (), ())
    assert not any(judge.asked for judge in judges)


class Meeting:
    """Judges that answer once all of them have been asked."""

    def __init__(self, judges: int) -> None:
        self._barrier = asyncio.Barrier(judges)
        self.in_flight = self.most = 0

    def judge(self, model: str) -> FakeJudge:
        meeting = self

        class Waiting(FakeJudge):
            async def judge(self, question: Question) -> Answer | JudgeFailure:
                async with asyncio.timeout(30), meeting._barrier:
                    return await super().judge(question)

        return Waiting(identity=JudgeIdentity(provider="fake", model=model, wire="boolean"))


def test_the_judges_of_a_panel_are_asked_at_the_same_time() -> None:
    async def go() -> Run:
        meeting = Meeting(3)
        seats = seated(*(meeting.judge(model) for model in "abc"))
        return await Attempts(a_bench(seats)).make_run(POLITE, 1)

    assert asyncio.run(go()).outcome == "pass"


class Counting(FakeJudge):
    """Remembers how many of all these judges were busy at once."""

    busy = 0

    def __init__(self, model: str, seen: list[int]) -> None:
        super().__init__(identity=JudgeIdentity(provider="fake", model=model, wire="boolean"))
        self._seen = seen

    async def judge(self, question: Question) -> Answer | JudgeFailure:
        Counting.busy += 1
        self._seen.append(Counting.busy)
        await asyncio.sleep(0)
        Counting.busy -= 1
        return await super().judge(question)


@pytest.mark.parametrize(("slots", "own", "most"), [(2, None, 2), (8, 1, 2), (8, None, 4)])
def test_the_slots_of_all_judges_and_a_judges_own_both_hold(
    slots: int, own: int | None, most: int
) -> None:
    seen: list[int] = []

    async def go() -> None:
        seats = tuple(
            Seat(
                judge=Counting(model, seen),
                policy=TWICE,
                slots=None if own is None else asyncio.Semaphore(own),
            )
            for model in "ab"
        )
        await Attempts(a_bench(panel(seats, "all"), judge_slots=slots)).make_run(POLITE, 1)

    asyncio.run(go())
    assert (len(seen), max(seen)) == (4, most)


def test_a_single_judge_has_no_name_and_no_panel() -> None:
    run = one_run(single(Seat(judge=a_judge("a", "pass"), policy=VotePolicy())))
    assert [(trial.judge, trial.judge_index) for trial in run.trials] == [(None, 1)]
    assert [vote.members for vote in run.votes] == [()]


def voted(votes: PanelVotes, runs: Callable[[int], Seats], count: int) -> None:
    for number in range(1, count + 1):
        votes.add(one_run(runs(number), number=number))


def test_the_suites_votes_and_agreement_are_counted_as_runs_end() -> None:
    says: dict[int, tuple[Any, ...]] = {
        1: ("pass", "pass"),
        2: ("pass", "fail"),
        3: ("fail", "fail"),
        4: ("pass", DOWN),
    }
    votes = PanelVotes(2)
    voted(votes, lambda number: seated(*map(a_judge, "ab", says[number]), rule="any"), 4)
    first, second = votes.members
    assert (first.passes, first.fails, first.errors, first.models) == (3, 1, 0, {"a"})
    assert (second.passes, second.fails, second.errors, second.models) == (1, 2, 1, {"b"})
    found = votes.agreement
    assert found.subjects == 3
    assert found.raw == pytest.approx(2 / 3)


def test_what_is_kept_of_a_panels_votes_does_not_grow_with_the_runs() -> None:
    votes = PanelVotes(2)
    run = one_run(seated(a_judge("a", "pass"), a_judge("b", "fail")))
    for _ in range(1000):
        votes.add(run)
    assert len(votes._table) == 1
    assert votes.agreement.subjects == 1000
