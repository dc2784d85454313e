"""A report whose evidence is judged again: which tests of the suite it is about."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.model.document import ReportDocument, TestEntry
from ci_judge.model.suite import Case, GateRule, Scenario, Suite, Test
from ci_judge.redaction import Redactor
from ci_judge.settings import Demand
from ci_judge.workflows.planning import Plan
from ci_judge.workflows.recorded_evidence import RecordedEvidence, recorded_tests
from ci_judge.workflows.render import RecordedReport

_CONTEXT = ("commit", "branch", "repository", "pull_request", "url", "attempt")
_SHOWN_TESTS = 3
_AGAIN = "judged again: the evidence was"

JUDGES_ALONE = Demand(unasked=frozenset({"generate", "target", "targets"}))
"""The variables that must be set where recorded evidence is judged."""


def judged_again(document: ReportDocument) -> bool:
    """Tell whether a report is about the evidence of another one."""
    return any(warning.startswith(_AGAIN) for warning in document["warnings"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A report whose evidence is judged again. ``place`` is where it was read."""

    report: RecordedReport
    place: Path

    @property
    def seed(self) -> int:
        """The seed of the recorded draws: what is judged alike is drawn alike."""
        return self.report.document["run"]["seed"]

    def context(self) -> dict[str, Any]:
        """Give the commit and the CI run that the evidence is of."""
        run: Mapping[str, Any] = self.report.document["run"]
        return {key: run[key] for key in _CONTEXT}

    def plan(self, plan: Plan, redactor: Redactor) -> Plan:
        """Give the tests of the report as the suite has them now, with as many runs as were made.

        Raises InvalidInput for a test that is gone or that says something else to the target now:
        what was recorded is no answer to that. Raises it for a whole that lacks a shard, too.
        """
        whole = plan.suite if plan.part is None else plan.part.whole
        recorded = recorded_tests(self.report)
        tests = {test.id: test for test in whole.tests}
        problems = [
            *self._lacking(),
            *_gone(recorded, tests),
            *_talk_changed(recorded, tests, redactor),
        ]
        if problems:
            where = Place(file=str(self.place))
            raise InvalidInput(*(replace(problem, place=where) for problem in problems))
        return replace(
            plan,
            suite=_recorded_suite(whole, recorded),
            part=None,
            evidence=RecordedEvidence(self.report),
            warnings=(*self._warnings(recorded, tests, redactor), *plan.warnings),
            left_out=plan.left_out + len(tests) - len(recorded),
        )

    def _lacking(self) -> Iterator[Problem]:
        """Refuse what ``fail_on`` would forgive here, and a merge does not."""
        for number in self.report.document["run"]["missing_shards"]:
            yield Problem(
                message=f"shard {number} is missing in this report",
                hint="merge all shards first, or rejudge the report of each",
            )

    def _warnings(
        self, recorded: Mapping[str, TestEntry], tests: Mapping[str, Test], redactor: Redactor
    ) -> Iterator[str]:
        started = self.report.document["run"]["started"]
        yield f"{_AGAIN} recorded at {started}, and nobody was asked for more"
        other = [
            test_id
            for test_id, entry in recorded.items()
            if _wanted(tests[test_id], redactor) != _wanted_then(entry)
        ]
        if other:
            yield f"held to what the suite expects now, which is other than then: {_few(other)}"


def _gone(recorded: Mapping[str, TestEntry], tests: Mapping[str, Test]) -> Iterator[Problem]:
    for test_id in recorded:
        if test_id not in tests:
            yield Problem(
                message=f'"{test_id}" is in the report, and not in the suite any more',
                hint="rejudge with the suite of the report's commit",
            )


def _talk_changed(
    recorded: Mapping[str, TestEntry], tests: Mapping[str, Test], redactor: Redactor
) -> Iterator[Problem]:
    for test_id, entry in recorded.items():
        test = tests.get(test_id)
        then = [entry["turns"], [[past["role"], past["content"]] for past in entry["history"]]]
        if isinstance(test, Scenario) and _talk(test, redactor) != then:
            yield Problem(
                message=f'"{test_id}" says something else to its target now than when recorded',
                hint="run it again, or rejudge with the suite of the report's commit",
            )


def _talk(test: Scenario, redactor: Redactor) -> list[Any]:
    history = [[past.role, redactor.value(past.content)] for past in test.history]
    return [[redactor.value(turn) for turn in test.turns], history]


def _wanted(test: Test, redactor: Redactor) -> list[str]:
    if isinstance(test, Case):
        return [redactor.text(test.requirement)]
    texts = [*(each.text for each in test.expectations), *map(str, test.checks)]
    return [redactor.text(text) for text in texts]


def _wanted_then(entry: TestEntry) -> list[str]:
    if entry["requirement"] is not None:
        return [entry["requirement"]]
    return [*entry["expected"], *entry["checks"]]


def _recorded_suite(suite: Suite, recorded: Mapping[str, TestEntry]) -> Suite:
    return replace(
        suite,
        scenarios=tuple(
            replace(each, gate=_gate(each, recorded[each.id]), skip=_skip(each, recorded[each.id]))
            for each in suite.scenarios
            if each.id in recorded
        ),
        cases=tuple(
            replace(each, gate=_gate(each, recorded[each.id]), skip=_skip(each, recorded[each.id]))
            for each in suite.cases
            if each.id in recorded
        ),
    )


def _gate(test: Test, entry: TestEntry) -> GateRule:
    """Give the test's gate over the runs that there are."""
    runs, least = entry["planned"], test.gate.min_runs
    return replace(test.gate, runs=runs, min_runs=None if least is None else min(least, runs))


def _skip(test: Test, entry: TestEntry) -> str | None:
    return test.skip if entry["skip_reason"] is None else entry["skip_reason"]


def _few(test_ids: list[str]) -> str:
    shown = ", ".join(f'"{test_id}"' for test_id in test_ids[:_SHOWN_TESTS])
    more = len(test_ids) - _SHOWN_TESTS
    return f"{shown} and {more} more" if more > 0 else shown
