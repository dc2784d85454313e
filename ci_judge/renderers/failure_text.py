"""Why a test is not green, as plain lines for a test runner: the counts first, then one run."""

from collections.abc import Iterator
from typing import Final

from ci_judge.model.document import RunEntry, TestEntry
from ci_judge.protocols import RunSource
from ci_judge.renderers.next_steps import next_step
from ci_judge.renderers.shown_runs import clipped, first_bad_run, passages
from ci_judge.renderers.troubles import trouble_lines
from ci_judge.renderers.waivers import waiver_words
from ci_judge.renderers.wording import RUN_WORDS
from ci_judge.visible_text import one_line, visible

MOST_CHARS: Final = 8_000
_LINE_CHARS: Final = 600
_PASSAGE_CHARS: Final = 1_500
_CUT: Final = "\n[cut here; the report has all of it]"


def failure_text(test: TestEntry, runs: RunSource) -> str:
    """Give the whole text, safe to print, at most ``MOST_CHARS`` long."""
    text = "\n".join(_lines(test, runs))
    return text if len(text) <= MOST_CHARS else text[: MOST_CHARS - len(_CUT)] + _CUT


def failure_line(test: TestEntry) -> str:
    """Say in one safe line what came out and what the gate needed: rate, interval, threshold."""
    undecided = "undecided, neither passed nor failed: " if test["result"] == "error" else ""
    waived = f"{waiver_words(test)}; " if test["result"] == "waived" else ""
    return f"{undecided}{one_line(waived + test['gate']['sentence'], limit=_LINE_CHARS)}"


def _lines(test: TestEntry, runs: RunSource) -> Iterator[str]:
    yield failure_line(test)
    for trouble in trouble_lines(test):
        yield one_line(str(trouble), limit=_LINE_CHARS)
    yield f"Next: {next_step(test)}"
    line = "" if test["line"] is None else f":{test['line']}"
    yield f"At {one_line(test['file'], limit=_LINE_CHARS)}{line}"
    run = first_bad_run(test, runs)
    if run is not None:
        yield ""
        yield from _run_lines(test, run)


def _run_lines(test: TestEntry, run: RunEntry) -> Iterator[str]:
    yield f"Run {run['number']} of {test['planned']}: {RUN_WORDS[run['outcome']]}"
    for title, text in passages(test, run):
        if not text.strip():
            continue
        shown = visible(clipped(text, _PASSAGE_CHARS)).split("\n")
        if len(shown) == 1:
            yield f"  {title}: {shown[0]}"
        else:
            yield f"  {title}:"
            yield from (f"    {line}" for line in shown)
