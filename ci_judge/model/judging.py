"""From a question to a judge to the verdict of a run."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from ci_judge.model.evidence import Conversation, Evidence, EvidenceFailure, FailureCode
from ci_judge.model.reasons import NotRunCode
from ci_judge.model.suite import CheckKind, CheckPlace, Criterion, Expectation, JsonValue

Wire: TypeAlias = Literal["boolean", "probability"]

PanelRule: TypeAlias = Literal["majority", "all", "any"]
"""How many judges of a panel must pass an item; a majority is more than half of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioQuestion:
    """Does this conversation meet each of these expectations? One item an expectation.

    ``repetition`` counts from 1 how often the same is asked; no judge is told.
    """

    criterion: Criterion
    expectations: tuple[Expectation, ...]
    conversation: Conversation
    repetition: int = 1

    @property
    def items(self) -> int:
        return len(self.expectations)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseQuestion:
    """Does this evidence satisfy the requirement? One item; ``repetition`` as for scenarios."""

    requirement: str
    evidence: JsonValue
    repetition: int = 1

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
    """A judge's reply to one question: one opinion an item, in order.

    ``cached`` says that nobody was asked: it is the answer to the same question, put before.
    """

    opinions: tuple[Opinion, ...]
    model: str | None = None
    usage: Usage = field(default=Usage())
    latency_seconds: float = 0.0
    request_id: str | None = None
    requests: int = 1
    raw: str = ""
    cached: bool = False


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
    judge: str | None = None
    """The name of the judge in a panel; None where one judge judges alone."""
    judge_index: int = 1
    """Its place in the panel, from 1."""
    raw: str = ""
    """The reply as it came; empty for a failure, which has its own."""
    cached: bool = False
    """Whether it is the answer to the same question, put before."""
    cost_usd: float | None = None
    """What it cost, None where tokens or prices are unknown."""
    model_asked: str | None = None
    """The model that was to answer; ``model`` is the one that did."""
    prompt_version: str | None = None
    """None where no prompt of ours was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """A check or quoted phrase after it was looked for. ``kind`` "phrase" names the latter.

    ``found`` says in a few words what was there instead, and is empty for a pass.
    ``item`` is the expectation (from 1) that a phrase belongs to, None for a check. ``inside`` is
    what of the captured it looked at, None for answers.
    """

    kind: CheckKind | Literal["phrase"]
    wanted: str
    passed: bool
    found: str = ""
    item: int | None = None
    inside: CheckPlace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberVote:
    """How one judge of a panel voted on one item, by ``passes`` of its ``trials``.

    ``passed`` is None where it erred; ``reason`` is then what went wrong.
    """

    judge: str
    judge_index: int
    passes: int
    trials: int
    needed: int
    passed: bool | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemVote:
    """The votes on one item: it passes with at least ``needed`` of ``trials``.

    A panel's are counted in judges: ``passes`` of its ``trials`` members, each in ``members``.
    ``passed`` is None where the members that erred leave it open.
    """

    item: int
    passes: int
    trials: int
    needed: int
    passed: bool | None
    reason: str
    members: tuple[MemberVote, ...] = ()


SuspicionKind: TypeAlias = Literal["hidden", "verdict", "override", "role", "fence", "appeal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """Text in the evidence that seems addressed to the judge. It changes no verdict.

    ``kind``: hidden (characters that nobody sees), verdict (shaped like one), override ("ignore
    previous instructions"), role (tags of chat models), fence (closes a block that it did not
    open), appeal (asks for a verdict). ``found`` quotes it, untrusted, on one line.
    """

    kind: SuspicionKind
    found: str


Outcome: TypeAlias = Literal["pass", "fail", "target_error", "case_error", "judge_error", "not_run"]

VERDICTS: frozenset[str] = frozenset({"pass", "fail"})
"""Outcomes of runs that say something of the test."""

ERROR_OUTCOMES: frozenset[str] = frozenset({"target_error", "case_error", "judge_error"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of one test, finished. ``number`` counts from 1.

    ``reason`` explains the outcome in one sentence: the judge's words, the failed check, or what
    went wrong. ``certain`` is true when checks alone decided it. ``not_run_code`` says why it was
    not made, and is None for a run that was.
    """

    test_id: str
    number: int
    outcome: Outcome
    reason: str
    not_run_code: NotRunCode | None = None
    certain: bool = False
    evidence: Evidence | None = None
    failure: EvidenceFailure | None = None
    checks: tuple[CheckResult, ...] = ()
    trials: tuple[Trial, ...] = ()
    votes: tuple[ItemVote, ...] = ()
    suspicious: tuple[Suspicion, ...] = ()
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
