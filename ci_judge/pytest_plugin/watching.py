"""What pytest needs to hear of a run while it goes on: a test's result as soon as it stands."""

import threading
from collections.abc import Iterator, Mapping
from typing import Final

from ci_judge.app import Finished, FrontDoor
from ci_judge.document.cleaning import clean_entry, clean_run
from ci_judge.document.report import group_entries
from ci_judge.document.run_entries import run_entry
from ci_judge.model.document import RunEntry, TestEntry
from ci_judge.model.judging import Run
from ci_judge.model.results import TestResult
from ci_judge.protocols import Progress
from ci_judge.redaction import Redactor
from ci_judge.renderers.failure_text import failure_line, failure_text
from ci_judge.renderers.shown_runs import kind_of
from ci_judge.workflows.planning import Plan

_LOOKS_SECONDS: Final = 1.0
_MOST_NOTES: Final = 20
_TO_EXPLAIN: Final = frozenset({"fail", "error"})


class Decided:
    """How a test ended: its entry of the report, and why in words (safe to print)."""

    def __init__(self, test: TestEntry, runs: "FirstBadRuns | Finished") -> None:
        source = runs.runs if isinstance(runs, Finished) else runs
        self.result = test["result"]
        self.advisory = test["advisory"]
        self.let_off = test["change"] is not None and test["change"]["let_off"]
        self.line = failure_line(test)
        self.text = failure_text(test, source) if self.result in {"failed", "error"} else ""


class FirstBadRuns:
    """The first run of a test that failed and the first in error, fit to be shown (a RunSource)."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], RunEntry] = {}

    def wants(self, run: Run) -> bool:
        """Tell whether a run is worth keeping; lower numbers come first, whenever they end."""
        kind = _kind(run)
        known = self._kept.get((run.test_id, kind))
        return kind in _TO_EXPLAIN and (known is None or run.number < known["number"])

    def keep(self, entry: RunEntry) -> None:
        self._kept[entry["test"], kind_of(entry)] = entry

    def runs(self, test_id: str) -> Iterator[RunEntry]:
        """Read the kept runs of a test in run-number order."""
        found = [run for (test, _), run in self._kept.items() if test == test_id]
        return iter(sorted(found, key=lambda run: run["number"]))


def _kind(run: Run) -> str:
    return "error" if run.outcome.endswith("_error") else run.outcome


class Watcher(FrontDoor):
    """Hears of the run in its thread; pytest waits for results in its own.

    With ``only_at_the_end`` a result is known when all are: what they are compared with decides.
    """

    def __init__(self, *, max_response_chars: int, only_at_the_end: bool = False) -> None:
        self.notes: list[str] = []
        self._limit = max_response_chars
        self._only_at_the_end = only_at_the_end
        self._redactor: Redactor | None = None
        self._plan: Plan | None = None
        self._bad_runs = FirstBadRuns()
        self._decided: dict[str, Decided] = {}
        self._news = threading.Condition()
        self._over = False

    def protect(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def planned(self, plan: Plan) -> Progress:
        self._plan = plan
        return self

    def note(self, text: str) -> None:
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(self._clean(text))

    def overheard(self, text: str) -> None:
        del text

    def warn(self, text: str) -> None:
        self.note(f"warning: {text}")

    def crashed(self, error: Exception) -> None:
        self.note(f"warning: {type(error).__name__}: {error}")

    def run_finished(self, run: Run) -> None:
        """Keep a run that may have to be shown, without secrets."""
        if self._redactor is not None and self._bad_runs.wants(run):
            shown = clean_run(run, self._redactor)
            entry = run_entry(shown, max_response_chars=self._limit)
            self._bad_runs.keep(clean_entry(entry, self._redactor))

    def test_finished(self, result: TestResult) -> None:
        """Let whoever waits for the test have its result."""
        entry = None if self._only_at_the_end else self._entry(result)
        if entry is not None:
            self._tell({result.test.id: Decided(entry, self._bad_runs)})

    def end(self, finished: Finished | None) -> None:
        """Let nobody wait any longer; what is not decided yet is as the report has it."""
        rest = {} if finished is None else dict(self._left_in(finished))
        with self._news:
            self._over = True
        self._tell(rest)

    def wait_for(self, test_id: str) -> Decided | None:
        """Wait for a test's result; None where the run has ended without one."""
        with self._news:
            while test_id not in self._decided and not self._over:
                self._news.wait(_LOOKS_SECONDS)  # a signal is heeded while this waits
            return self._decided.get(test_id)

    def is_open(self, test_id: str) -> bool:
        with self._news:
            return test_id not in self._decided

    def _left_in(self, finished: Finished) -> Iterator[tuple[str, Decided]]:
        for group in finished.document["groups"]:
            for test in group["tests"]:
                if test["id"] not in self._decided:
                    yield test["id"], Decided(test, finished)

    def _tell(self, decided: Mapping[str, Decided]) -> None:
        with self._news:
            self._decided.update(decided)
            self._news.notify_all()

    def _entry(self, result: TestResult) -> TestEntry | None:
        if self._plan is None or self._redactor is None:
            return None
        groups = group_entries(self._plan.suite, [result])
        found = (test for group in groups for test in group["tests"])
        return clean_entry(next(found), self._redactor)

    def _clean(self, text: str) -> str:
        return text if self._redactor is None else self._redactor.text(text)
