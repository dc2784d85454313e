"""The report: the one document that every format is made from (schema of ``report.json``).

All keys are snake_case, times UTC ISO 8601 text, durations in seconds, rates in [0, 1], money in
USD; unknown is null, never 0. Every text in it may have been written by a stranger and has been
redacted and made free of lone surrogates; a renderer still escapes it for its own format.
"""

from typing import Any, Literal, NotRequired, TypedDict

from ci_judge.model.judging import Outcome, PanelRule, SuspicionKind
from ci_judge.model.results import TestOutcome

SCHEMA_VERSION = 1

Status = Literal["passed", "failed", "error", "skipped", "interrupted", "invalid"]


class ToolEntry(TypedDict):
    name: str
    version: str


class SummaryEntry(TypedDict):
    """Counts of tests by result, then of runs and requests.

    ``judge_cached`` counts judgements that needed no request: they had been made before.
    ``cost_usd`` is the judge's, and the target's where ``target.usage`` prices it; null where any
    of it is unknown, ``known_cost_usd`` is then what is known of it. ``target_cost_usd`` is the
    target's share. Advisory tests are counted in ``tests`` and ``advisory`` alone.
    """

    tests: int
    passed: int
    failed: int
    errors: int
    skipped: int
    advisory: int
    runs_planned: int
    runs_made: int
    runs_passed: int
    runs_failed: int
    runs_errors: int
    runs_suspicious: int
    runs_replayed: int
    pass_rate: float | None
    target_requests: int
    judge_requests: int
    judge_cached: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    known_cost_usd: float
    target_cost_usd: float | None
    duration_seconds: float


class RunContextEntry(TypedDict):
    """Where and when: from the CI's variables, null outside a CI."""

    commit: str | None
    branch: str | None
    repository: str | None
    pull_request: int | None
    url: str | None
    attempt: int | None
    seed: int
    started: str
    finished: str
    interrupted: bool


class PriceEntry(TypedDict):
    """USD per million tokens, and whose word that is: "judge.price", or a list price's date."""

    input: float
    output: float
    source: str


class JudgeTermsEntry(TypedDict):
    """Who judges, and how its opinions become votes: of a judge alone and of one in a panel."""

    provider: str
    model: str | None
    models_answered: list[str]
    prompt_version: str | None
    temperature: float | None
    mode: str
    threshold: float
    repetitions: int
    minimum_pass_rate: str
    needed_votes: int
    notice: str | None
    price: PriceEntry | None


class PanelMemberEntry(JudgeTermsEntry):
    """One judge of a panel; ``passes``, ``fails`` and ``errors`` count its votes on expectations.

    ``judge`` is its name in trials and votes, ``judge_index`` its place in the panel, from 1.
    """

    judge: str
    judge_index: int
    passes: int
    fails: int
    errors: int


class AgreementEntry(TypedDict):
    """How far the judges of a panel agree over the expectations that all of them voted on.

    ``raw`` is the share of pairs of votes that are alike. Fleiss' kappa and Gwet's AC1 are at most
    1, and 0 where judges agree as often as by chance; null where they are not defined.
    """

    votes: int
    raw: float | None
    fleiss_kappa: float | None
    gwet_ac1: float | None


class JudgeEntry(JudgeTermsEntry):
    """The judge, or with provider "panel" what holds for all judges in ``panel``.

    ``price`` is null where it is unknown, and of a panel, whose judges have their own.
    ``panel_needed`` is how many of them must pass an expectation; without a panel it is null, as
    are ``panel_rule`` and ``agreement``.
    """

    panel: list[PanelMemberEntry]
    panel_rule: PanelRule | None
    panel_needed: int | None
    agreement: AgreementEntry | None


class MessageEntry(TypedDict):
    role: str
    content: Any


class CheckEntry(TypedDict):
    kind: str
    wanted: str
    passed: bool
    found: str
    item: int | None


class RulingEntry(TypedDict):
    item: int
    passed: bool
    reason: str
    probability: float | None
    draw: float | None


class FailureEntry(TypedDict):
    code: str
    message: str
    status: int | None
    attempts: int
    detail: str


class TrialEntry(TypedDict):
    """One trial. ``judge`` names who made it in a panel, null where one judge judges alone.

    ``model`` answered, ``model_asked`` was asked.
    """

    judge: str | None
    judge_index: int
    repetition: int
    rulings: list[RulingEntry]
    failure: FailureEntry | None
    model: str | None
    model_asked: str | None
    prompt_version: str | None
    input_tokens: int | None
    output_tokens: int | None
    latency_seconds: float
    requests: int
    request_id: str | None
    cached: bool
    cost_usd: float | None


class MemberVoteEntry(TypedDict):
    """How one judge of a panel voted; ``passed`` is null where it erred, ``reason`` says why."""

    judge: str
    judge_index: int
    passes: int
    trials: int
    needed: int
    passed: bool | None
    reason: str


