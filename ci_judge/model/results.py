"""What the runs of a test add up to."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from ci_judge.model.judging import Outcome
from ci_judge.model.reasons import ReasonCount
from ci_judge.model.suite import Test

TestOutcome: TypeAlias = Literal["passed", "failed", "error", "waived", "skipped"]
"""``waived`` is failed, and allowed to for a while."""


class DecisionKind(StrEnum):
    """Why a gate ended as it did."""

    MET = "met"
    BELOW = "below"
    """Failed, and even the upper end of the interval is under the threshold."""
    NOT_PROVEN = "not_proven"
    """Failed, but the interval straddles the threshold: more runs could decide."""
    UNDECIDED = "undecided"
    """Error: the error runs could have changed the result."""
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts over the planned runs of a test, which are the sum of all of them but ``planned``.

    Where a test stopped as soon as it was decided, passes, fails and errors are those of the runs
    up to there by number: ``uncounted`` runs with later numbers had been started and were finished,
    ``not_needed`` ones were left out. ``passable`` says that an adaptive gate would have been
    passed on the way, had the runs that ended in errors been passes. ``certain`` of the fails were
    found by checks, without a judge.
    """

    planned: int
    passes: int = 0
    fails: int = 0
    errors: int = 0
    not_run: int = 0
    not_needed: int = 0
    uncounted: int = 0
    passable: bool = False
    certain: int = 0

    @property
    def judged(self) -> int:
        return self.passes + self.fails

    @property
    def counted(self) -> int:
        """How many runs the gate looked at: where a stopped test stopped."""
        return self.passes + self.fails + self.errors

    @property
    def made(self) -> int:
        return self.counted + self.uncounted

    @property
    def stopped(self) -> bool:
        """Tell whether the gate was decided before all planned runs were looked at."""
        return self.not_needed + self.uncounted > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """The first ``runs`` runs of a test that makes so many in any case: how they ended.

    Where a test stops depends on how it went; how these went does not depend on where it stops.
    """

    runs: int
    judged: int
    passes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval of a pass rate, both ends in [0, 1]."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """A gate applied to a tally.

    ``needed`` is the least passing count of the planned runs, None when no count can pass.
    ``rate`` (None without a judged run) and ``interval`` are over the judged runs; the interval
    is Wilson's, two-sided. Where the gate may stop a test early (``anytime``) the rate of what was
    seen would mislead and is None, and the interval is one that holds wherever a sample stops.
    ``sentence`` explains the result to somebody who knows no statistics;
    ``needs`` is the rule in short ("at least 10 of 10").
    ``more_runs`` estimates how many further runs at this rate would pass a not-proven gate.
    """

    outcome: TestOutcome
    kind: DecisionKind
    needed: int | None
    rate: float | None
    interval: Interval
    needs: str
    sentence: str
    more_runs: int | None = None
    anytime: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Seconds over the judged runs of a test: median, 95th percentile, largest."""

    p50: float
    p95: float
    max: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One reason why runs of a test ended in errors, and how many did for it."""

    outcome: Outcome
    reason: str
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """One test, decided.

    ``suspicious`` counts runs with text addressed to the judge, ``replayed`` those whose
    conversation came from the cache.
    """

    __test__ = False  # the name is the domain's; pytest need not collect it

    test: Test
    tally: Tally
    gate: GateResult
    latency: Latency | None
    duration_seconds: float
    troubles: tuple[Trouble, ...] = ()
    reasons: tuple[ReasonCount, ...] = ()
    """Why runs have no verdict, most runs first."""
    suspicious: int = 0
    replayed: int = 0
    first_token: Latency | None = None
    """How long the first pieces of streamed answers took; None where no answer was streamed."""
    cost_usd: float | None = 0.0
    """What its runs cost together, None where that of one is unknown."""
    prefix: Prefix | None = None
    """Of an adaptive test whose first ``min_runs`` runs have all been made."""
