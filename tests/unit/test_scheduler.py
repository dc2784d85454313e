"""The scheduler: every planned run once, interleaved, bounded, and counted when it stops early."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ci_judge.engine.scheduler import Scheduler
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import ExitCode
from ci_judge.model.judging import Outcome, Run
from ci_judge.model.reasons import NotRunCode
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
    tests: list[Test],
    make_run: MakeRun,
    recorded: list[Run],
    *,
    capacity: int | Callable[[], int] = 2,
    **others: object,
) -> Scheduler:
    return Scheduler(
        tests,
        make_run=make_run,
        decide=decide,
        record=recorded.append,
        progress=others.get("progress") or Watcher(),  # type: ignore[arg-type]  # a Watcher either way
        stop_sign=others.get("stop_sign") or StopSign(),  # type: ignore[arg-type]  # likewise
        capacity=capacity if callable(capacity) else lambda: capacity,
        brakes=others.get("brakes") or (),  # type: ignore[arg-type]  # likewise
    )


def test_first_runs_of_all_tests_come_before_any_second_run() -> None:
    long, short = a_scenario("long", gate=a_rule(runs=3)), a_scenario("short", gate=a_rule(runs=1))
    recorded: list[Run] = []

    async def go() -> None:
        await a_scheduler([long, short], making(lambda *_: "pass"), recorded, capacity=1).run()

    asyncio.run(go())
    order = [(run.test_id, run.number) for run in recorded]
    assert order == [
        ("refunds/long", 1),
        ("refunds/short", 1),
        ("refunds/long", 2),
        ("refunds/long", 3),
    ]


@pytest.mark.parametrize("workers", [1, 3, 50])
def test_every_planned_run_is_made_and_recorded_once(workers: int) -> None:
    tests: list[Test] = [a_scenario("a", gate=a_rule(runs=4)), a_scenario("b")]
    recorded: list[Run] = []

    async def go() -> Scheduler:
        make_run = making(lambda _, n: "pass" if n > 1 else "fail")
        scheduler = a_scheduler(tests, make_run, recorded, capacity=workers)
        await scheduler.run()
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
        await a_scheduler([skipped], making(lambda *_: "pass"), recorded).run()

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

        scheduler = a_scheduler([test], making(outcome), recorded, capacity=1, stop_sign=sign)
        await asyncio.wait_for(scheduler.run(), timeout=10)
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

        scheduler = a_scheduler([a_scenario("a")], hang, recorded, capacity=4, stop_sign=sign)
        await asyncio.wait_for(scheduler.run(), timeout=10)
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
            tests, making(lambda *_: "fail"), [], capacity=1, progress=watcher, stop_sign=sign
        )
        await scheduler.run(max_failures=2)
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
        await a_scheduler([a_scenario("a")], broken, []).run()

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
            capacity=lambda: 2,
        )
        await scheduler.run()
        return scheduler, sign

    scheduler, sign = asyncio.run(go())
    assert sign.reason is not None
    assert "No space left on device" in sign.reason
    result = scheduler.result(test)
    assert (result.tally.passes, result.tally.not_run, result.gate.outcome) == (4, 6, "error")


class OneTestBrake:
    """Stops a test after so many of its runs."""

    code = NotRunCode.BUDGET

    def __init__(self, test_id: str, *, after: int) -> None:
        self._test_id = test_id
        self._after = after
        self.seen: list[tuple[str, int]] = []

    def reason(self, test: Test) -> str | None:
        made = sum(test_id == test.id for test_id, _ in self.seen)
        return "spent" if test.id == self._test_id and made >= self._after else None

    def saw(self, run: Run) -> None:
        self.seen.append((run.test_id, run.number))


def test_a_brake_ends_one_test_with_its_reason_and_the_others_go_on() -> None:
    recorded: list[Run] = []
    watcher = Watcher()
    tests: list[Test] = [a_scenario(name, gate=a_rule(runs=5)) for name in "ab"]
    brake = OneTestBrake("refunds/a", after=2)

    async def go() -> Scheduler:
        make_run = making(lambda *_: "pass")
        scheduler = a_scheduler(
            tests, make_run, recorded, capacity=1, progress=watcher, brakes=[brake]
        )
        await asyncio.wait_for(scheduler.run(), timeout=10)
        return scheduler

    scheduler = asyncio.run(go())
    braked = [run for run in recorded if run.outcome == "not_run"]
    assert [(run.test_id, run.number, run.reason) for run in braked] == [
        ("refunds/a", number, "spent") for number in (3, 4, 5)
    ]
    assert len(brake.seen) == 7
    assert scheduler.result(tests[0]).tally.not_run == 3
    assert [result.test.name for result in watcher.tests] == ["a", "b"]


def test_a_brake_that_is_on_from_the_start_leaves_no_run_and_every_test_reported() -> None:
    recorded: list[Run] = []
    watcher = Watcher()
    brake = OneTestBrake("refunds/a", after=0)

    async def go() -> None:
        test = a_scenario("a", gate=a_rule(runs=3))
        make_run = making(lambda *_: "pass")
        scheduler = a_scheduler([test], make_run, recorded, progress=watcher, brakes=[brake])
        await asyncio.wait_for(scheduler.run(), timeout=10)

    asyncio.run(go())
    assert [run.outcome for run in recorded] == ["not_run"] * 3
    assert [result.gate.outcome for result in watcher.tests] == ["error"]


def test_the_runs_in_flight_follow_a_capacity_that_changes() -> None:
    limit, in_flight, most = 1, 0, dict[int, int]()

    async def make_run(test: Test, number: int) -> Run:
        nonlocal limit, in_flight
        in_flight += 1
        most[limit] = max(most.get(limit, 0), in_flight)
        await asyncio.sleep(0)
        in_flight -= 1
        limit = 3 if number > 10 else 1
        return Run(test_id=test.id, number=number, outcome="pass", reason="")

    async def go() -> None:
        test = a_scenario("a", gate=a_rule(runs=30))
        scheduler = a_scheduler([test], make_run, [], capacity=lambda: limit)
        await asyncio.wait_for(scheduler.run(), timeout=10)

    asyncio.run(go())
    assert most == {1: 1, 3: 3}


def test_a_capacity_of_nothing_still_lets_one_run_at_a_time_be_made() -> None:
    recorded: list[Run] = []

    async def go() -> None:
        test = a_scenario("a", gate=a_rule(runs=3))
        scheduler = a_scheduler([test], making(lambda *_: "pass"), recorded, capacity=0)
        await asyncio.wait_for(scheduler.run(), timeout=10)

    asyncio.run(go())
    assert [run.outcome for run in recorded] == ["pass"] * 3
