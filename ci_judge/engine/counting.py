"""Counts the runs of one test as they end, and nothing else of them."""

from array import array
from collections import Counter
from collections.abc import Iterator

from ci_judge.model.evidence import CaseValue, Conversation
from ci_judge.model.judging import ERROR_OUTCOMES, Outcome, Run
from ci_judge.model.results import Latency, Tally, Trouble
from ci_judge.rules.pricing import run_cost, total

REASON_CHARS = 500
MOST_REASONS = 100
SHOWN_REASONS = 3


class RunCounter:
    """The tally of a test while its runs come in, in any order."""

    def __init__(self, planned: int) -> None:
        self.planned = planned
        self._passes = 0
        self._fails = 0
        self._errors = 0
        self._suspicious = 0
        self._replayed = 0
        self._cost_usd: float | None = 0.0
        self._ended = bytearray(planned)
        self._reasons: Counter[tuple[Outcome, str]] = Counter()
        self._latencies = array("d")
        self._first_start: float | None = None
        self._last_end = 0.0

    def add(self, run: Run) -> None:
        self._ended[run.number - 1] = True
        if run.outcome == "pass":
            self._passes += 1
        elif run.outcome == "fail":
            self._fails += 1
        elif run.outcome in ERROR_OUTCOMES:
            self._errors += 1
            self._remember(run)
        self._suspicious += bool(run.suspicious)
        self._replayed += isinstance(run.evidence, Conversation) and run.evidence.replayed
        self._cost_usd = total((self._cost_usd, run_cost(run).usd))
        self._latencies.extend(latencies_of(run))
        start = run.started_at
        self._first_start = start if self._first_start is None else min(start, self._first_start)
        self._last_end = max(self._last_end, start + run.duration_seconds)

    @property
    def complete(self) -> bool:
        return self._passes + self._fails + self._errors >= self.planned

    def _remember(self, run: Run) -> None:
        """Count a reason; once there are many different ones, new ones are not kept."""
        key = (run.outcome, run.reason[:REASON_CHARS])
        if key in self._reasons or len(self._reasons) < MOST_REASONS:
            self._reasons[key] += 1

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """Give the commonest reasons of error runs, most runs first."""
        return tuple(
            Trouble(outcome=outcome, reason=reason, runs=runs)
            for (outcome, reason), runs in self._reasons.most_common(SHOWN_REASONS)
        )

    def missing(self) -> Iterator[int]:
        """Give the numbers of the planned runs that have not ended."""
        return (number for number, ended in enumerate(self._ended, start=1) if not ended)

    @property
    def tally(self) -> Tally:
        made = self._passes + self._fails + self._errors
        return Tally(
            planned=self.planned,
            passes=self._passes,
            fails=self._fails,
            errors=self._errors,
            not_run=self.planned - made,
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
        if not self._latencies:
            return None
        ranked = sorted(self._latencies)
        return Latency(p50=_nearest_rank(ranked, 50), p95=_nearest_rank(ranked, 95), max=ranked[-1])

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


def _nearest_rank(ranked: list[float], percent: int) -> float:
    """Nearest-rank percentile of a sorted, non-empty list."""
    return ranked[-(-len(ranked) * percent // 100) - 1]
