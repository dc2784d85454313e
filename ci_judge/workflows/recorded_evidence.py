"""Recorded evidence in the place of targets and cases: another judge, and nobody else is asked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from ci_judge.document.recorded_runs import recorded_run
from ci_judge.model.document import RunEntry, TestEntry
from ci_judge.model.evidence import CaseValue, Conversation, EvidenceFailure, FailureCode
from ci_judge.model.judging import Run
from ci_judge.model.suite import Case, Scenario
from ci_judge.protocols import CaseRunner, Target
from ci_judge.workflows.render import RecordedReport


def recorded_tests(report: RecordedReport) -> dict[str, TestEntry]:
    groups = report.document["groups"]
    return {test["id"]: test for group in groups for test in group["tests"]}


class EvidenceSource(Protocol):
    """What was said and returned before, in the place of targets and cases."""

    @property
    def cases(self) -> CaseRunner: ...

    def targets(self, names: Iterable[str | None]) -> dict[str | None, Target]: ...

    def unjudgeable(self) -> Iterator[Run]:
        """Yield every run that no judge can be asked about, as it is to be reported."""
        ...


class RecordedEvidence:
    """What the runs of a report brought back, read when it is asked for."""

    def __init__(self, report: RecordedReport) -> None:
        self._report = report
        self._kinds = {test_id: test["kind"] for test_id, test in recorded_tests(report).items()}

    @cached_property
    def _entries(self) -> dict[tuple[str, int], RunEntry]:
        return {
            (test_id, entry["number"]): entry
            for test_id in self._kinds
            for entry in self._report.runs.runs(test_id)
        }

    def of(self, test_id: str, number: int) -> Conversation | CaseValue | EvidenceFailure:
        """Give the evidence of a run; a run that was not recorded is a failure, never a guess."""
        entry = self._entries.get((test_id, number))
        found = None if entry is None else recorded_run(entry).evidence
        match found:
            case None:
                return _not_recorded("the report holds nothing of this run")
            case Conversation(replies=replies):
                unasked = tuple(replace(reply, attempts=0) for reply in replies)
                return replace(found, replies=unasked, replayed=True)
            case CaseValue():
                return found

    def targets(self, names: Iterable[str | None]) -> dict[str | None, Target]:
        return {name: ReplayedTarget(self) for name in names}

    @property
    def cases(self) -> CaseRunner:
        return ReplayedCases(self)

    def unjudgeable(self) -> Iterator[Run]:
        """Yield every run that no judge can be asked about, as it is to be reported.

        Runs without evidence stay what they were. Evidence of which only a part was recorded would
        be judged as something that it is not: such a run is an error.
        """
        for entry in self._entries.values():
            run = recorded_run(entry)
            if run.evidence is None:
                yield _without_requests(run)
            elif (lost := _lost(entry)) is not None:
                yield self._in_part(run, lost)

    def _in_part(self, run: Run, lost: str) -> Run:
        failure = _not_recorded(f"recorded only in part: {lost}")
        if isinstance(run.evidence, Conversation):
            failure = replace(failure, transcript=run.evidence.transcript)
        return Run(
            test_id=run.test_id,
            number=run.number,
            outcome="case_error" if self._kinds[run.test_id] == "case" else "target_error",
            reason=failure.message,
            failure=failure,
            started_at=run.started_at,
            duration_seconds=run.duration_seconds,
        )


@dataclass(frozen=True, slots=True)
class ReplayedTarget:
    """Says again what a target said. Satisfies ``protocols.Target``."""

    evidence: RecordedEvidence

    async def converse(
        self, scenario: Scenario, *, run_number: int
    ) -> Conversation | EvidenceFailure:
        found = self.evidence.of(scenario.id, run_number)
        return found if not isinstance(found, CaseValue) else _not_recorded("it is a case's value")

    def key(self, scenario: Scenario) -> bytes | None:
        """Keep every cache out of it: the report is the one source."""
        del scenario
        return None


@dataclass(frozen=True, slots=True)
class ReplayedCases:
    """Returns again what cases returned. Satisfies ``protocols.CaseRunner``."""

    evidence: RecordedEvidence

    async def call(self, case: Case, *, run_number: int) -> CaseValue | EvidenceFailure:
        found = self.evidence.of(case.id, run_number)
        return found if not isinstance(found, Conversation) else _not_recorded("it is a talk")


def _not_recorded(message: str) -> EvidenceFailure:
    return EvidenceFailure(code=FailureCode.NOT_RECORDED, message=message, attempts=0)


def _without_requests(run: Run) -> Run:
    """Report an earlier failure without counting its requests once more."""
    if run.failure is None:
        return run
    return replace(run, failure=replace(run.failure, attempts=0, priced=False))


def _lost(entry: RunEntry) -> str | None:
    """Say what of the evidence is not in the report, None where all of it is."""
    if entry["redacted"]:
        return "secrets in it were replaced (report.redact, or a variable's value)"
    if entry["cut_chars"]:
        return f"{entry['cut_chars']:,} characters were cut (report.max_response_chars)"
    return None
