"""The report: the one document that every format is made from (schema of ``report.json``).

All keys are snake_case, times UTC ISO 8601 text, durations in seconds, rates in [0, 1], money in
USD; unknown is null, never 0. Every text in it may have been written by a stranger and has been
redacted and made free of lone surrogates; a renderer still escapes it for its own format.
"""

from typing import Any, Literal, NotRequired, TypedDict

from ci_judge.model.judging import Outcome, PanelRule, SuspicionKind
from ci_judge.model.reasons import ReasonCode
from ci_judge.model.results import TestOutcome
from ci_judge.model.suite import CheckPlace

SCHEMA_VERSION = 1

Status = Literal["passed", "failed", "error", "skipped", "interrupted", "invalid"]
ChangeKind = Literal[
    "newly_failing",
    "newly_undecided",
    "newly_passing",
    "significantly_worse",
    "worse_within_noise",
    "higher",
    "unchanged",
    "only_by_gate",
    "added",
    "not_comparable",
]


class ToolEntry(TypedDict):
    name: str
    version: str


class BudgetEntry(TypedDict):
    """The most that the run was to spend (null is no limit), and what it did spend.

    ``estimated`` says that costs which nobody told are guesses in it; ``refused`` why something was
    not done any more, null where the budget was enough. ``runs_left_out`` runs of
    ``tests_left_out`` tests have no verdict for that reason.
    """

    usd: float | None
    requests: int | None
    tokens: int | None
    minutes: float | None
    spent_usd: float
    spent_requests: int
    spent_tokens: int
    spent_minutes: float
    estimated: bool
    refused: str | None
    runs_left_out: int
    tests_left_out: int


class ReasonCountEntry(TypedDict):
    """How many runs have no verdict for one reason of the closed lists."""

    code: ReasonCode
    runs: int


class SummaryEntry(TypedDict):
    """Counts of tests by result, then of runs and requests.

    ``judge_cached`` counts judgements that needed no request: they had been made before.
    ``cost_usd`` is the judge's, and the target's where ``target.usage`` prices it; null where any
    of it is unknown, ``known_cost_usd`` is then what is known of it. ``target_cost_usd`` is the
    target's share. ``budget`` is null where nothing was limited; ``reasons`` count the runs without
    a verdict by their codes. ``waived`` tests failed, and may for a while. Advisory tests are
    counted in ``tests`` and ``advisory`` alone.
    ``regressions`` are tests whose gate newly failed, that got worse by more than chance or were
    removed, and weaker rules; null without a baseline.
    ``runs_passed``, ``runs_failed`` and ``runs_errors`` are those that gates counted, and
    ``saved_by_early_stop`` the planned ones that no gate needed; ``pass_rate`` is null where a test
    may stop early, for the rate of what was seen would mislead.
    """

    tests: int
    passed: int
    failed: int
    errors: int
    waived: int
    skipped: int
    advisory: int
    regressions: int | None
    runs_planned: int
    runs_made: int
    runs_passed: int
    runs_failed: int
    runs_errors: int
    runs_suspicious: int
    runs_replayed: int
    saved_by_early_stop: int
    pass_rate: float | None
    target_requests: int
    judge_requests: int
    judge_cached: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    known_cost_usd: float
    target_cost_usd: float | None
    budget: BudgetEntry | None
    reasons: list[ReasonCountEntry]
    duration_seconds: float


class AttemptEntry(TypedDict):
    """How an earlier attempt ended: its tests by result, and the runs that it made itself."""

    attempt: int
    status: Status
    started: str
    tests: int
    passed: int
    failed: int
    errors: int
    waived: int
    skipped: int
    runs_made: int


class RerunEntry(TypedDict):
    """What became of the earlier attempts at the same commit in the same CI run.

    ``attempt`` is this one's number, ``earlier`` are those that are known of, the oldest first.
    ``carried_runs`` are runs of theirs that stand in this report; ``anew`` says why tests were
    judged anew, null where all of them went on. ``sentence`` says it in words.
    """

    attempt: int
    earlier: list[AttemptEntry]
    carried_runs: int
    anew: str | None
    sentence: str


