"""Runs of all tests, interleaved, a bounded number at once; what ends is reported at once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ci_judge.engine.counting import RunCounter
from ci_judge.engine.stopping import StopSign
from ci_judge.model.judging import Run
from ci_judge.model.results import DecisionKind, GateResult, Tally, TestResult
from ci_judge.model.suite import GateRule, Test
from ci_judge.protocols import Progress

MakeRun = Callable[[Test, int], Awaitable[Run]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How to run: ``workers`` runs at once, at most; stop after ``max_failures`` failed tests."""

    workers: int
    max_failures: int | None = None


class Scheduler:
    """One pass over the tests.

    ``record`` is called once for each run, and may raise OSError when there is no room for it.
    """

    def __init__(
        self,
        tests: Sequence[Test],
        *,
        make_run: MakeRun,
        decide: Callable[[GateRule, Tally], GateResult],
        record: Callable[[Run], None],
        progress: Progress,
        stop_sign: StopSign,
    ) -> None:
        self._tests = [test for test in tests if test.skip is None]
        self._make_run = make_run
        self._decide = decide
        self._record = record
        self._progress = progress
        self._stop_sign = stop_sign
        self._counters = {test.id: RunCounter(test.gate.runs) for test in tests}
        self._failed = 0

    async def run(self, schedule: Schedule) -> None:
        """Make every planned run, or as many as there were when the stop sign went up."""
        jobs = interleaved(self._tests)
        workers = [asyncio.create_task(self._work(jobs, schedule)) for _ in range(schedule.workers)]
        stopped = asyncio.create_task(self._stop_sign.wait())
        everything = asyncio.gather(*workers)
        ends: list[asyncio.Future[Any]] = [everything, stopped]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if everything.done():
                everything.result()  # a bug in a worker must not pass for a finished run
        finally:
            for task in (*workers, stopped):
                task.cancel()
            await asyncio.gather(everything, *workers, stopped, return_exceptions=True)
        self._record_what_was_left()

    def _record_what_was_left(self) -> None:
        for test in self._tests:
            for number in self._counters[test.id].missing():
                self._recorded(_not_run(test, number, self._stop_sign.reason or "not reached"))

    def _recorded(self, run: Run) -> bool:
        """Record a run. One that cannot be recorded is not counted, and the run ends cleanly."""
        try:
            self._record(run)
        except OSError as error:
            self._stop_sign.stop(f"stopped: the runs cannot be written down: {error.strerror}")
            return False
        return True

    def result(self, test: Test) -> TestResult:
        """Decide a test on what its runs came to so far."""
        counter = self._counters[test.id]
        gate = self._decide(test.gate, counter.tally)
        return TestResult(
            test=test,
            tally=counter.tally,
            gate=gate if test.skip is None else _skipped(gate, test.skip),
            troubles=counter.troubles,
            suspicious=counter.suspicious,
            replayed=counter.replayed,
            cost_usd=counter.cost_usd,
            latency=counter.latency,
            duration_seconds=counter.duration_seconds,
        )

    async def _work(self, jobs: Iterator[tuple[Test, int]], schedule: Schedule) -> None:
        for test, number in jobs:
            if self._stop_sign.reason is not None:
                return
            self._finish(test, await self._make_run(test, number), schedule)

    def _finish(self, test: Test, run: Run, schedule: Schedule) -> None:
        if not self._recorded(run):
            return
        counter = self._counters[test.id]
        counter.add(run)
        self._progress.run_finished(run)
        if counter.complete:
            self._finish_test(self.result(test), schedule)

    def _finish_test(self, result: TestResult, schedule: Schedule) -> None:
        self._progress.test_finished(result)
        self._failed += result.gate.outcome == "failed" and not result.test.advisory
        if schedule.max_failures is not None and self._failed >= schedule.max_failures:
            self._stop_sign.stop(f"stopped after {self._failed} failed tests (--maxfail)")


def interleaved(tests: Sequence[Test]) -> Iterator[tuple[Test, int]]:
    """Round-robin over the tests: first runs first, so that early results come for every test."""
    longest = max((test.gate.runs for test in tests), default=0)
    for number in range(1, longest + 1):
        for test in tests:
            if number <= test.gate.runs:
                yield test, number


def _not_run(test: Test, number: int, reason: str) -> Run:
    return Run(test_id=test.id, number=number, outcome="not_run", reason=reason)


def _skipped(gate: GateResult, reason: str) -> GateResult:
    return replace(
        gate, outcome="skipped", kind=DecisionKind.SKIPPED, sentence=f"Skipped: {reason}"
    )
