"""Annotations: the result, and the failed tests beside the lines that define them."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from ci_judge.model.document import ReportDocument, TestEntry
from ci_judge.protocols import RunSource
from ci_judge.sinks.log import LogWriter

MOST_TESTS = 8
"""GitHub keeps 10 annotations of a type per step: the result, these, and "and N more"."""

FAILED, UNDECIDED = "Gate failed", "Infrastructure error: not decided"
WAIVED = "Gate failed, waived (waivers.yaml)"
"""Titles of what is annotated beside the result."""


class Annotations:
    """Writes the result as an error or notice, failed tests as errors, undecided as warnings.

    Waived ones are notices. Where failures do not fail the step (``run.fail_on``), no error is
    written: an error says why a step fails, and without one nobody would know. With ``tests`` off
    that is all there is. ``folder`` is where the report's file names start, relative to the
    workspace.
    """

    name = "annotations"

    def __init__(self, log: LogWriter, *, folder: PurePosixPath, tests: bool = True) -> None:
        self._log = log
        self._folder = folder
        self._tests = tests

    async def publish(self, document: ReportDocument, runs: RunSource) -> None:
        """Write at most 10 annotations of each type, with those that the step wrote before."""
        del runs  # the counts say enough
        gating = [test for test in _tests(document) if not test["advisory"]]
        failed = [test for test in gating if test["result"] == "failed"]
        undecided = [test for test in gating if test["result"] == "error"]
        stops = document["exit_code"] != 0
        level = "error" if stops else "warning" if failed or undecided else "notice"
        if stops or self._tests:
            self._log.command(level, document["headline"], title="CI Judge")
        if self._tests and stops:
            blamed = [test for test in failed if not _let_off(test)]
            self._point_at(blamed, level="error", title=FAILED, most=self._most("error"))
            self._point_at(undecided, level="warning", title=UNDECIDED, most=self._most("warning"))
        elif self._tests:
            shared = max(0, self._most("warning") - 1)  # both may say "and N more"
            left = shared - len(failed[:shared])
            self._point_at(failed, level="warning", title=FAILED, most=shared)
            self._point_at(undecided, level="warning", title=UNDECIDED, most=left)
        if self._tests:
            waived = [test for test in gating if test["result"] == "waived"]
            self._point_at(waived, level="notice", title=WAIVED, most=self._most("notice"))

    def _most(self, level: str) -> int:
        """Leave one for "and N more"."""
        room = self._log.room(level)
        return MOST_TESTS if room is None else max(0, min(MOST_TESTS, room - 1))

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


def _let_off(test: TestEntry) -> bool:
    return test["change"] is not None and test["change"]["let_off"]


def _tests(document: ReportDocument) -> Iterator[TestEntry]:
    for group in document["groups"]:
        yield from group["tests"]
