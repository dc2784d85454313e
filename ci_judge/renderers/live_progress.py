"""Watching a run go by on a terminal: a bar with rate and time left, a line a finished test."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from ci_judge.model.judging import Run
from ci_judge.model.results import TestOutcome, TestResult
from ci_judge.renderers.progress import result_line

_STYLES: dict[TestOutcome, str] = {
    "passed": "green",
    "failed": "red",
    "error": "yellow",
    "waived": "yellow",
    "skipped": "dim",
}


class LiveProgress:
    """A Progress for terminals; a context manager, so that the bar is gone whatever happens.

    ``total_runs`` is what is planned. Colours are the console's to decide.
    """

    def __init__(self, console: Console, *, total_runs: int) -> None:
        self._bar = Progress(
            TextColumn("judging"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("runs"),
            _RateColumn(),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("judging", total=total_runs)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def run_finished(self, run: Run) -> None:  # noqa: ARG002 - the bar counts, the log names
        self._bar.advance(self._task)

    def test_finished(self, result: TestResult) -> None:
        style = _STYLES[result.gate.outcome]
        self._bar.advance(self._task, result.tally.not_needed)
        self._bar.console.print(Text(result_line(result), style=style), soft_wrap=True)


def on_terminal(*, total_runs: int) -> LiveProgress:
    """Make the progress for this process's own terminal; rich heeds NO_COLOR."""
    return LiveProgress(Console(), total_runs=total_runs)


class _RateColumn(ProgressColumn):
    """Runs a second, once there is something to divide."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")