class VoteEntry(TypedDict):
    """The vote on one item: ``passes`` of ``trials``, or of the judges of a panel (``members``).

    ``passed`` is null where judges that erred leave it open.
    """

    item: int
    passes: int
    trials: int
    needed: int
    passed: bool | None
    reason: str
    members: list[MemberVoteEntry]


class SuspicionEntry(TypedDict):
    """Text in the evidence that seems addressed to the judge; it changed no verdict."""

    kind: SuspicionKind
    found: str


class CapturedEntry(TypedDict):
    """What the answer to one turn (from 1) told besides; null where it told nothing."""

    turn: int
    context: Any
    tools: Any


class RunEntry(TypedDict):
    """One run: one line of ``attempts.jsonl``, one element of a test's ``runs``.

    ``response`` is the last answer (scenarios), ``evidence`` the returned value (cases).
    ``replayed`` says that the target was not asked (``run.cache: all``).
    ``captured`` has an entry for each answer of which ``target.capture`` found anything.
    ``cut_chars`` says how many characters of responses were left out for length.
    """

    test: str
    number: int
    outcome: Outcome
    reason: str
    certain: bool
    started: str
    duration_seconds: float
    latency_seconds: float | None
    cost_usd: float | None
    target_cost_usd: float | None
    replayed: bool
    response: str | None
    evidence: Any
    transcript: list[MessageEntry]
    captured: list[CapturedEntry]
    cut_chars: int
    checks: list[CheckEntry]
    trials: list[TrialEntry]
    votes: list[VoteEntry]
    suspicious: list[SuspicionEntry]
    failure: FailureEntry | None


class VerdictErrorEntry(TypedDict):
    """Why a judge gave no verdict."""

    code: str
    message: str
    status: int | None


class VerdictEntry(TypedDict):
    """One line of the verdict log: one trial.

    ``model`` was asked, ``model_answered`` answered; ``temperature`` is a number or "not sent".
    ``verdict`` is true when every item passed and null where there is an ``error``; probability and
    draw stand in ``rulings``. ``response_sha256`` is of the last answer (or a case's evidence as
    JSON), ``raw`` the judge's reply, empty for a verdict out of the cache.
    """

    time: str
    test: str
    run: int
    trial: int
    judge_index: int
    provider: str
    model: str | None
    model_answered: str | None
    prompt_version: str | None
    temperature: float | str
    verdict: bool | None
    rulings: list[RulingEntry]
    error: VerdictErrorEntry | None
    cached: bool
    input_tokens: int | None
    output_tokens: int | None
    requests: int
    request_id: str | None
    response_sha256: str | None
    raw: str


class GateEntry(TypedDict):
    """The rule and what it said. ``needed`` is null when no count of passes could meet it."""

    kind: str
    threshold: float
    threshold_text: str
    confidence: float
    misses: int | None
    needed: int | None
    needs: str
    decision: str
    sentence: str
    more_runs: int | None


class TroubleEntry(TypedDict):
    """One reason why runs ended in errors (untrusted text), and how many did for it."""

    outcome: Outcome
    reason: str
    runs: int


class LatencyEntry(TypedDict):
    p50: float
    p95: float
    max: float


class TestEntry(TypedDict):
    """One test. ``kind`` is the scenario's kind, or "case". ``anchor`` is its HTML id, unique.

    Scenarios have turns, history and expected, with the quoted phrases of each expectation in
    ``phrases``; cases have a requirement. ``interval`` is
    [low, high]; ``troubles`` are the commonest reasons of error runs, most runs first; ``runs``
    stands in ``report.json`` only (in memory runs stay on disk); ``suspicious`` counts runs with
    text addressed to the judge, ``replayed`` those whose conversation came from the cache.
    """

    id: str
    anchor: str
    name: str
    kind: str
    result: TestOutcome
    advisory: bool
    skip_reason: str | None
    file: str
    line: int | None
    tags: list[str]
    turns: list[Any]
    history: list[MessageEntry]
    expected: list[str]
    phrases: list[list[str]]
    checks: list[str]
    requirement: str | None
    planned: int
    made: int
    judged: int
    passes: int
    fails: int
    errors: int
    not_run: int
    suspicious: int
    replayed: int
    rate: float | None
    interval: list[float]
    gate: GateEntry
    troubles: list[TroubleEntry]
    latency: LatencyEntry | None
    cost_usd: float | None
    duration_seconds: float
    runs: NotRequired[list[RunEntry]]


class GroupEntry(TypedDict):
    """A criterion with its scenarios, or a case file with its cases.

    ``id`` is the criterion's id or the file; an empty ``tests`` is a criterion that nothing covers.
    """

    kind: Literal["criterion", "cases"]
    id: str
    title: str
    description: str
    file: str
    line: int | None
    tests: list[TestEntry]


class ReportDocument(TypedDict):
    """The whole report. ``headline`` is the result in one sentence."""

    schema_version: int
    tool: ToolEntry
    status: Status
    exit_code: int
    headline: str
    summary: SummaryEntry
    run: RunContextEntry
    settings: dict[str, Any]
    judge: JudgeEntry | None
    warnings: list[str]
    groups: list[GroupEntry]
