"""Runs with text addressed to the judge, in words. They are shown to people; no verdict changes."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ci_judge.model.document import ReportDocument, RunEntry, TestEntry
from ci_judge.model.judging import SuspicionKind
from ci_judge.protocols import RunSource
from ci_judge.renderers.wording import counted

STANDS: Final = "the verdict stands as given"
_WHAT: Final[dict[SuspicionKind, str]] = {
    "hidden": "characters that nobody sees",
    "verdict": "a text shaped like a verdict",
    "override": "an order to ignore instructions",
    "role": "a tag of a chat model's roles",
    "fence": "the end of a block that it did not begin",
    "appeal": "an appeal for a verdict",
}


class SuspicionLine(NamedTuple):
    """What was found, in our own words, and a quotation (untrusted)."""

    what: str
    quoted: str

    def __str__(self) -> str:
        return f"{self.what}: {self.quoted}"


def suspicion_lines(run: RunEntry) -> Iterator[SuspicionLine]:
    return (SuspicionLine(_WHAT[each["kind"]], each["found"]) for each in run["suspicious"])


def suspicious_tests(document: ReportDocument) -> list[TestEntry]:
    tests = (test for group in document["groups"] for test in group["tests"])
    return [test for test in tests if test["suspicious"]]


def suspicious_count(runs: int) -> str:
    """``2 runs hold text addressed to the judge``."""
    return f"{counted(runs, 'run')} {'holds' if runs == 1 else 'hold'} text addressed to the judge"


def first_suspicious_run(test: TestEntry, runs: RunSource) -> RunEntry | None:
    """Find the first run with such text; the runs are read only where there is one."""
    if not test["suspicious"]:
        return None
    return next((run for run in runs.runs(test["id"]) if run["suspicious"]), None)
