"""Annotations: the result, and the failed tests beside the lines that define them."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from ci_judge.model.document import ReportDocument, TestEntry
from ci_judge.protocols import RunSource
from ci_judge.sinks.log import LogWriter

MOST_TESTS = 8
"""GitHub keeps 10 annotations of a type per step: the result, these, and "and N more"."""


class Annotations:
    """Writes the result as an error or notice, failed tests as errors, undecided as warnings.

    Where failures do not fail the step (``run.fail_on``), no error is written: an error says why
    a step fails. ``folder`` is where the report's file names start, relative to the workspace.
    """

    name = "annotations"

    def __init__(self, log: LogWriter, *, folder: PurePosixPath) -> None:
        self._log = log
        self._folder = folder

    async def publish(self, document: ReportDocument, runs: RunSource) -> None:
        """Write at most 10 annotations of each type."""
        del runs  # the counts say enough
        gating = [test for test in _tests(document) if not test["advisory"]]
        failed = [test for test in gating if test["result"] == "failed"]
        undecided = [test for test in gating if test["result"] == "error"]
        stops = document["exit_code"] != 0
        level = "error" if stops else "warning" if failed or undecided else "notice"
        self._log.command(level, document["headline"], title="CI Judge")
        if stops:
            self._point_at(failed, level="error", title="Gate failed", most=MOST_TESTS)
            self._point_at(undecided, level="warning", title="Not decided", most=MOST_TESTS)
        else:
            shared = MOST_TESTS - 1  # both may say "and N more"
            left = shared - len(failed[:shared])
            self._point_at(failed, level="warning", title="Gate failed", most=shared)
            self._point_at(undecided, level="warning", title="Not decided", most=left)

    def _point_at(self, tests: list[TestEntry], *, level: str, title: str, most: int) -> None:
        for test in tests[:most]:
            self._log.command(
                level,
                f"{test['id']}: {test['gate']['sentence']}",
                title=title,
                file=str(self._folder / test["file"]),
                line=test["line"],
            )
        if len(tests) > most:
            self._log.command(level, f"and {len(tests) - most} more", title=title)


def _tests(document: ReportDocument) -> Iterator[TestEntry]:
    for group in document["groups"]:
        yield from group["tests"]
