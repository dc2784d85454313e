"""Stops sending to an origin that is down for everyone: failure upon failure, and nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import Run
from ci_judge.model.reasons import NotRunCode
from ci_judge.model.suite import Scenario, Test
from ci_judge.transport import HttpReply, TransportFailure

FAILURES_IN_A_ROW = 10
"""So many end it where nobody ever answered."""
FAILURES_AFTER_ANSWERS = 50
SILENT_SECONDS = 30.0
"""Where somebody did answer, so many, over at least so long: a bad minute must not end a run."""
_UNANSWERED: Mapping[FailureCode, str] = {
    FailureCode.CONNECTION_REFUSED: "connection refused",
    FailureCode.NAME_NOT_FOUND: "name not found",
    FailureCode.TLS: "no TLS connection",
    FailureCode.TIMEOUT: "no answer in time",
    FailureCode.CONNECTION_LOST: "connection lost",
}
_BUSY = frozenset({429, 529})
_SERVER_ERRORS = range(500, 600)

Autopsy = Callable[[], str | None]
"""Says how the process behind an origin ended, None while it lives or where nobody knows."""


@dataclass(slots=True)
class _Origin:
    failures: int = 0
    failing_since: float = 0.0
    answered: bool = False
    autopsy: Autopsy | None = None
    down: str | None = None


class Breaker:
    """Watches every origin. Satisfies ``transport.Guard``.

    Each attempt without an answer counts, retries included, so that they do not multiply where
    nobody ever answered; 5xx counts once a run, after its retries (``failed``). Any answer besides
    "too busy" (429, 529) proves that somebody is there: such an origin is down only if the process
    that was started for it has ended, or after many failures in a row over some time. ``clock``
    gives seconds.
    """

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._origins: dict[str, _Origin] = {}

    def watch(self, origin: str, autopsy: Autopsy) -> None:
        """Learn who can tell how the process behind an origin ended."""
        self._of(origin).autopsy = autopsy

    def down(self, origin: str) -> str | None:
        """Say why nothing more is sent there, None where it may be."""
        return self._of(origin).down

    @property
    def all_down(self) -> Mapping[str, str]:
        """Map the origins that are down to why."""
        return {name: each.down for name, each in self._origins.items() if each.down}

    def before(self, origin: str) -> TransportFailure | None:
        down = self.down(origin)
        if down is None:
            return None
        return TransportFailure(code=FailureCode.ORIGIN_DOWN, message=down, attempts=0)

    def after(self, origin: str, outcome: HttpReply | TransportFailure) -> None:
        state = self._of(origin)
        if isinstance(outcome, TransportFailure):
            if outcome.code in _UNANSWERED:
                self._failed(origin, _UNANSWERED[outcome.code])
        elif outcome.status not in _BUSY.union(_SERVER_ERRORS):
            state.answered, state.failures = True, 0

    def failed(self, origin: str, *, status: int) -> None:
        """Learn that a run got nothing but this status, after every retry."""
        if status in _SERVER_ERRORS and status not in _BUSY:
            self._failed(origin, f"HTTP {status}")

    def _failed(self, origin: str, how: str) -> None:
        state = self._of(origin)
        if not state.failures:
            state.failing_since = self._clock()
        state.failures += 1
        if state.down is None and state.failures >= FAILURES_IN_A_ROW:
            why = self._why(state, how)
            state.down = why and f"{origin} is down: {why}"

    def _why(self, state: _Origin, how: str) -> str | None:
        """Say why this is enough, None while it is not."""
        ended = state.autopsy() if state.autopsy else None
        if ended is not None:
            return ended
        many = f"{state.failures} requests in a row failed (the last one: {how})"
        if not state.answered:
            return f"{many}, and none was ever answered"
        silent = self._clock() - state.failing_since
        if state.failures < FAILURES_AFTER_ANSWERS or silent < SILENT_SECONDS:
            return None
        return f"{many}, and none was answered for {silent:.0f} seconds"

    def _of(self, origin: str) -> _Origin:
        return self._origins.setdefault(origin, _Origin())


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """Where runs send their requests: to the target, by test id, and to the judges in their order.

    None is nowhere: a case, a command, the stub, an address that is not known in advance.
    """

    targets: Mapping[str, str | None]
    judges: tuple[str | None, ...] = ()


class BreakerBrake:
    """Ends the tests that need an origin which is down. Satisfies ``engine.brakes.Brake``."""

    code = NotRunCode.ORIGIN_DOWN

    def __init__(self, breaker: Breaker, origins: Origins) -> None:
        self._breaker = breaker
        self._origins = origins

    def reason(self, test: Test) -> str | None:
        target = self._down(self._origins.targets.get(test.id))
        if target is not None or (isinstance(test, Scenario) and not test.expectations):
            return target
        return self._no_judge()

    def saw(self, run: Run) -> None:
        """Count the runs that got nothing but server errors."""
        if run.failure is not None:
            self._failed(self._origins.targets.get(run.test_id), run.failure.status)
        for trial in run.trials:
            if trial.failure is not None:
                self._failed(self._origins.judges[trial.judge_index - 1], trial.failure.status)

    def _no_judge(self) -> str | None:
        """Say why no judge is left to ask; one of a panel that answers may decide by itself."""
        down = [self._down(origin) for origin in self._origins.judges]
        return down[0] if down and all(down) else None

    def _failed(self, origin: str | None, status: int | None) -> None:
        if origin is not None and status is not None:
            self._breaker.failed(origin, status=status)

    def _down(self, origin: str | None) -> str | None:
        return None if origin is None else self._breaker.down(origin)
