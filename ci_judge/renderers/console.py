"""The report as plain lines for a terminal or a CI log: result first, then why."""

from collections.abc import Iterator
from typing import Final

from ci_judge.model.document import GroupEntry, JudgeEntry, ReportDocument, RunEntry, TestEntry
from ci_judge.protocols import RunSource
from ci_judge.renderers.attempt_history import (
    MOST_CHANGED,
    changed_tests,
    history_of,
    kept_words,
    result_words,
)
from ci_judge.renderers.budget_words import budget_words, reason_words
from ci_judge.renderers.calibration_words import calibration_line, corrected_words
from ci_judge.renderers.chance import comparison_lines
from ci_judge.renderers.changes import MOST_NAMED, baseline_line, change_words
from ci_judge.renderers.item_results import CERTAIN, item_results
from ci_judge.renderers.next_steps import next_step, points_to_a_warning
from ci_judge.renderers.panel_words import panel_lines, vote_lines
from ci_judge.renderers.shown_runs import first_bad_run, kind_of
from ci_judge.renderers.stopped_tests import passes_of, saved_words, stop_words
from ci_judge.renderers.suspicions import (
    STANDS,
    first_suspicious_run,
    suspicion_lines,
    suspicious_count,
)
from ci_judge.renderers.troubles import trouble_lines
from ci_judge.renderers.waivers import waiver_words
from ci_judge.renderers.wording import (
    MARKS,
    WORDS,
    all_in_order,
    counted,
    duration,
    forgiven,
    from_the_cache,
    interval,
    mostly_open,
    rate_words,
    standing,
    summary_cost,
    verdict,
    without_verdict,
)
from ci_judge.visible_text import one_line

LINE_CHARS: Final = 400
_NAME_CHARS: Final = 120
_TO_EXPLAIN: Final = frozenset({"failed", "error", "waived", "advisory"})


def render(document: ReportDocument, runs: RunSource) -> Iterator[str]:
    """Yield lines, each with its line end. Paths of the reports are the caller's to print."""
    for line in _lines(document, runs):
        yield f"{line}\n"


def render_briefly(document: ReportDocument, runs: RunSource) -> Iterator[str]:
    """Yield the gating tests that failed or are undecided, with why and what next; the result."""
    for test in all_in_order(document):
        if standing(test) in {"failed", "error"}:
            yield f"{test_line(test, name=test['id'])}\n"
            yield from (f"{line}\n" for line in _why(test, runs))
    end = (*_named_warnings(document), _headline(document), *_attempts(document))
    yield from (f"{line}\n" for line in end)


def _named_warnings(document: ReportDocument) -> Iterator[str]:
    """Yield the warnings where the advice about a test would else point to nothing."""
    if any(map(points_to_a_warning, all_in_order(document))):
        yield from _warnings(document)


def _lines(document: ReportDocument, runs: RunSource) -> Iterator[str]:
    for group in document["groups"]:
        yield f"• {one_line(group['title'], limit=_NAME_CHARS)}"
        yield from group_lines(group, runs)
        yield ""
    yield from result_lines(document)


def group_lines(group: GroupEntry, runs: RunSource) -> Iterator[str]:
    """Yield the lines of one group's tests, without line ends and without its title."""
    if not group["tests"]:
        yield "  no test of this run covers this criterion"
    for test in group["tests"]:
        yield f"  {test_line(test, name=test['name'])}"
        told = _why(test, runs) if standing(test) in _TO_EXPLAIN else _errors(test)
        yield from (f"  {line}" for line in (*told, *_suspicious(test, runs)))


def result_lines(document: ReportDocument) -> Iterator[str]:
    """Yield warnings and the result, without line ends."""
    yield from _warnings(document)
    if (judge := document["judge"]) and judge["notice"]:
        yield f"note: {one_line(judge['notice'], limit=LINE_CHARS)}"
    if judge:
        yield from (one_line(line, limit=LINE_CHARS) for line in panel_lines(judge))
        yield from _calibration(judge)
    yield from filter(None, [reason_words(document["summary"])])
    if compared := baseline_line(document):
        yield one_line(compared, limit=LINE_CHARS)
    yield from (one_line(line, limit=LINE_CHARS) for line in comparison_lines(document))
    yield from _removed(document)
    yield from _changed(document)
    yield f"{_headline(document)}"
    yield from _attempts(document)
    yield _totals(document)


def _warnings(document: ReportDocument) -> Iterator[str]:
    return (f"warning: {one_line(each, limit=LINE_CHARS)}" for each in document["warnings"])


def _calibration(judge: JudgeEntry) -> Iterator[str]:
    if judge["calibration"] and judge["calibration"]["problem"] is None:  # else it is a warning
        yield f"judge {one_line(calibration_line(judge), limit=LINE_CHARS)}"


def _removed(document: ReportDocument) -> Iterator[str]:
    removed = document["baseline"]["removed"] if document["baseline"] else []
    for test in removed[:MOST_NAMED]:
        yield f"  removed: {one_line(test['id'], limit=_NAME_CHARS)}"
    if len(removed) > MOST_NAMED:
        yield f"  and {len(removed) - MOST_NAMED:,} more removed"


