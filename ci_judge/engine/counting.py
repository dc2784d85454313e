"""Adds up what the runs of one test took and cost as they end, and nothing else of them."""

from array import array
from collections import Counter

from ci_judge.model.evidence import CaseValue, Conversation
from ci_judge.model.judging import ERROR_OUTCOMES, Outcome, Run
from ci_judge.model.reasons import ReasonCode, ReasonCount
from ci_judge.model.results import Latency, Trouble
from ci_judge.rules.pricing import run_cost, total
from ci_judge.rules.reasons import reason_code

REASON_CHARS = 500
MOST_REASONS = 100
SHOWN_REASONS = 3


class RunCounter:
    """What the runs of a test add up to while they come in, in any order."""

    def __init__(self) -> None:
        self._suspicious = 0
        self._replayed = 0
        self._cost_usd: float | None = 0.0
        self._reasons: Counter[tuple[Outcome, str]] = Counter()
        self._codes: Counter[ReasonCode] = Counter()
        self._latencies = array("d")
        self._first_tokens = array("d")
        self._first_start: float | None = None
        self._last_end = 0.0

    def add(self, run: Run) -> None:
        if run.outcome in ERROR_OUTCOMES:
            self._remember(run)
        self._suspicious += bool(run.suspicious)
        self._replayed += isinstance(run.evidence, Conversation) and run.evidence.replayed
        self._cost_usd = total((self._cost_usd, run_cost(run).usd))
        self._latencies.extend(latencies_of(run))
        self._first_tokens.extend(first_tokens_of(run))
        start = run.started_at
        self._first_start = start if self._first_start is None else min(start, self._first_start)
        self._last_end = max(self._last_end, start + run.duration_seconds)

    def _remember(self, run: Run) -> None:
        """Count a reason; once there are many different ones, new ones are not kept."""
        key = (run.outcome, run.reason[:REASON_CHARS])
        if key in self._reasons or len(self._reasons) < MOST_REASONS:
            self._reasons[key] += 1

    def count_reason(self, run: Run) -> None:
        """Count why a run that was recorded, made or not, has no verdict."""
        code = reason_code(run)
        if code is not None:
            self._codes[code] += 1

    @property
    def reasons(self) -> tuple[ReasonCount, ...]:
        """Give why runs have no verdict, most runs first."""
        return tuple(ReasonCount(code=code, runs=runs) for code, runs in self._codes.most_common())

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """Give the commonest reasons of error runs, most runs first."""
        return tuple(
            Trouble(outcome=outcome, reason=reason, runs=runs)
            for (outcome, reason), runs in self._reasons.most_common(SHOWN_REASONS)
        )

    @property
    def suspicious(self) -> int:
        """How many runs hold text addressed to the judge."""
        return self._suspicious

    @property
    def replayed(self) -> int:
        """How many runs were judged on a recorded conversation."""
        return self._replayed

    @property
    def cost_usd(self) -> float | None:
        """What the runs cost so far, None as soon as one of them is unknown."""
        return self._cost_usd

    @property
    def latency(self) -> Latency | None:
        return _latency(self._latencies)

    @property
    def first_token(self) -> Latency | None:
        """How long the first pieces of streamed answers took."""
        return _latency(self._first_tokens)

    @property
    def duration_seconds(self) -> float:
        """From the start of the first run to the end of the last."""
        return 0.0 if self._first_start is None else self._last_end - self._first_start


def latencies_of(run: Run) -> list[float]:
    """Give the seconds of each answer of a run; none where there is no evidence."""
    match run.evidence:
        case Conversation(replies=replies):
            return [reply.latency_seconds for reply in replies]
        case CaseValue(latency_seconds=seconds):
            return [seconds]
        case None:
            return []


def first_tokens_of(run: Run) -> list[float]:
    """Give the seconds to the first piece of each streamed answer of a run."""
    replies = run.evidence.replies if isinstance(run.evidence, Conversation) else ()
    waits = (reply.first_token_seconds for reply in replies)
    return [wait for wait in waits if wait is not None]


def _latency(seconds: "array[float]") -> Latency | None:
    if not seconds:
        return None
    ranked = sorted(seconds)
    return Latency(p50=_nearest_rank(ranked, 50), p95=_nearest_rank(ranked, 95), max=ranked[-1])


def _nearest_rank(ranked: list[float], percent: int) -> float:
    """Nearest-rank percentile of a sorted, non-empty list."""
    return ranked[-(-len(ranked) * percent // 100) - 1]
