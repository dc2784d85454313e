"""A report on the page that GitHub shows for a step, from a command that is not the action."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from ci_judge.model.document import ReportDocument
from ci_judge.protocols import RunSource
from ci_judge.renderers import markdown
from ci_judge.renderers.markdown_fit import fit
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.fitting import utf8_bytes
from ci_judge.sinks.step_summary import StepSummary


def append_step_summary(
    path: Path, document: ReportDocument, runs: RunSource, *, warn: Callable[[str], object]
) -> None:
    """Append what fits of the Markdown to the file, cut at the borders of blocks.

    ``warn`` is told why it could not be written; the report itself stands.
    """

    def within(limit: int) -> str:
        return fit(markdown.blocks(document, runs), limit=limit, measure=utf8_bytes)

    try:
        asyncio.run(StepSummary(path, within).publish(document, runs))
    except SinkFailed as failure:
        warn(str(failure))