def _changed(document: ReportDocument) -> Iterator[str]:
    tests = changed_tests(document)
    for test in tests[:MOST_CHANGED]:
        name = one_line(test["id"], limit=_NAME_CHARS)
        yield f"changed between attempts: {name}: {result_words(test)}"
    if len(tests) > MOST_CHANGED:
        yield f"  and {len(tests) - MOST_CHANGED:,} more changed"


def _attempts(document: ReportDocument) -> Iterator[str]:
    history = history_of(document)
    if history is not None:
        yield history.line
        if history.sentence.strip():
            yield f"note: {one_line(history.sentence, limit=LINE_CHARS)}"


def test_line(test: TestEntry, *, name: str) -> str:
    """One line a test: mark, name, passes of planned, rate and interval, what the gate needs."""
    where = standing(test)
    head = f"{MARKS[where]} {one_line(name, limit=_NAME_CHARS)}"
    if where == "skipped":
        reason = one_line(test["skip_reason"] or "no reason given", limit=LINE_CHARS)
        return f"{head}  skipped: {reason}"
    parts = [passes_of(test)]
    if mostly_open(test):
        parts.append(without_verdict(test))
    elif test["gate"]["anytime"]:
        stop, range_ = stop_words(test), f"interval {interval(test)}"
        parts.append(f"{stop} ({range_})" if stop else range_)
    elif test["rate"] is not None and test["planned"] > 1:
        parts.append(f"{rate_words(test)} (interval {interval(test)})")
    parts += filter(None, [corrected_words(test)])
    parts.append(f"needs {one_line(test['gate']['needs'], limit=_NAME_CHARS)}")
    if where in {"error", "waived", "advisory"}:
        parts.append(WORDS[where])
    if changed := change_words(test):
        parts.append(one_line(changed, limit=LINE_CHARS))
    return f"{head}  {', '.join(parts)}"


def _why(test: TestEntry, runs: RunSource) -> Iterator[str]:
    yield f"    gate: {one_line(test['gate']['sentence'], limit=LINE_CHARS)}"
    if waiver := waiver_words(test):
        yield f"    waiver: {one_line(waiver, limit=LINE_CHARS)}"
    if kept := kept_words(test):
        yield f"    earlier attempts: {kept}"
    yield from _errors(test)
    run = first_bad_run(test, runs)
    if run and not (test["troubles"] and kind_of(run) == "error"):
        certain = f" ({CERTAIN})" if run["certain"] else ""
        yield f"    run {run['number']}: {one_line(run['reason'], limit=LINE_CHARS)}{certain}"
        yield from _items(test, run)
    yield from _votes(run)
    yield f"    next: {next_step(test)}"
    yield f"    at {one_line(test['file'], limit=LINE_CHARS)}{_line_number(test)}"
    if test["row"] is not None:
        yield f"    row at {one_line(test['row'], limit=LINE_CHARS)}"


def _errors(test: TestEntry) -> Iterator[str]:
    return (f"    errors: {one_line(str(line), limit=LINE_CHARS)}" for line in trouble_lines(test))


def _votes(run: RunEntry | None) -> Iterator[str]:
    for line in vote_lines(run) if run else ():
        yield f"    votes: {one_line(line, limit=LINE_CHARS)}"


def _items(test: TestEntry, run: RunEntry) -> Iterator[str]:
    for item in item_results(test, run):
        text = one_line(item.text, limit=_NAME_CHARS)
        yield f"      expectation {item.number} {item.state}: {text}"


def _suspicious(test: TestEntry, runs: RunSource) -> Iterator[str]:
    run = first_suspicious_run(test, runs)
    if run:
        found = one_line("; ".join(map(str, suspicion_lines(run))), limit=LINE_CHARS)
        yield f"    suspicious: {suspicious_count(test['suspicious'])}; {STANDS}"
        yield f"      run {run['number']}: {found}"


def _line_number(test: TestEntry) -> str:
    return "" if test["line"] is None else f":{test['line']}"


def _headline(document: ReportDocument) -> str:
    marks = {"passed": MARKS["passed"], "failed": MARKS["failed"]}
    mark = "!" if forgiven(document) else marks.get(document["status"], "!")
    return f"{mark} {verdict(document)}"


def _totals(document: ReportDocument) -> str:
    summary = document["summary"]
    counts = {
        "passed": summary["passed"],
        "failed": summary["failed"],
        "undecided": summary["errors"],
        "waived": summary["waived"],
        "skipped": summary["skipped"],
        "advisory": summary["advisory"],
    }
    suspicious = summary["runs_suspicious"]
    shown = [f"{count} {word}" for word, count in counts.items() if count]
    return ", ".join(
        [
            *shown,
            f"{summary['runs_made']:,} of {counted(summary['runs_planned'], 'run')}",
            *filter(None, [saved_words(summary)]),
            *([counted(suspicious, "suspicious run")] if suspicious else []),
            *filter(None, [from_the_cache(document)]),
            *([f"cost {summary_cost(summary)}"] if summary_cost(summary) else []),
            *([f"budget {budget_words(summary)}"] if summary["budget"] else []),
            f"seed {document['run']['seed']}",
            duration(summary["duration_seconds"]),
        ]
    )
