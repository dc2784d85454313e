"""The page that GitHub shows for a step."""

from pathlib import Path

from ci_judge.model.document import ReportDocument
from ci_judge.protocols import RunSource
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.fitting import MarkdownWithin, fitted, utf8_bytes

LARGEST_BYTES = 900 * 1024
"""The runner drops a summary of more than 1 MiB as a whole; several writers share a step."""


class StepSummary:
    """Appends the report to the file that ``GITHUB_STEP_SUMMARY`` names."""

    name = "step summary"

    def __init__(self, path: Path, markdown: MarkdownWithin) -> None:
        self._path = path
        self._markdown = markdown

    async def publish(self, document: ReportDocument, runs: RunSource) -> None:
        """Append what fits. Raises SinkFailed when the file cannot be written."""
        del document, runs  # the Markdown was made from them
        try:
            before = self._path.read_bytes() if self._path.exists() else b""
            gap = "" if not before or before.endswith(b"\n") else "\n"
            room = max(0, LARGEST_BYTES - len(before) - 2)
            text = fitted(self._markdown, room, utf8_bytes)
            ended = text if text.endswith("\n") else text + "\n"
            with self._path.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(gap + ended)
        except OSError as error:
            raise SinkFailed(f"The step summary could not be written: {error.strerror}") from error
