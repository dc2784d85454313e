"""The report as GitHub's Markdown: comment, step summary and file. Counts first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ci_judge.model.document import ReportDocument, RunEntry, TestEntry
from ci_judge.protocols import RunSource
from ci_judge.renderers.attempt_history import kept_words
from ci_judge.renderers.budget_words import budget_words, reason_words
from ci_judge.renderers.calibration_words import calibration_line, corrected_words
from ci_judge.renderers.changes import change_words, was
from ci_judge.renderers.item_results import CERTAIN, item_results
from ci_judge.renderers.markdown_attempts import attempts_text, changed_blocks
from ci_judge.renderers.markdown_baseline import baseline_blocks, weaker_blocks
from ci_judge.renderers.markdown_fit import Block, Fallback, whole
from ci_judge.renderers.markdown_text import cell, code_span, fenced, prose
from ci_judge.renderers.markdown_waivers import waiver_blocks
from ci_judge.renderers.next_steps import next_step
from ci_judge.renderers.panel_words import panel_lines, vote_lines
from ci_judge.renderers.shown_runs import clipped, first_bad_run, kind_of, passages
from ci_judge.renderers.stopped_tests import NO_RATE, passes_of, saved_words, stop_words
from ci_judge.renderers.suspicions import (
    STANDS,
    first_suspicious_run,
    suspicion_lines,
    suspicious_count,
    suspicious_tests,
)
from ci_judge.renderers.troubles import trouble_lines
from ci_judge.renderers.waivers import waiver_words
from ci_judge.renderers.wording import (
    Standing,
    all_in_order,
    counted,
    duration,
    forgiven,
    from_the_cache,
    interval,
    mostly_open,
    rate_words,
    short_sha,
    shown_names,
    standing,
    summary_cost,
    text_bar,
    verdict,
    web_address,
    without_verdict,
)

FULL_CHARS: Final = 4000
SHORT_CHARS: Final = 400
_FIRST_ROWS: Final = (50, 10)
_TO_LOOK_AT: Final = ("failed", "error", "waived", "advisory")

_EMOJI: Final[dict[Standing, str]] = {
    "failed": "❌",
    "error": "⚠️",
    "waived": "🩹",
    "advisory": "💬",
    "passed": "✅",
    "skipped": "⏭️",
}
_STATUS_EMOJI: Final = {"passed": "✅", "failed": "❌", "skipped": "⏭️"}


def render(document: ReportDocument, runs: RunSource) -> Iterator[str]:
    """Yield the whole of it; ``blocks`` and ``markdown_fit.fit`` are for places with a limit."""
    yield whole(blocks(document, runs))


def blocks(document: ReportDocument, runs: RunSource) -> list[Block]:
    """Build the blocks in reading order: weaker rules, verdict, notes, table, tests, footer."""
    tests = _named(all_in_order(document), shown_names(document))
    bad = [test for test in tests if standing(test) in _TO_LOOK_AT]
    return [
        *weaker_blocks(document),
        _verdict(document),
        *changed_blocks(document),
        *baseline_blocks(document),
        *waiver_blocks(document),
        *_notes(document),
        *_suspicions(document, runs),
        *_table(bad),
        *[_story(test, runs) for test in bad],
        *_folded(tests, "skipped", order=15),
        *_folded(tests, "passed", order=10),
        _footer(document),
    ]


def _named(tests: Sequence[TestEntry], names: Mapping[str, str]) -> list[TestEntry]:
    return [{**test, "name": names[test["id"]]} for test in tests]


def _verdict(document: ReportDocument) -> Block:
    emoji = "⚠️" if forgiven(document) else _STATUS_EMOJI.get(document["status"], "⚠️")
    head = f"### {emoji} CI Judge: {verdict(document)}"
    told = filter(None, [head, attempts_text(document), _counts(document)])
    return Block(text="\n\n".join(told))


def _counts(document: ReportDocument) -> str:
    summary, run = document["summary"], document["run"]
    parts = [
        f"**{summary['passed']} passed**",
        f"**{summary['failed']} failed**",
        *([f"**{summary['errors']} undecided**"] if summary["errors"] else []),
        *([f"**{summary['waived']} waived**"] if summary["waived"] else []),
        *([f"{summary['skipped']} skipped"] if summary["skipped"] else []),
        *([f"{summary['advisory']} advisory"] if summary["advisory"] else []),
        f"{summary['runs_made']:,} of {counted(summary['runs_planned'], 'run')}",
        *filter(None, [saved_words(summary), from_the_cache(document)]),
        duration(summary["duration_seconds"]),
        *([f"cost {summary_cost(summary)}"] if summary_cost(summary) else []),
        *([f"budget {budget_words(summary)}"] if summary["budget"] else []),
    ]
    if sha := short_sha(run["commit"]):
        parts.append(f"commit `{sha}`")
    return " · ".join(parts)


def _notes(document: ReportDocument) -> Iterator[Block]:
    judge = document["judge"]
    if judge and judge["notice"]:
        yield Block(text=f"> Judge {code_span(judge['provider'])}: {prose(judge['notice'])}")
    if judge and judge["panel"]:
        told = "\n".join(f"> - {line}" for line in panel_lines(judge, named=code_span))
        cut = Fallback(order=34, text="", what="votes of the panel", how="left out")
        yield Block(text=told, fallbacks=(cut,))
    if judge and judge["calibration"] and judge["calibration"]["problem"] is None:
        cut = Fallback(order=34, text="", what="calibration of the judge", how="left out")
        yield Block(text=f"> Judge {prose(calibration_line(judge))}", fallbacks=(cut,))
    if reasons := reason_words(document["summary"]):
        cut = Fallback(order=34, text="", what="count of reasons", how="left out")
        yield Block(text=f"{reasons}.", fallbacks=(cut,))
    warnings = [f"- {prose(warning)}" for warning in document["warnings"]]
    if warnings:
        cut = Fallback(order=35, text="", what="list of warnings", how="left out")
        yield Block(text="\n".join(["**Warnings**", "", *warnings]), fallbacks=(cut,))
    bare = [group for group in document["groups"] if not group["tests"]]
    if bare:
        names = ", ".join(code_span(group["id"]) for group in bare)
        cut = Fallback(order=36, text="", what="list of uncovered criteria", how="left out")
        yield Block(text=f"**Criteria that no test of this run covers:** {names}", fallbacks=(cut,))


def _suspicions(document: ReportDocument, runs: RunSource) -> Iterator[Block]:
    """Name the tests with text addressed to the judge, and quote the first of each."""
    tests = suspicious_tests(document)
    if tests:
        told = suspicious_count(document["summary"]["runs_suspicious"])
        head = f"**Suspicious:** {told}; {STANDS}."
        lines = (_suspicion(test, runs) for test in _named(tests, shown_names(document)))
        brief = Fallback(order=37, text=head, what="list of suspicious runs", how="left out")
        yield Block(text="\n".join([head, "", *lines]), fallbacks=(brief,))


def _suspicion(test: TestEntry, runs: RunSource) -> str:
    run = first_suspicious_run(test, runs)
    if run is None:
        return f"- {code_span(test['name'])}: {counted(test['suspicious'], 'run')}"
    found = "; ".join(f"{line.what}: {code_span(line.quoted)}" for line in suspicion_lines(run))
    more = "" if test["suspicious"] == 1 else f" (the first of {test['suspicious']:,})"
    return f"- {code_span(test['name'])}, run {run['number']}{more}: {found}"


def _table(tests: Sequence[TestEntry]) -> Iterator[Block]:
    if not tests:
        return
    shorter = [
        Fallback(order=order, text=_first_rows(tests, count), what="table", how="shortened")
        for order, count in enumerate(_FIRST_ROWS, start=50)
        if count < len(tests)
    ]
    none = Fallback(order=60, text="", what="table", how="left out")
    yield Block(text=_rows(tests), fallbacks=(*shorter, none))


def _first_rows(tests: Sequence[TestEntry], count: int) -> str:
    return f"{_rows(tests[:count])}\n\nand {counted(len(tests) - count, 'more test')}."


def _rows(tests: Sequence[TestEntry]) -> str:
    head = [
        "| Test | Passed | Rate and its interval | Gate needs |",
        "| :- | -: | :- | :- |",
    ]
    return "\n".join([*head, *map(_row, tests)])


def _row(test: TestEntry) -> str:
    cells = [
        f"{_EMOJI[standing(test)]} {code_span(test['name'])}",
        passes_of(test) + (f" ({was(test)})" if was(test) else ""),
        _rate(test),
        prose(test["gate"]["needs"]),
    ]
    return f"| {' | '.join(map(cell, cells))} |"


def _rate(test: TestEntry) -> str:
    if not test["judged"]:
        return "no run was judged"
    if test["planned"] == 1:
        return "one run has no rate"
    if mostly_open(test):
        return without_verdict(test)
    if test["gate"]["anytime"]:
        return f"`{text_bar(test)}` {stop_words(test) or 'no rate'} ({interval(test)})"
    corrected = f", {corrected_words(test)}" if test["corrected"] else ""
    return f"`{text_bar(test)}` {rate_words(test)} ({interval(test)}){corrected}"


def _story(test: TestEntry, runs: RunSource) -> Block:
    run = first_bad_run(test, runs)
    head = _story_head(test, run)
    brief = Fallback(order=30, text=head, what="transcript", how="left out")
    gone = Fallback(order=40, text="", what="test", how="in the table only")
    if run is None:
        return Block(text=head, fallbacks=(gone,))
    short = Fallback(
        order=20,
        text=f"{head}\n\n{_transcript(test, run, SHORT_CHARS)}",
        what="transcript",
        how="shortened",
    )
    return Block(
        text=f"{head}\n\n{_transcript(test, run, FULL_CHARS)}", fallbacks=(short, brief, gone)
    )


def _story_head(test: TestEntry, run: RunEntry | None) -> str:
    line = "" if test["line"] is None else f" line {test['line']}"
    name = f"{_EMOJI[standing(test)]} **{code_span(test['name'])}**"
    row = "" if test["row"] is None else f", row at {code_span(test['row'])}"
    lines = [
        f"{name} in {code_span(test['file'])}{line}{row}",
        prose(test["gate"]["sentence"]),
        prose(waiver) if (waiver := waiver_words(test)) else "",
        prose(changed) if (changed := change_words(test)) else "",
        f"Earlier attempts: {kept}." if (kept := kept_words(test)) else "",
        *_errors(test),
        *_reason(test, run),
        f"**Next:** {next_step(test)}",
    ]
    return "\\\n".join(line for line in lines if line)


def _reason(test: TestEntry, run: RunEntry | None) -> Iterator[str]:
    """Say why the run shown came out as it did, unless its error has just been told."""
    if run and not (test["troubles"] and kind_of(run) == "error"):
        certain = f" ({CERTAIN})" if run["certain"] else ""
        yield f"Run {run['number']}: {prose(run['reason'])}{certain}"
        for item in item_results(test, run):
            yield f"Expectation {item.number} {item.words}: {prose(item.text)}"
    if run:
        yield from (f"Votes: {line}" for line in vote_lines(run, named=code_span))


def _errors(test: TestEntry) -> Iterator[str]:
    for what, reason in trouble_lines(test):
        yield f"{what}: {prose(reason)}" if reason else f"{what}."


def _transcript(test: TestEntry, run: RunEntry, limit: int) -> str:
    told = [f"**{title}**\n\n{fenced(clipped(text, limit))}" for title, text in passages(test, run)]
    summary = f"<summary>Run {run['number']} of {test['planned']} in full</summary>"
    return "\n\n".join([f"<details>{summary}", *told, "</details>"])


def _folded(tests: Sequence[TestEntry], where: Standing, *, order: int) -> Iterator[Block]:
    found = [test for test in tests if standing(test) == where]
    if found:
        body = _skipped_rows(found) if where == "skipped" else _rows_with_errors(found)
        text = f"<details><summary>{len(found)} {where}</summary>\n\n{body}\n\n</details>"
        cut = Fallback(order=order, text="", what=f"list of {where} tests", how="left out")
        yield Block(text=text, fallbacks=(cut,))


def _rows_with_errors(tests: Sequence[TestEntry]) -> str:
    errors = [f"- {code_span(test['name'])}: {line}" for test in tests for line in _errors(test)]
    return "\n".join([_rows(tests), *(["", *errors] if errors else [])])


def _skipped_rows(tests: Sequence[TestEntry]) -> str:
    return "\n".join(
        f"- {code_span(test['name'])}: {prose(test['skip_reason'] or 'no reason given')}"
        for test in tests
    )


def _footer(document: ReportDocument) -> Block:
    run, sha = document["run"], short_sha(document["run"]["commit"])
    address = web_address(run["url"])
    parts = [
        *([f"[This run and its report files]({address})"] if address else []),
        f"seed {run['seed']}",
        f"CI Judge {prose(document['tool']['version'])}",
        *([f"updated for `{sha}`"] if sha else []),
    ]
    key = (
        "In the bars `●` is the share of runs that passed, `├─┤` the interval in which the true "
        "share plausibly lies, `┃` the gate's threshold."
    )
    if any(test["gate"]["anytime"] for test in all_in_order(document)):
        key = f"{key} {NO_RATE}"
    return Block(text=f"---\n\n<sub>{' · '.join(parts)}</sub>\n\n<sub>{key}</sub>")
