"""The report as plain lines for a terminal or a CI log: result first, then why."""

from collections.abc import Iterator
from typing import Final

from ci_judge.model.document import GroupEntry, ReportDocument, TestEntry
from ci_judge.protocols import RunSource
from ci_judge.renderers.shown_runs import first_bad_run
from ci_judge.renderers.wording import (
    MARKS,
    WORDS,
    counted,
    duration,
    interval,
    percent,
    standing,
    verdict,
)
from ci_judge.visible_text import one_line

LINE_CHARS: Final = 400
_NAME_CHARS: Final = 120


def render(document: ReportDocument, runs: RunSource) -> Iterator[str]:
    """Yield lines, each with its line end. Paths of the reports are the caller's to print."""
    for line in _lines(document, runs):
        yield f"{line}\n"


def _lines(document: ReportDocument, runs: RunSource) -> Iterator[str]:
    for group in document["groups"]:
        yield from _group(group, runs)
        yield ""
    for warning in document["warnings"]:
        yield f"warning: {one_line(warning, limit=LINE_CHARS)}"
    if (judge := document["judge"]) and judge["notice"]:
        yield f"note: {one_line(judge['notice'], limit=LINE_CHARS)}"
    yield f"{_headline(document)}"
    yield _totals(document)


def _group(group: GroupEntry, runs: RunSource) -> Iterator[str]:
    yield f"• {one_line(group['title'], limit=_NAME_CHARS)}"
    if not group["tests"]:
        yield "  nothing covers this criterion"
    for test in group["tests"]:
        yield f"  {test_line(test)}"
        if standing(test) in {"failed", "error", "advisory"}:
            yield from _why(test, runs)


def test_line(test: TestEntry) -> str:
    """One line a test: mark, name, passes of planned, rate and interval, what the gate needs."""
    where = standing(test)
    name = one_line(test["name"], limit=_NAME_CHARS)
    if where == "skipped":
        reason = one_line(test["skip_reason"] or "no reason given", limit=LINE_CHARS)
        return f"{MARKS[where]} {name}  skipped: {reason}"
    parts = [f"{test['passes']} of {test['planned']}"]
    if test["rate"] is not None:
        parts.append(f"{percent(test['rate'])} ({interval(test)})")
    parts.append(f"needs {one_line(test['gate']['needs'], limit=_NAME_CHARS)}")
    if where in {"error", "advisory"}:
        parts.append(WORDS[where])
    return f"{MARKS[where]} {name}  {', '.join(parts)}"


def _why(test: TestEntry, runs: RunSource) -> Iterator[str]:
    yield f"      gate: {one_line(test['gate']['sentence'], limit=LINE_CHARS)}"
    if run := first_bad_run(test, runs):
        reason = one_line(run["reason"], limit=LINE_CHARS)
        yield f"      run {run['number']}: {reason}"
    yield f"      at {one_line(test['file'], limit=LINE_CHARS)}{_line_number(test)}"


def _line_number(test: TestEntry) -> str:
    return "" if test["line"] is None else f":{test['line']}"


def _headline(document: ReportDocument) -> str:
    marks = {"passed": MARKS["passed"], "failed": MARKS["failed"]}
    return f"{marks.get(document['status'], '!')} {verdict(document)}"


def _totals(document: ReportDocument) -> str:
    summary = document["summary"]
    counts = {
        "passed": summary["passed"],
        "failed": summary["failed"],
        "undecided": summary["errors"],
        "skipped": summary["skipped"],
        "advisory": summary["advisory"],
    }
    shown = [f"{count} {word}" for word, count in counts.items() if count]
    return ", ".join(
        [
            *shown,
            f"{summary['runs_made']:,} of {counted(summary['runs_planned'], 'run')}",
            f"seed {document['run']['seed']}",
            duration(summary["duration_seconds"]),
        ]
    )
