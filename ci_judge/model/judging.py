"""From a question to a judge to the verdict of a run."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from ci_judge.model.evidence import Conversation, Evidence, EvidenceFailure, FailureCode
from ci_judge.model.suite import CheckKind, Criterion, Expectation, JsonValue

Wire: TypeAlias = Literal["boolean", "probability"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioQuestion:
    """Does this conversation meet each of these expectations? One item an expectation."""

    criterion: Criterion
    expectations: tuple[Expectation, ...]
    conversation: Conversation

    @property
    def items(self) -> int:
        return len(self.expectations)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseQuestion:
    """Does this evidence satisfy the requirement? One item."""

    requirement: str
    evidence: JsonValue

    @property
    def items(self) -> int:
        return 1


Question: TypeAlias = ScenarioQuestion | CaseQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A boolean judge's word on one item."""

    passed: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihood:
    """A probability judge's word on one item: how likely it is met, in [0, 1]."""

    probability: float
    reason: str = ""


Opinion: TypeAlias = Decision | Likelihood


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one request as the provider counted them; None is unknown, never 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A judge's reply to one question: one opinion an item, in order."""

    opinions: tuple[Opinion, ...]
    model: str | None = None
    usage: Usage = field(default=Usage())
    latency_seconds: float = 0.0
    request_id: str | None = None
    requests: int = 1
    raw: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFailure:
    """Why a judge gave no opinion. Never a failed verdict, and no other trial outvotes it."""

    code: FailureCode
    message: str
    status: int | None = None
    requests: int = 1
    usage: Usage = field(default=Usage())
    raw: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeIdentity:
    """Who judges. ``prompt_version`` is None where no prompt of ours is sent."""

    provider: str
    model: str | None
    wire: Wire
    prompt_version: str | None = None
    temperature: float | None = None
    notice: str | None = None
    """A sentence that every report of this judge must carry, such as the stub's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What one trial says of one item.

    ``probability`` and ``draw`` are None for boolean judges; ``draw`` (u in [0, 1)) is set in
    sample mode only.
    """

    passed: bool
    reason: str
    probability: float | None = None
    draw: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One judgement of one evidence by one judge: its rulings (one an item), or its failure."""

    repetition: int
    rulings: tuple[Ruling, ...]
    failure: JudgeFailure | None
    model: str | None
    usage: Usage
    latency_seconds: float
    requests: int
    request_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """A check or quoted phrase after it was looked for. ``kind`` "phrase" names the latter.

    ``found`` says in a few words what was there instead, and is empty for a pass.
    ``item`` is the expectation (from 1) that a phrase belongs to, None for a check.
    """

    kind: CheckKind | Literal["phrase"]
    wanted: str
    passed: bool
    found: str = ""
    item: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemVote:
    """The votes on one item: it passes with at least ``needed`` of ``trials``."""

    item: int
    passes: int
    trials: int
    needed: int
    passed: bool
    reason: str


Outcome: TypeAlias = Literal["pass", "fail", "target_error", "case_error", "judge_error", "not_run"]

ERROR_OUTCOMES: frozenset[str] = frozenset({"target_error", "case_error", "judge_error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of one test, finished. ``number`` counts from 1.

    ``reason`` explains the outcome in one sentence: the judge's words, the failed check, or what
    went wrong. ``certain`` is true when checks alone decided it.
    """

    test_id: str
    number: int
    outcome: Outcome
    reason: str
    certain: bool = False
    evidence: Evidence | None = None
    failure: EvidenceFailure | None = None
    checks: tuple[CheckResult, ...] = ()
    trials: tuple[Trial, ...] = ()
    votes: tuple[ItemVote, ...] = ()
    started_at: float = 0.0
    duration_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class VotePolicy:
    """How opinions become rulings and rulings a vote (section ``judge``).

    ``threshold`` is on p (threshold mode); ``minimum_pass_rate`` the exact share of the
    ``repetitions`` trials that must pass, with ``rate_text`` as the user wrote it.
    """

    mode: Literal["threshold", "sample"] = "threshold"
    threshold: float = 0.5
    repetitions: int = 1
    minimum_pass_rate: Fraction = Fraction(2, 3)
    rate_text: str = "2/3"