class RunContextEntry(TypedDict):
    """Where and when: from the CI's variables, null outside a CI.

    ``complete`` says that the whole suite ran to its end: nothing was deselected, nothing stopped.
    ``shard`` is null where the report is not of a part; ``missing_shards`` are the numbers of those
    that a merged report lacks. ``rerun`` is null for a first attempt.
    """

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
    complete: bool
    shard: "ShardEntry | None"
    missing_shards: list[int]
    rerun: RerunEntry | None


class ShardEntry(TypedDict):
    """Which part of the tests this report is of, and what the others hold.

    ``index`` counts from 1. ``planned_ids`` are the tests of all parts in the order of reports,
    ``parts`` those of each part, ``plan`` the groups of all of them before anything was run.
    ``fingerprint`` digests tests and settings: parts with another one do not belong together.
    ``complete`` says that this part ran to its end, and that no test of the suite was deselected.
    """

    index: int
    count: int
    fingerprint: str
    complete: bool
    planned_ids: list[str]
    parts: list[list[str]]
    plan: list["GroupEntry"]


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


class LabelsEntry(TypedDict):
    """How a judge did on labelled responses: of each verdict the labels, and where it agreed."""

    human_passes: int
    agreed_passes: int
    human_fails: int
    agreed_fails: int


class CalibrationEntry(TypedDict):
    """The calibration that ``judge.calibration`` names.

    ``problem`` says why no pass rate is corrected by it (it is of another judge or prompt, or its
    labels are too few), null where rates are. ``labels`` are those that the judge was asked about.
    """

    file: str
    made: str
    problem: str | None
    labels: LabelsEntry


class JudgeEntry(JudgeTermsEntry):
    """The judge, or with provider "panel" what holds for all judges in ``panel``.

    ``price`` is null where it is unknown, and of a panel, whose judges have their own.
    ``panel_needed`` is how many of them must pass an expectation; without a panel it is null, as
    are ``panel_rule`` and ``agreement``. ``calibration`` is null where none is named.
    """

    panel: list[PanelMemberEntry]
    panel_rule: PanelRule | None
    panel_needed: int | None
    agreement: AgreementEntry | None
    calibration: CalibrationEntry | None


class MessageEntry(TypedDict):
    role: str
    content: Any


class CheckEntry(TypedDict):
    """A check or phrase. ``inside`` is "tools" or "context" where it did not look at answers."""

    kind: str
    wanted: str
    passed: bool
    found: str
    item: int | None
    inside: CheckPlace | None


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


class ReplyEntry(TypedDict):
    """What the answer to one turn (from 1) took; ``cost_usd`` is null where it is not known.

    ``first_token_seconds`` is null for an answer that did not come in pieces.
    """

    turn: int
    status: int | None
    requests: int
    latency_seconds: float
    first_token_seconds: float | None
    cost_usd: float | None


class RunEntry(TypedDict):
    """One run: one line of ``attempts.jsonl``, one element of a test's ``runs``.

    ``response`` is the last answer (scenarios), ``evidence`` the returned value (cases).
    ``replayed`` says that the target was not asked (``run.cache: all``).
    ``captured`` has an entry for each answer of which ``target.capture`` found anything,
    ``replies`` one for each answer. ``reason_code`` says why there is no verdict, null where there
    is one.
    ``cut_chars`` says how many characters of responses were left out for length, ``redacted``
    whether secrets in the evidence were replaced.
    ``first_token_seconds`` is the longest wait for the first piece of a streamed answer,
    ``trace_id`` names the trace of its requests (W3C); null where there is none.
    """

    test: str
    number: int
    outcome: Outcome
    reason: str
    reason_code: ReasonCode | None
    certain: bool
    started: str
    duration_seconds: float
    latency_seconds: float | None
    first_token_seconds: float | None
    trace_id: str | None
    cost_usd: float | None
    target_cost_usd: float | None
    replayed: bool
    response: str | None
    evidence: Any
    transcript: list[MessageEntry]
    captured: list[CapturedEntry]
    replies: list[ReplyEntry]
    cut_chars: int
    redacted: bool
    checks: list[CheckEntry]
    trials: list[TrialEntry]
    votes: list[VoteEntry]
    suspicious: list[SuspicionEntry]
    failure: FailureEntry | None


