"""What pytest's last lines say of the whole: the result, warnings, and where the reports are."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from ci_judge.model.document import ReportDocument
from ci_judge.pytest_plugin.background import error_lines, output_of
from ci_judge.renderers.console import result_lines
from ci_judge.renderers.shown_runs import clipped
from ci_judge.sinks.files import shown_path
from ci_judge.visible_text import one_line, visible

_LINE_CHARS: Final = 400
_MOST_LINES: Final = 30
_OUTPUT_CHARS: Final = 4_000


def summary_lines(
    document: ReportDocument, files: Mapping[str, Path], notes: Sequence[str]
) -> list[str]:
    """Give the lines, safe to print. Nothing for pytest's own counts, which it says itself."""
    told = [one_line(line, limit=_LINE_CHARS) for line in (*notes, *result_lines(document))]
    if len(told) > _MOST_LINES:
        left = len(told) - _MOST_LINES
        told = [*told[: _MOST_LINES - 3], f"({left} more lines are in the report)", *told[-3:]]
    return [*told, *_paths(files)]


def trouble_lines(error: BaseException | None) -> list[str]:
    """Say why there is no report, and what may explain it."""
    if error is None:
        return ["no report: the run does not end"]
    why = [f"no report: {one_line(line, limit=_LINE_CHARS)}" for line in error_lines(error)]
    output = visible(clipped(output_of(error), _OUTPUT_CHARS))
    return [*why, *(f"| {line}" for line in output.splitlines())]


def _paths(files: Mapping[str, Path]) -> Iterator[str]:
    for kind, path in files.items():
        yield f"{kind}: {one_line(shown_path(path), limit=_LINE_CHARS)}"
