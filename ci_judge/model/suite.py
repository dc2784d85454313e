"""What a suite holds: criteria, and the tests (scenarios and cases) that are gated."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from ci_judge.errors import Place
from ci_judge.model.calibration import LabelCounts

JsonValue: TypeAlias = Any
"""What JSON can hold: dict with string keys, list, str, int, finite float, bool, None."""

Role: TypeAlias = Literal["user", "assistant", "system"]


class GateKind(StrEnum):
    """How the verdicts of a test decide it (rules.gates)."""

    LOWER_BOUND = "lower_bound"
    EXACT = "exact"
    ADAPTIVE = "adaptive"
    RATE = "rate"
    MISSES = "misses"
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule:
    """A gate before it is applied: every kind but adaptive is "at least k of ``runs``".

    ``threshold`` is a pass rate in [0, 1]; ``confidence`` in (0, 1) is two-sided for lower_bound
    and corrected, one-sided for exact and adaptive; ``misses`` (a count) is used by the misses gate
    alone. Rates are exact fractions of the text that the user wrote. The adaptive gate makes
    ``min_runs`` to ``runs`` runs, or ``runs`` where that is None, as it is for all others;
    ``early_stop`` says whether these leave out runs that cannot change the result. ``topped_up`` of
    an adaptive gate's ``runs`` are on top of those that it was configured with: earlier attempts
    used them up.
    ``labels`` are what the gate corrected goes by besides the runs, and None for every other.
    """

    kind: GateKind
    runs: int
    threshold: Fraction
    confidence: Fraction = Fraction(95, 100)
    misses: int = 0
    min_runs: int | None = None
    early_stop: bool = False
    topped_up: int = 0
    labels: LabelCounts | None = None

    @property
    def configured_runs(self) -> int:
        """How many runs the suite plans, whatever earlier attempts used up."""
        return self.runs - self.topped_up

    @property
    def least_runs(self) -> int:
        """How many runs are made in any case, but for an early stop."""
        return self.runs if self.min_runs is None else self.min_runs


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDefaults:
    """What a test's gate is unless the test or its file says otherwise (section ``run``).

    ``labels`` are those of the judge's calibration, for every test with the gate corrected.
    """

    kind: GateKind = GateKind.LOWER_BOUND
    runs: int = 10
    threshold: Fraction = Fraction(7, 10)
    confidence: Fraction = Fraction(95, 100)
    misses: int = 0
    min_runs: int | None = None
    early_stop: bool = False
    labels: LabelCounts | None = None

    def labels_of(self, kind: GateKind) -> LabelCounts | None:
        """Give what a gate of this kind goes by besides the runs."""
        return self.labels if kind is GateKind.CORRECTED else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One ``##`` section of an acceptance file. ``description`` is its Markdown body.

    ``instructions`` are for its judge alone, and come from the configuration.
    """

    id: str
    title: str
    description: str
    place: Place
    instructions: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation. ``content`` is text for a chat, any JSON value otherwise."""

    role: Role
    content: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One thing that must hold: its text, and the phrases quoted in it (checked exactly).

    ``place`` is where it was written.
    """

    text: str
    phrases: tuple[str, ...] = ()
    place: Place | None = field(default=None, compare=False)


class CheckKind(StrEnum):
    """Checks that need no judge. Their results are certain."""

    CONTAINS = "contains"
    NOT_CONTAINS = "not_contains"
    REGEX = "regex"
    EQUALS = "equals"
    JSON_SCHEMA = "json_schema"
    JSON_PATH = "json_path"
    MAX_LATENCY = "max_latency"
    MAX_CHARS = "max_chars"
    MAX_COST = "max_cost"
    TOOLS_CALLED = "tools_called"


CheckPlace: TypeAlias = Literal["tools", "context"]
"""Where a check can look instead of the answer: at what ``target.capture`` found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check.

    ``operand`` is text for contains, not_contains and regex; any JSON for equals; the schema
    itself for json_schema; ``{"path": str, "equals": JSON}`` for json_path; seconds (float) for
    max_latency; a count (int) for max_chars; USD (float) for max_cost; a list of names for
    tools_called. ``inside`` is where it looks, None for the answer itself. ``place`` is where it
    was written.
    """

    kind: CheckKind
    operand: JsonValue
    inside: CheckPlace | None = None
    place: Place | None = field(default=None, compare=False)

    def __str__(self) -> str:
        where = "" if self.inside is None else f" in {self.inside}"
        return f"{self.kind.value}: {self.operand!r}{where}"

    @property
    def needs(self) -> CheckPlace | None:
        """What ``target.capture`` must find for it, None where the answer is enough."""
        return "tools" if self.kind is CheckKind.TOOLS_CALLED else self.inside


ScenarioKind: TypeAlias = Literal["happy_path", "edge_case", "adversarial", "custom"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRow:
    """The row of a dataset that a scenario was filled with, and where it stands.

    ``template`` is the id that all rows share, before their ``[…]``. ``some`` says that not all
    rows of the file were taken (limit, sample).
    """

    template: str
    place: Place
    some: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """Why a test may fail for a while, who answers for it, and the last day (ISO 8601, UTC)."""

    reason: str
    owner: str
    expires: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A conversation to hold with a target, and what must be true of the answers.

    ``turns`` are the user's messages, sent one after another, each answered before the next.
    ``history`` is given, not sent by itself: the target receives it with each turn.
    """

    id: str
    name: str
    criterion: Criterion
    place: Place
    gate: GateRule
    turns: tuple[JsonValue, ...]
    history: tuple[Message, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    checks: tuple[Check, ...] = ()
    kind: ScenarioKind = "custom"
    tags: frozenset[str] = frozenset()
    target: str | None = None
    advisory: bool = False
    skip: str | None = None
    row: DataRow | None = None
    waiver: Waiver | None = None
    fingerprint: str = field(default="", compare=False)
    """A digest of all that decides how its runs come out; empty until the suite is planned."""

    @property
    def group(self) -> str:
        return self.criterion.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A Python function marked ``@case``. ``file`` is posix, relative to the configuration."""

    id: str
    function: str
    requirement: str
    file: str
    place: Place
    gate: GateRule
    tags: frozenset[str] = frozenset()
    advisory: bool = False
    skip: str | None = None
    waiver: Waiver | None = None
    fingerprint: str = field(default="", compare=False)
    """A digest of all that decides how its runs come out; empty until the suite is planned."""

    @property
    def name(self) -> str:
        return self.function

    @property
    def group(self) -> str:
        return self.file


Test: TypeAlias = Scenario | Case
"""The thing that gets one gate result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Everything to be judged, in the order in which reports show it."""

    criteria: tuple[Criterion, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    cases: tuple[Case, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    @property
    def tests(self) -> Sequence[Test]:
        return (*self.scenarios, *self.cases)
