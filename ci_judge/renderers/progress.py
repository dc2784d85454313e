"""Watching a run go by, one plain line for each finished test."""

from collections.abc import Callable
from typing import Final

from ci_judge.model.judging import Run
from ci_judge.model.results import Tally, TestOutcome, TestResult
from ci_judge.renderers.wording import MARKS, WORDS, counted
from ci_judge.visible_text import one_line

LINE_CHARS: Final = 300
_NAME_CHARS: Final = 120


class PlainProgress:
    """A Progress for CI logs and pipes. ``write_line`` gets a line without its end."""

    def __init__(self, write_line: Callable[[str], None]) -> None:
        self._write_line = write_line

    def run_finished(self, run: Run) -> None:
        """Say nothing: a log wants tests, not runs."""

    def test_finished(self, result: TestResult) -> None:
        self._write_line(result_line(result))


def result_line(result: TestResult) -> str:
    """Tell a test's result in one short, safe line; the report after it says why."""
    outcome = result.gate.outcome
    head = f"{_mark(result)} {one_line(result.test.id, limit=_NAME_CHARS)}"
    counts = f"{_passes(result.tally)}{_errors(result.tally)}"
    if outcome == "skipped":
        return (
            f"{head}  skipped: {one_line(result.test.skip or 'no reason given', limit=LINE_CHARS)}"
        )
    if outcome == "passed":
        return f"{head}  {counts}"
    return f"{head}  {counts}, {_word(result, outcome)}"


def _passes(tally: Tally) -> str:
    if tally.stopped:
        return (
            f"{tally.passes} of {tally.counted}, stopped after {tally.counted} of {tally.planned}"
        )
    return f"{tally.passes} of {tally.planned}"


def _errors(tally: Tally) -> str:
    return f", {counted(tally.errors, 'error')}" if tally.errors else ""


def _mark(result: TestResult) -> str:
    bad = result.gate.outcome in {"failed", "error", "waived"}
    return MARKS["advisory" if bad and result.test.advisory else result.gate.outcome]


def _word(result: TestResult, outcome: TestOutcome) -> str:
    return f"{WORDS[outcome]}, advisory" if result.test.advisory else WORDS[outcome]
