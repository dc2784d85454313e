"""The scheduler: every planned run once, interleaved, bounded, and counted when it stops early."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ci_judge.engine.scheduler import Schedule, Scheduler, interleaved
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import ExitCode
from ci_judge.model.judging import Outcome, Run
from ci_judge.model.suite import Test
from ci_judge.rules.gates import decide
from tests.fakes import Watcher
from tests.model_builders import a_rule, a_scenario

MakeRun = Callable[[Test, int], Awaitable[Run]]


def making(outcome_of: Callable[[Test, int], Outcome]) -> MakeRun:
    async def make_run(test: Test, number: int) -> Run:
        await asyncio.sleep(0)
        return Run(
            test_id=test.id,
            number=number,
            outcome=outcome_of(test, number),
            reason="",
            started_at=float(number),
            duration_seconds=1.0,
        )

    return make_run


def a_scheduler(
    tests: list[Test], make_run: MakeRun, recorded: list[Run], **others: object
) -> Scheduler:
    return Scheduler(
        tests,
        make_run=make_run,
        decide=decide,
        record=recorded.append,
        progress=others.get("progress") or Watcher(),  # type: ignore[arg-type]  # a Watcher either way
        stop_sign=others.get("stop_sign") or StopSign(),  # type: ignore[arg-type]  # likewise
    )


def test_first_runs_of_all_tests_come_before_any_second_run() -> None:
    long, short = a_scenario("long", gate=a_rule(runs=3)), a_scenario("short", gate=a_rule(runs=1))
    order = [(test.name, number) for test, number in interleaved([long, short])]
    assert order == [("long", 1), ("short", 1), ("long", 2), ("long", 3)]


@pytest.mark.parametrize("workers", [1, 3, 50])
def test_every_planned_run_is_made_and_recorded_once(workers: int) -> None:
    tests: list[Test] = [a_scenario("a", gate=a_rule(runs=4)), a_scenario("b")]
    recorded: list[Run] = []

    async def go() -> Scheduler:
        scheduler = a_scheduler(tests, making(lambda _, n: "pass" if n > 1 else "fail"), recorded)
        await scheduler.run(Schedule(workers=workers))
        return scheduler

    scheduler = asyncio.run(go())
    assert sorted((run.test_id, run.number) for run in recorded) == [
        *(("refunds/a", n) for n in range(1, 5)),
        *(("refunds/b", n) for n in range(1, 11)),
    ]
    tally = scheduler.result(tests[1]).tally
    assert (tally.passes, tally.fails, tally.errors, tally.not_run) == (9, 1, 0, 0)


def test_a_skipped_test_is_never_run() -> None:
    recorded: list[Run] = []
    skipped = a_scenario("later", skip="waits")

    async def go() -> None:
        await a_scheduler([skipped], making(lambda *_: "pass"), recorded).run(Schedule(workers=2))

    asyncio.run(go())
    assert recorded == []


def test_a_stop_records_what_was_not_run_and_keeps_what_was() -> None:
    recorded: list[Run] = []
    test = a_scenario("a")

    async def go() -> Scheduler:
        sign = StopSign()

        def outcome(_: Test, number: int) -> Outcome:
            if number == 3:
                sign.stop("interrupted by SIGINT", exit_code=ExitCode.INTERRUPTED)
            return "pass"

        scheduler = a_scheduler([test], making(outcome), recorded, stop_sign=sign)
        await asyncio.wait_for(scheduler.run(Schedule(workers=1)), timeout=10)
        return scheduler

    result = asyncio.run(go()).result(test)
    assert (result.tally.passes, result.tally.not_run) == (3, 7)
    assert [(r.number, r.outcome, r.reason) for r in recorded[3:]] == [
        (n, "not_run", "interrupted by SIGINT") for n in range(4, 11)
    ]
    assert result.gate.outcome == "error"


def test_runs_in_flight_are_dropped_when_the_sign_goes_up() -> None:
    recorded: list[Run] = []
    never = asyncio.Event

    async def go() -> Scheduler:
        sign, forever = StopSign(), never()

        async def hang(test: Test, number: int) -> Run:
            del test, number
            sign.stop("interrupted by SIGTERM", exit_code=ExitCode.TERMINATED)
            await forever.wait()
            raise AssertionError

        scheduler = a_scheduler([a_scenario("a")], hang, recorded, stop_sign=sign)
        await asyncio.wait_for(scheduler.run(Schedule(workers=4)), timeout=10)
        return scheduler

    asyncio.run(go())
    assert [run.outcome for run in recorded] == ["not_run"] * 10


def test_max_failures_stops_after_that_many_failed_gates_and_not_before() -> None:
    tests: list[Test] = [a_scenario(name, gate=a_rule(runs=9)) for name in "abcd"]
    tests.insert(0, a_scenario("advice", gate=a_rule(runs=9), advisory=True))
    watcher = Watcher()

    async def go() -> StopSign:
        sign = StopSign()
        scheduler = a_scheduler(
            tests, making(lambda *_: "fail"), [], progress=watcher, stop_sign=sign
        )
        await scheduler.run(Schedule(workers=1, max_failures=2))
        return sign

    sign = asyncio.run(go())
    assert sign.reason is not None
    assert "2 failed tests" in sign.reason
    assert sign.exit_code is None
    assert [result.test.name for result in watcher.tests] == ["advice", "a", "b"]


def test_a_bug_in_a_worker_is_not_taken_for_a_finished_run() -> None:
    async def broken(test: Test, number: int) -> Run:
        raise ZeroDivisionError(f"{test.id} {number}")

    async def go() -> None:
        await a_scheduler([a_scenario("a")], broken, []).run(Schedule(workers=2))

    with pytest.raises(ZeroDivisionError):
        asyncio.run(go())


def test_a_run_that_cannot_be_written_down_is_not_counted_and_ends_the_run() -> None:
    test = a_scenario("a")
    written: list[Run] = []

    def record(run: Run) -> None:
        if len(written) == 4:
            raise OSError(28, "No space left on device")
        written.append(run)

    async def go() -> tuple[Scheduler, StopSign]:
        sign = StopSign()
        scheduler = Scheduler(
            [test],
            make_run=making(lambda *_: "pass"),
            decide=decide,
            record=record,
            progress=Watcher(),
            stop_sign=sign,
        )
        await scheduler.run(Schedule(workers=2))
        return scheduler, sign

    scheduler, sign = asyncio.run(go())
    assert sign.reason is not None
    assert "No space left on device" in sign.reason
    result = scheduler.result(test)
    assert (result.tally.passes, result.tally.not_run, result.gate.outcome) == (4, 6, "error")
