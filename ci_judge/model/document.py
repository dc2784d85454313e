"""The report: the one document that every format is made from (schema of ``report.json``).

All keys are snake_case, times UTC ISO 8601 text, durations in seconds, rates in [0, 1], money in
USD; unknown is null, never 0. Every text in it may have been written by a stranger and has been
redacted and made free of lone surrogates; a renderer still escapes it for its own format.
"""

from typing import Any, Literal, NotRequired, TypedDict

from ci_judge.model.judging import Outcome
from ci_judge.model.results import TestOutcome

SCHEMA_VERSION = 1

Status = Literal["passed", "failed", "error", "skipped", "interrupted", "invalid"]


class ToolEntry(TypedDict):
    name: str
    version: str


class SummaryEntry(TypedDict):
    """Counts of tests by result, then of runs and requests.

    Advisory tests are counted in ``tests`` and ``advisory`` alone.
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
    pass_rate: float | None
    target_requests: int
    judge_requests: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
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


class JudgeEntry(TypedDict):
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
    repetition: int
    rulings: list[RulingEntry]
    failure: FailureEntry | None
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    latency_seconds: float
    requests: int
    request_id: str | None


class VoteEntry(TypedDict):
    item: int
    passes: int
    trials: int
    needed: int
    passed: bool
    reason: str


class RunEntry(TypedDict):
    """One run: one line of ``attempts.jsonl``, one element of a test's ``runs``.

    ``response`` is the last answer (scenarios), ``evidence`` the returned value (cases).
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
    response: str | None
    evidence: Any
    transcript: list[MessageEntry]
    cut_chars: int
    checks: list[CheckEntry]
    trials: list[TrialEntry]
    votes: list[VoteEntry]
    failure: FailureEntry | None


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

    Scenarios have turns, history and expected; cases have a requirement. ``interval`` is
    [low, high]; ``troubles`` are the commonest reasons of error runs, most runs first; ``runs``
    stands in ``report.json`` only (in memory runs stay on disk).
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
    checks: list[str]
    requirement: str | None
    planned: int
    made: int
    judged: int
    passes: int
    fails: int
    errors: int
    not_run: int
    rate: float | None
    interval: list[float]
    gate: GateEntry
    troubles: list[TroubleEntry]
    latency: LatencyEntry | None
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