class LedgerHeading(TypedDict):
    """The first line of ``attempts.jsonl``: what its runs belong to.

    ``ledger`` is the version of the form, ``fingerprint`` a digest of the tests and the settings
    that decide their results, ``seed`` that of the draws, ``started`` when the first run was made.
    """

    ledger: int
    fingerprint: str
    seed: int
    started: str


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


class WaiverEntry(TypedDict):
    """Why a test may fail for a while, who answers for it, the last day, and where that stands."""

    reason: str
    owner: str
    expires: str
    file: str
    line: int | None


class GateEntry(TypedDict):
    """The rule and what it said. ``needed`` is null when no count of passes could meet it.

    ``labels`` are what the gate corrected goes by besides the runs, null for every other.
    ``min_runs`` and ``max_runs`` are null but for the adaptive gate; a test that went on from an
    earlier attempt may have planned more than ``max_runs``. ``anytime`` says that the test may stop
    before all planned runs, so that its interval is one that holds wherever it stops, and not the
    gate.
    """

    kind: str
    threshold: float
    threshold_text: str
    confidence: float
    misses: int | None
    min_runs: int | None
    max_runs: int | None
    labels: LabelsEntry | None
    early_stop: bool
    anytime: bool
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


class DifferenceEntry(TypedDict):
    """Two full samples of one test, and whether their difference is more than chance.

    ``was_passes`` of ``was_judged`` in the baseline, ``passes`` of ``judged`` here: all runs of a
    fixed gate, the first of an adaptive one. ``drop`` is by how much the rate fell (negative: it
    rose), ``drop_interval`` its [low, high]. ``p`` is the chance of such a drop where nothing has
    changed; ``adjusted_p`` allows for the other tests that are listed, ``blocking_p`` for those
    that may fail the step (null: this one may not).
    """

    was_passes: int
    was_judged: int
    passes: int
    judged: int
    drop: float
    drop_interval: list[float]
    p: float
    adjusted_p: float
    blocking_p: float | None


class ChangeEntry(TypedDict):
    """A test held against the same test of the baseline.

    ``difference`` is null where there are no two full samples of one question and one judge.
    ``result``, ``passes`` and ``judged`` are the baseline's, null for a test that it has not;
    ``reasons`` say what keeps the two from being compared. ``let_off``: its gate failed, and
    ``run.fail_on`` regression lets that pass, for it had failed before. ``waiver`` says what became
    of the test's waiver, null where nothing did; "new" and "changed" are weaker rules than before.
    """

    kind: ChangeKind
    let_off: bool
    result: TestOutcome | None
    passes: int | None
    judged: int | None
    reasons: list[str]
    difference: DifferenceEntry | None
    waiver: Literal["new", "changed", "gone"] | None


class RemovedEntry(TypedDict):
    """A test of the baseline that is no longer there."""

    id: str
    name: str
    result: TestOutcome


class TogetherEntry(TypedDict):
    """The compared tests of one criterion together, or (``criterion`` null) of the whole suite.

    ``significant`` says that they got worse by more than chance; ``blocking_p`` is compared with
    ``run.alpha`` for that, ``mid_p`` is a less strict figure beside ``p``. ``detectable_drop`` is
    the fall of all their rates that would have been seen four times in five (roughly), null where
    not even the largest would.
    """

    criterion: str | None
    tests: int
    was_passes: int
    was_judged: int
    passes: int
    judged: int
    p: float
    mid_p: float
    blocking_p: float
    significant: bool
    detectable_drop: float | None


WeakerKind = Literal[
    "threshold",
    "runs",
    "gate",
    "check",
    "phrase",
    "expectation",
    "waiver",
    "advisory",
    "skipped",
    "judge",
]


