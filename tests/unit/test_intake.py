"""Tests that come one by one: none begins before it has come, and the end waits for the word."""

import asyncio
from collections.abc import Callable

from ci_judge.engine.intake import Intake
from ci_judge.engine.scheduler import Scheduler
from ci_judge.engine.stopping import StopSign
from ci_judge.model.judging import Run
from ci_judge.model.results import TestResult
from ci_judge.model.suite import Test
from ci_judge.rules.gates import decide
from tests.fakes import Watcher
from tests.model_builders import a_rule, a_scenario

TESTS: list[Test] = [a_scenario(name, gate=a_rule(runs=2)) for name in ("a", "b", "c")]


class Tell(Watcher):
    """Calls somebody for each test that ends."""

    def __init__(self, ended: Callable[[str], None]) -> None:
        super().__init__()
        self._ended = ended

    def test_finished(self, result: TestResult) -> None:
        self._ended(result.test.id)


async def make_run(test: Test, number: int) -> Run:
    await asyncio.sleep(0)
    return Run(test_id=test.id, number=number, outcome="pass", reason="")


def scheduled(
    intake: Intake, runs: list[Run], ended: Callable[[str], None], sign: StopSign | None = None
) -> Scheduler:
    return Scheduler(
        TESTS,
        make_run=make_run,
        decide=decide,
        record=runs.append,
        progress=Tell(ended),
        stop_sign=sign or StopSign(),
        capacity=lambda: 10,
        intake=intake,
    )


def go(scheduler: Callable[[], Scheduler]) -> None:
    async def within_limits() -> None:
        async with asyncio.timeout(10):
            await scheduler().run()

    asyncio.run(within_limits())


def test_a_test_begins_when_it_comes_and_the_next_may_come_while_nothing_runs() -> None:
    intake, runs, order = Intake(), list[Run](), list[str]()

    def next_one(test_id: str) -> None:
        order.append(test_id)
        following = {"refunds/b": "refunds/a"}.get(test_id)
        later = asyncio.get_running_loop().call_soon
        if following:
            later(intake.hand_in, following)
        else:
            later(intake.close)

    intake.hand_in("refunds/b")
    go(lambda: scheduled(intake, runs, next_one))
    assert order == ["refunds/b", "refunds/a"]
    assert [run.test_id for run in runs] == ["refunds/b"] * 2 + ["refunds/a"] * 2


def test_what_comes_twice_runs_once_and_what_comes_after_the_end_not_at_all() -> None:
    intake, runs = Intake(), list[Run]()

    def again(test_id: str) -> None:
        intake.hand_in(test_id)
        intake.close()
        intake.hand_in("refunds/c")

    intake.hand_in("refunds/a")
    intake.hand_in("refunds/a")
    go(lambda: scheduled(intake, runs, again))
    assert [run.test_id for run in runs] == ["refunds/a"] * 2
    assert not intake.has("refunds/c")


def test_nothing_that_came_ends_at_once() -> None:
    intake, runs = Intake(), list[Run]()
    intake.close()
    go(lambda: scheduled(intake, runs, lambda _: None))
    assert runs == []


def test_a_stop_records_what_came_and_nothing_else() -> None:
    intake, runs = Intake(), list[Run]()

    def stopped() -> Scheduler:
        sign = StopSign()
        sign.stop("stopped")
        return scheduled(intake, runs, lambda _: None, sign)

    intake.hand_in("refunds/a")
    go(stopped)
    assert [(run.test_id, run.number, run.outcome) for run in runs] == [
        ("refunds/a", 1, "not_run"),
        ("refunds/a", 2, "not_run"),
    ]
