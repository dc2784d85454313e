"""What earlier attempts at the same commit came to, and what of theirs stands in this one."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ci_judge.model.document import ReportDocument, Status, TestEntry
from ci_judge.model.results import TestOutcome
from ci_judge.renderers.wording import MARKS, WORDS, counted, forgiven

MOST_STEPS: Final = 8
"""Attempts that a history shows, this one included: the newest ones."""
MOST_CHANGED: Final = 20
"""Tests that are named as changed between attempts; the others are counted."""
LEFT_OUT: Final = "…"
_WHY_CHANGED: Final = (
    "errors had left a result open, more runs decided otherwise, the test or its settings were "
    "changed, or it is flaky"
)

_STATUS_MARKS: Final[dict[Status, str]] = {
    "passed": MARKS["passed"],
    "failed": MARKS["failed"],
    "error": MARKS["error"],
    "skipped": MARKS["skipped"],
    "interrupted": "!",
    "invalid": "!",
}
_STATUS_WORDS: Final[dict[Status, str]] = {
    "passed": "passed",
    "failed": "failed",
    "error": "undecided",
    "skipped": "skipped",
    "interrupted": "interrupted",
    "invalid": "nothing judged",
}


class Step(NamedTuple):
    """One attempt of a history: how it is shown, its mark, and its word, all of them our own.

    ``tone`` is its status, "advisory" for one that passed though gates failed, or "unknown".
    """

    tone: str
    mark: str
    word: str


class History(NamedTuple):
    """The attempts up to this one, the oldest first; ``shortened`` where older ones are not shown.

    ``sentence`` is untrusted: a report may be forged.
    """

    attempt: int
    shortened: bool
    steps: Sequence[Step]
    sentence: str

    @property
    def line(self) -> str:
        """``Attempt 3: ✗ failed → ✗ failed → ✓ passed``."""
        told = [f"{step.mark} {step.word}" for step in self.steps]
        return f"{self.title}: {' → '.join([*([LEFT_OUT] if self.shortened else []), *told])}"

    @property
    def title(self) -> str:
        return f"Attempt {self.attempt:,}"


_UNKNOWN: Final = Step("unknown", "·", "unknown")


def history_of(document: ReportDocument) -> History | None:
    """Give the history of a re-run, None for a first attempt; attempts without a report are told.

    Only as many are looked at as are shown, whatever number a report claims.
    """
    rerun = document["run"]["rerun"]
    if rerun is None:
        return None
    known = {
        each["attempt"]: _step(each["status"], let_off=bool(each["failed"] or each["errors"]))
        for each in rerun["earlier"]
    }
    attempt = rerun["attempt"]
    first = max(1, attempt - MOST_STEPS + 1)
    steps = [known.get(number, _UNKNOWN) for number in range(first, attempt)]
    return History(
        attempt=attempt,
        shortened=first > 1,
        steps=[*steps, _step(document["status"], let_off=forgiven(document))],
        sentence=rerun["sentence"],
    )


def _step(status: Status, *, let_off: bool) -> Step:
    tone = "advisory" if status == "passed" and let_off else status
    return Step(tone, _STATUS_MARKS[status], _STATUS_WORDS[status])


def changed_tests(document: ReportDocument) -> list[TestEntry]:
    """Give the tests whose gates did not say the same in all attempts that are known of.

    A waiver that came or ended changes no verdict, nor does a skip, nor ``ci-judge regate``.
    """
    return [
        test
        for group in document["groups"]
        for test in group["tests"]
        if test["regated_from"] is None and len(_verdicts(test)) > 1
    ]


def _verdicts(test: TestEntry) -> set[TestOutcome]:
    """Give what its gate said in any attempt, whatever a waiver made of it."""
    results = {test["result"], *(each["result"] for each in test["earlier"])} - {"skipped"}
    return {"failed" if result == "waived" else result for result in results}


def why_changed(document: ReportDocument) -> str:
    """``2 tests at the same commit: …``: how many tests changed, and what may have done it.

    Only where a CI numbers the attempts is it known that their commit is the same.
    """
    run, tests = document["run"], counted(len(changed_tests(document)), "test")
    same = run["commit"] is not None and run["attempt"] is not None
    return f"{tests}{' at the same commit' if same else ''}: {_WHY_CHANGED}."


def result_words(test: TestEntry) -> str:
    """``failed, failed, passed``: what a test came to in the newest attempts, this one last."""
    return ", ".join([*_earlier_words(test), WORDS[test["result"]]])


def earlier_results(test: TestEntry) -> str:
    """``failed,error``: the results in earlier attempts as a program reads them; empty without."""
    return ",".join(each["result"] for each in test["earlier"])


def kept_words(test: TestEntry) -> str:
    """``failed (8 of 10); all runs are kept``: what a test came to before, and what is left of it.

    Empty where no earlier attempt is known to have had it.
    """
    if not test["earlier"]:
        return ""
    told = ", ".join(_earlier_words(test, counts=True))
    if is_kept_whole(test):
        return f"{told}; all runs are kept"
    if test["carried_runs"]:
        made = counted(test["made"], "run")
        return f"{told}; {test['carried_runs']:,} of {made} are kept"
    return f"{told}; no run is kept"


def is_kept_whole(test: TestEntry) -> bool:
    """Tell whether no run of a test was made in this attempt."""
    return 0 < test["made"] <= test["carried_runs"]


def _earlier_words(test: TestEntry, *, counts: bool = False) -> list[str]:
    newest = test["earlier"][1 - MOST_STEPS :]
    words = [
        f"{WORDS[each['result']]} ({each['passes']:,} of {each['judged']:,})"
        if counts and each["judged"]
        else WORDS[each["result"]]
        for each in newest
    ]
    return [*([LEFT_OUT] if len(newest) < len(test["earlier"]) else []), *words]
