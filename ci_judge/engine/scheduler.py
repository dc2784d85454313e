"""Runs of all tests, interleaved, a bounded number at once; what ends is reported at once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from ci_judge.engine.brakes import Brake
from ci_judge.engine.counting import RunCounter
from ci_judge.engine.course import Course
from ci_judge.engine.intake import Intake
from ci_judge.engine.stopping import StopSign
from ci_judge.engine.turns import Turns
from ci_judge.model.judging import Run
from ci_judge.model.reasons import NotRunCode
from ci_judge.model.results import DecisionKind, GateResult, Tally, TestResult
from ci_judge.model.suite import GateRule, Test
from ci_judge.protocols import Progress
from ci_judge.rules.gates import boundary
from ci_judge.rules.reasons import explained, made_only
from ci_judge.rules.waiving import waived

MakeRun = Callable[[Test, int], Awaitable[Run]]

_HOPELESS = "not run: after {} errors in a row the gate can no longer pass (run.max_errors)"


class Scheduler:
    """One pass over the tests.

    ``record`` is called once for each run, and may raise OSError when there is no room for it.
    ``capacity`` says how many runs may be in flight; it is asked before each launch, so it may
    change, and one run is launched whatever it says. ``brakes`` keep runs from being launched, and
    so do ``max_errors`` errors in a row of a test that they keep from being passed. With an
    ``intake`` a test begins when it has been handed in, and none that was not is reported.
    """

    def __init__(  # noqa: PLR0913 - one keyword for each thing that it works with
        self,
        tests: Sequence[Test],
        *,
        make_run: MakeRun,
        decide: Callable[[GateRule, Tally], GateResult],
        record: Callable[[Run], None],
        progress: Progress,
        stop_sign: StopSign,
        capacity: Callable[[], int],
        brakes: Sequence[Brake] = (),
        max_errors: int | None = None,
        intake: Intake | None = None,
    ) -> None:
        self._tests = [test for test in tests if test.skip is None]
        self._make_run = make_run
        self._decide = decide
        self._record = record
        self._progress = progress
        self._stop_sign = stop_sign
        self._capacity = capacity
        self._brakes = brakes
        self._by_id = {test.id: test for test in self._tests}
        self._max_errors = max_errors
        self._counters = {test.id: RunCounter() for test in tests}
        self._courses = {
            test.id: Course(boundary(test.gate), max_errors=max_errors) for test in tests
        }
        self._intake = intake
        self._turns = Turns(self._tests if intake is None else ())
        self._in_flight: set[asyncio.Task[None]] = set()
        self._max_failures: int | None = None
        self._failed = 0

    def restore(self, run: Run) -> bool:
        """Count a run that an earlier command made; False where no such run is wanted."""
        test = self._by_id.get(run.test_id)
        if test is None:
            return False
        course = self._courses[test.id]
        was_complete = course.complete  # runs that were under way by then come after
        if not course.restore(run.number, run.outcome, certain=run.certain):
            return False
        self._counters[test.id].add(run)
        self._counters[test.id].count_reason(run)
        self._turns.put(test, course.need)
        if not was_complete:
            self._look_at_test(test)
        return True

    async def run(self, *, max_failures: int | None = None) -> None:
        """Make every planned run, or as many as there were when the stop sign went up.

        The sign goes up by itself after ``max_failures`` failed tests.
        """
        self._max_failures = max_failures
        self._look_at_failures()  # of runs that were restored
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        stopped = asyncio.create_task(self._stop_sign.wait())
        try:
            self._open(over)
            await asyncio.wait({over, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if over.done():
                over.result()  # a bug in a run must not pass for a finished one
        finally:
            ends = [*self._in_flight, stopped]
            for task in ends:
                task.cancel()
            await asyncio.gather(*ends, return_exceptions=True)
        self._record_what_was_left()

    def _open(self, over: "asyncio.Future[None]") -> None:
        if self._intake is None:
            self._launch(over)
        else:
            self._intake.on_change(lambda: self._begin_taken(over))

    def _begin_taken(self, over: "asyncio.Future[None]") -> None:
        for test in filter(self._is_expected, self._tests):
            self._turns.put(test, self._courses[test.id].need)
        self._launch(over)

    def _is_expected(self, test: Test) -> bool:
        return self._intake is None or self._intake.has(test.id)

    def _launch(self, over: "asyncio.Future[None]") -> None:
        """Start as many runs as may be; when there is nothing left to wait for, it is over."""
        while self._may_launch() and (job := self._next_job()) is not None:
            task = asyncio.create_task(self._make(*job, over))
            self._in_flight.add(task)
        if not self._in_flight and not over.done() and (not self._intake or self._intake.closed):
            over.set_result(None)

    def _may_launch(self) -> bool:
        if self._stop_sign.reason is not None:
            return False
        return not self._in_flight or len(self._in_flight) < self._capacity()

    def _next_job(self) -> tuple[Test, int] | None:
        """Take turns, so that early results come for every test."""
        while self._stop_sign.reason is None and (test := self._turns.take()) is not None:
            if self._is_braked(test):
                self._look_at_test(test)
                continue
            course = self._courses[test.id]
            number = course.launch()
            self._turns.put(test, course.need)
            return test, number
        return None

    async def _make(self, test: Test, number: int, over: "asyncio.Future[None]") -> None:
        try:
            run = await self._make_run(test, number)
            self._in_flight.discard(_this_task())
            self._finish(test, run)
            self._launch(over)
        except Exception as error:  # noqa: BLE001 - handed to who waits for all runs
            if not over.done():
                over.set_exception(error)

    def _is_braked(self, test: Test) -> bool:
        for brake in self._brakes:
            reason = brake.reason(test)
            if reason is not None:
                self._give_up(test, reason, brake.code)
                return True
        return False

    def _give_up(self, test: Test, reason: str, code: NotRunCode) -> None:
        """Make no further run of a test."""
        for number in self._courses[test.id].give_up():
            self._recorded(_not_run(test, number, reason, code))

    def _record_what_was_left(self) -> None:
        for test in filter(self._is_expected, self._tests):
            for number in self._courses[test.id].missing():
                reason = self._stop_sign.reason or "not reached"
                self._recorded(_not_run(test, number, reason, self._stop_sign.code))

    def _recorded(self, run: Run) -> bool:
        """Record a run. One that cannot be recorded is not counted, and the run ends cleanly."""
        try:
            self._record(run)
        except OSError as error:
            reason = f"stopped: the runs cannot be written down: {error.strerror}"
            self._stop_sign.stop(reason, code=NotRunCode.DISK)
            return False
        self._counters[run.test_id].count_reason(run)
        return True

    def result(self, test: Test) -> TestResult:
        """Decide a test on what its runs came to so far."""
        counter, tally = self._counters[test.id], self._courses[test.id].tally
        reasons = counter.reasons if tally.not_run else made_only(counter.reasons)
        gate = explained(self._decide(test.gate, tally), reasons)
        return TestResult(
            test=test,
            tally=tally,
            gate=waived(gate, test.waiver) if test.skip is None else skipped(gate, test.skip),
            troubles=counter.troubles,
            reasons=reasons,
            suspicious=counter.suspicious,
            replayed=counter.replayed,
            cost_usd=counter.cost_usd,
            latency=counter.latency,
            first_token=counter.first_token,
            duration_seconds=counter.duration_seconds,
            prefix=None
            if test.gate.min_runs is None
            else self._courses[test.id].prefix(test.gate.min_runs),
        )

    def _finish(self, test: Test, run: Run) -> None:
        if not self._recorded(run):
            return
        self._counters[test.id].add(run)
        self._progress.run_finished(run)
        for brake in self._brakes:
            brake.saw(run)
        course = self._courses[test.id]
        course.add(run.number, run.outcome, certain=run.certain)
        if course.hopeless:
            self._give_up(test, _HOPELESS.format(self._max_errors), NotRunCode.MAX_ERRORS)
        self._turns.put(test, course.need)
        self._look_at_test(test)

    def _look_at_test(self, test: Test) -> None:
        if self._courses[test.id].complete:
            self._finish_test(self.result(test))

    def _finish_test(self, result: TestResult) -> None:
        self._progress.test_finished(result)
        self._failed += result.gate.outcome == "failed" and not result.test.advisory
        self._look_at_failures()

    def _look_at_failures(self) -> None:
        if self._max_failures is not None and self._failed >= self._max_failures:
            reason = f"stopped after {self._failed} failed tests (--maxfail)"
            self._stop_sign.stop(reason, code=NotRunCode.MAXFAIL)


def _this_task() -> "asyncio.Task[None]":
    task: asyncio.Task[None] | None = asyncio.current_task()
    if task is None:
        raise RuntimeError("a run is made outside of a task")
    return task


def _not_run(test: Test, number: int, reason: str, code: NotRunCode) -> Run:
    return Run(test_id=test.id, number=number, outcome="not_run", reason=reason, not_run_code=code)


def skipped(gate: GateResult, reason: str) -> GateResult:
    """Give the gate of a test that is not run, whatever it would have said."""
    return replace(
        gate, outcome="skipped", kind=DecisionKind.SKIPPED, sentence=f"Skipped: {reason}"
    )
