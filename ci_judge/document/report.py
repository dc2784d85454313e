"""The document around the runs: header, summary, groups, tests."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from ci_judge.document.corrections import labels_entry
from ci_judge.document.run_entries import USD_DIGITS, iso_time, usd
from ci_judge.model.document import (
    SCHEMA_VERSION,
    BudgetEntry,
    GateEntry,
    GroupEntry,
    JudgeEntry,
    LatencyEntry,
    MessageEntry,
    PrefixEntry,
    ReasonCountEntry,
    ReportDocument,
    RunContextEntry,
    Status,
    SummaryEntry,
    TestEntry,
    WaiverEntry,
)
from ci_judge.model.reasons import ReasonCode
from ci_judge.model.results import GateResult, Latency, Prefix, TestResult
from ci_judge.model.suite import Case, GateKind, GateRule, Scenario, Suite, Waiver
from ci_judge.rules.rounding import written


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What stands above the tests. ``started`` and ``finished`` are seconds since the epoch."""

    version: str
    status: Status
    exit_code: int
    headline: str
    context: dict[str, Any]
    seed: int
    started: float
    finished: float
    interrupted: bool
    complete: bool
    settings: dict[str, Any]
    judge: JudgeEntry | None
    warnings: tuple[str, ...]
    target_requests: int
    judge_requests: int
    judge_cached: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    known_cost_usd: float
    target_cost_usd: float | None
    budget: BudgetEntry | None


def build_document(header: Header, suite: Suite, results: Sequence[TestResult]) -> ReportDocument:
    """Put header, summary and groups together. Runs are added where the document is written."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "ci-judge", "version": header.version},
        "status": header.status,
        "exit_code": header.exit_code,
        "headline": header.headline,
        "summary": _summary(header, results),
        "run": _run_context(header),
        "settings": header.settings,
        "judge": header.judge,
        "warnings": list(header.warnings),
        "baseline": None,
        "groups": group_entries(suite, results),
    }


def _run_context(header: Header) -> RunContextEntry:
    context = header.context
    return {
        "commit": context.get("commit"),
        "branch": context.get("branch"),
        "repository": context.get("repository"),
        "pull_request": context.get("pull_request"),
        "url": context.get("url"),
        "attempt": context.get("attempt"),
        "seed": header.seed,
        "started": iso_time(header.started),
        "finished": iso_time(header.finished),
        "interrupted": header.interrupted,
        "complete": header.complete,
        "shard": None,
        "missing_shards": [],
        "rerun": None,
    }


def _summary(header: Header, results: Sequence[TestResult]) -> SummaryEntry:
    gating = [result for result in results if not result.test.advisory]
    passes, fails = (
        sum(result.tally.passes for result in results),
        sum(result.tally.fails for result in results),
    )
    return {
        "tests": len(results),
        "passed": _count(gating, "passed"),
        "failed": _count(gating, "failed"),
        "errors": _count(gating, "error"),
        "waived": _count(gating, "waived"),
        "skipped": _count(gating, "skipped"),
        "advisory": len(results) - len(gating),
        "regressions": None,
        "runs_planned": sum(_planned(result) for result in results),
        "runs_made": sum(result.tally.made for result in results),
        "runs_passed": passes,
        "runs_failed": fails,
        "runs_errors": sum(result.tally.errors for result in results),
        "runs_suspicious": sum(result.suspicious for result in results),
        "runs_replayed": sum(result.replayed for result in results),
        "saved_by_early_stop": sum(result.tally.not_needed for result in results),
        "pass_rate": pass_rate(
            passes, fails, anytime=any(result.gate.anytime for result in results)
        ),
        "target_requests": header.target_requests,
        "judge_requests": header.judge_requests,
        "judge_cached": header.judge_cached,
        "input_tokens": header.input_tokens,
        "output_tokens": header.output_tokens,
        "cost_usd": usd(header.cost_usd),
        "known_cost_usd": round(header.known_cost_usd, USD_DIGITS),
        "target_cost_usd": usd(header.target_cost_usd),
        "budget": header.budget,
        "reasons": _reasons(results),
        "duration_seconds": round(max(0.0, header.finished - header.started), 3),
    }


def _reasons(results: Sequence[TestResult]) -> list[ReasonCountEntry]:
    """Count the runs without a verdict by their reasons, most runs first."""
    counted: Counter[ReasonCode] = Counter()
    for result in results:
        counted.update({reason.code: reason.runs for reason in result.reasons})
    return [{"code": code, "runs": runs} for code, runs in counted.most_common()]


def pass_rate(passes: int, fails: int, *, anytime: bool) -> float | None:
    """Give the share of passes; None without any, and where tests may have stopped early."""
    return round(passes / (passes + fails), 6) if passes + fails and not anytime else None


def _planned(result: TestResult) -> int:
    return 0 if result.test.skip is not None else result.tally.planned


def _count(results: Sequence[TestResult], outcome: str) -> int:
    return sum(result.gate.outcome == outcome for result in results)


def group_entries(suite: Suite, results: Sequence[TestResult]) -> list[GroupEntry]:
    """Make the groups of a report: every criterion, then the case files that hold a result."""
    by_group: dict[str, list[TestEntry]] = {}
    anchors = Anchors()
    for result in results:
        entry = _test(result, anchors.of(result.test.id))
        by_group.setdefault(result.test.group, []).append(entry)
    criteria: list[GroupEntry] = [
        {
            "kind": "criterion",
            "id": criterion.id,
            "title": criterion.title,
            "description": criterion.description,
            "file": criterion.place.file,
            "line": criterion.place.line,
            "tests": by_group.get(criterion.id, []),
        }
        for criterion in suite.criteria
    ]
    files = dict.fromkeys(result.test.group for result in results if isinstance(result.test, Case))
    return [*criteria, *(_case_group(file, by_group[file]) for file in files)]


def _case_group(file: str, tests: list[TestEntry]) -> GroupEntry:
    return {
        "kind": "cases",
        "id": file,
        "title": file,
        "description": "",
        "file": file,
        "line": 1,
        "tests": tests,
    }


class Anchors:
    """HTML ids: short, readable, unique over the document."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, test_id: str) -> str:
        kept = "".join(char if char.isascii() and char.isalnum() else "-" for char in test_id)
        base = "test-" + "-".join(part for part in kept.lower().split("-") if part)
        anchor, number = base, 2
        while anchor in self._taken:
            anchor, number = f"{base}-{number}", number + 1
        self._taken.add(anchor)
        return anchor