class WeakerEntry(TypedDict):
    """A rule that asks for less than in the baseline, and of which ``tests`` (by id; judge: none).

    ``was`` and ``now`` are the two rules in words, ``now`` empty where it was dropped.
    """

    kind: WeakerKind
    was: str
    now: str
    tests: list[str]


class BaselineEntry(TypedDict):
    """The earlier report that this one is held against.

    ``source`` says where it was looked for, ``problem`` why there is none to be used (the rest is
    then null or empty). ``age_seconds`` lies between the starts of both. ``note`` says what could
    not be compared, such as removed tests where only a part of the suite ran. ``suite`` is null
    where no test could be tested for chance, ``alpha`` is how often a false alarm may be.
    """

    source: str
    problem: str | None
    commit: str | None
    url: str | None
    started: str | None
    age_seconds: float | None
    note: str | None
    removed: list[RemovedEntry]
    weaker: list[WeakerEntry]
    alpha: float
    suite: TogetherEntry | None
    criteria: list[TogetherEntry]


class EarlierResultEntry(TypedDict):
    """What a test came to in an earlier attempt."""

    attempt: int
    result: TestOutcome
    passes: int
    judged: int


class PrefixEntry(TypedDict):
    """The first ``runs`` runs of an adaptive test, which it makes in any case: a full sample."""

    runs: int
    judged: int
    passes: int


class CorrectedEntry(TypedDict):
    """The pass rate without the judge's own error, as far as labels tell it, and its interval.

    Approximate, two-sided at the gate's confidence.
    """

    rate: float
    interval: list[float]


class TestEntry(TypedDict):
    """One test. ``kind`` is the scenario's kind, or "case". ``anchor`` is its HTML id, unique.

    Scenarios have turns, history and expected, with the quoted phrases of each expectation in
    ``phrases``; cases have a requirement. ``interval`` is
    [low, high]; ``troubles`` are the commonest reasons of error runs, most runs first, ``reasons``
    count all runs without a verdict by their codes; ``runs``
    stands in ``report.json`` only (in memory runs stay on disk); ``suspicious`` counts runs with
    text addressed to the judge, ``replayed`` those whose conversation came from the cache.
    A test that was decided before all its planned runs is ``stopped``, ``stopped_after`` so many:
    passes, fails and errors are of those alone, ``uncounted`` runs have later numbers and were
    under way by then, ``not_needed`` ones were not made. ``waiver`` is the one in force, whatever
    the result; ``row`` is where the row of a dataset stands that filled the scenario.
    ``prefix`` is null where the gate is not adaptive, or one of its first runs was not made.
    ``fingerprint`` digests all that decides how its runs come out; ``earlier`` are its results in
    earlier attempts, the oldest first, and ``carried_runs`` counts the runs taken over from them.
    ``certain_fails`` of the fails were found by checks, without a judge; ``corrected`` is null
    where no calibration of the judge allows it, and of a test that may stop early.
    """

    id: str
    fingerprint: str
    anchor: str
    name: str
    kind: str
    result: TestOutcome
    advisory: bool
    skip_reason: str | None
    waiver: WaiverEntry | None
    file: str
    line: int | None
    row: str | None
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
    certain_fails: int
    errors: int
    not_run: int
    stopped: bool
    stopped_after: int | None
    not_needed: int
    uncounted: int
    prefix: PrefixEntry | None
    suspicious: int
    replayed: int
    rate: float | None
    interval: list[float]
    corrected: CorrectedEntry | None
    gate: GateEntry
    troubles: list[TroubleEntry]
    reasons: list[ReasonCountEntry]
    latency: LatencyEntry | None
    first_token: LatencyEntry | None
    cost_usd: float | None
    duration_seconds: float
    change: ChangeEntry | None
    regated_from: str | None
    earlier: list[EarlierResultEntry]
    carried_runs: int
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
    """The whole report. ``headline`` is the result in one sentence.

    ``baseline`` is null where the report is held against none.
    """

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
    baseline: BaselineEntry | None
    groups: list[GroupEntry]