def _prefix_entry(prefix: Prefix | None) -> PrefixEntry | None:
    if prefix is None:
        return None
    return {"runs": prefix.runs, "judged": prefix.judged, "passes": prefix.passes}


class _Subject(TypedDict):
    """The keys in which scenarios and cases differ."""

    kind: str
    turns: list[Any]
    history: list[MessageEntry]
    expected: list[str]
    phrases: list[list[str]]
    checks: list[str]
    requirement: str | None


def _test(result: TestResult, anchor: str) -> TestEntry:
    test, tally, gate = result.test, result.tally, result.gate
    subject = _subject(test)
    return {
        "id": test.id,
        "fingerprint": test.fingerprint,
        "anchor": anchor,
        "name": test.name,
        "result": gate.outcome,
        "advisory": test.advisory,
        "skip_reason": test.skip,
        "waiver": _waiver_entry(test.waiver),
        "file": test.place.file,
        "line": test.place.line,
        "row": str(test.row.place) if isinstance(test, Scenario) and test.row else None,
        "tags": sorted(test.tags),
        "kind": subject["kind"],
        "turns": subject["turns"],
        "history": subject["history"],
        "expected": subject["expected"],
        "phrases": subject["phrases"],
        "checks": subject["checks"],
        "requirement": subject["requirement"],
        "planned": tally.planned,
        "made": tally.made,
        "judged": tally.judged,
        "passes": tally.passes,
        "fails": tally.fails,
        "certain_fails": tally.certain,
        "errors": tally.errors,
        "not_run": tally.not_run,
        "stopped": tally.stopped,
        "stopped_after": tally.counted if tally.stopped else None,
        "not_needed": tally.not_needed,
        "uncounted": tally.uncounted,
        "prefix": _prefix_entry(result.prefix),
        "suspicious": result.suspicious,
        "replayed": result.replayed,
        "rate": None if gate.rate is None else round(gate.rate, 6),
        "interval": [round(gate.interval.low, 6), round(gate.interval.high, 6)],
        "corrected": None,
        "gate": gate_entry(test.gate, gate),
        "troubles": [
            {"outcome": trouble.outcome, "reason": trouble.reason, "runs": trouble.runs}
            for trouble in result.troubles
        ],
        "reasons": [{"code": reason.code, "runs": reason.runs} for reason in result.reasons],
        "latency": _latency_entry(result.latency),
        "first_token": _latency_entry(result.first_token),
        "cost_usd": usd(result.cost_usd),
        "duration_seconds": round(result.duration_seconds, 3),
        "change": None,
        "regated_from": None,
        "earlier": [],
        "carried_runs": 0,
    }


def _subject(test: Scenario | Case) -> _Subject:
    """Give the keys in which scenarios and cases differ."""
    if isinstance(test, Case):
        return {
            "kind": "case",
            "turns": [],
            "history": [],
            "expected": [],
            "phrases": [],
            "checks": [],
            "requirement": test.requirement,
        }
    return {
        "kind": test.kind,
        "turns": list(test.turns),
        "history": [{"role": past.role, "content": past.content} for past in test.history],
        "expected": [expectation.text for expectation in test.expectations],
        "phrases": [list(expectation.phrases) for expectation in test.expectations],
        "checks": [str(check) for check in test.checks],
        "requirement": None,
    }


def _waiver_entry(waiver: Waiver | None) -> WaiverEntry | None:
    if waiver is None:
        return None
    return {
        "reason": waiver.reason,
        "owner": waiver.owner,
        "expires": waiver.expires,
        "file": waiver.place.file,
        "line": waiver.place.line,
    }


def gate_entry(rule: GateRule, gate: GateResult) -> GateEntry:
    """Make an entry of a gate and of what it said."""
    return {
        "kind": rule.kind.value,
        "threshold": float(rule.threshold),
        "threshold_text": written(rule.threshold),
        "confidence": float(rule.confidence),
        "misses": rule.misses if rule.kind is GateKind.MISSES else None,
        "min_runs": rule.min_runs,
        "max_runs": rule.configured_runs if rule.kind is GateKind.ADAPTIVE else None,
        "labels": None if rule.labels is None else labels_entry(rule.labels),
        "early_stop": rule.early_stop,
        "anytime": gate.anytime,
        "needed": gate.needed,
        "needs": gate.needs,
        "decision": gate.kind.value,
        "sentence": gate.sentence,
        "more_runs": gate.more_runs,
    }


def _latency_entry(latency: Latency | None) -> LatencyEntry | None:
    if latency is None:
        return None
    return {
        "p50": round(latency.p50, 6),
        "p95": round(latency.p95, 6),
        "max": round(latency.max, 6),
    }
