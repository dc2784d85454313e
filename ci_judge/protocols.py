"""The interfaces between the story and what varies. All of them, on one page."""

from collections.abc import Iterator
from typing import Protocol

from ci_judge.model.document import ReportDocument, RunEntry
from ci_judge.model.evidence import CaseValue, Conversation, EvidenceFailure
from ci_judge.model.judging import Answer, JudgeFailure, JudgeIdentity, Question, Run
from ci_judge.model.results import TestResult
from ci_judge.model.suite import Case, Scenario


class Target(Protocol):
    """The endpoint or command under test. One call is one run: a whole conversation."""

    async def converse(
        self, scenario: Scenario, *, run_number: int
    ) -> Conversation | EvidenceFailure:
        """Hold the scenario's conversation once. Raises nothing for what the target does wrong."""
        ...

    def key(self, scenario: Scenario) -> bytes | None:
        """Digest everything that decides what is sent, None for what no cache may answer.

        What is fresh in every run (an id, a port) counts as always the same.
        """
        ...


class CaseRunner(Protocol):
    """Calls case functions where they cannot harm the run."""

    async def call(self, case: Case, *, run_number: int) -> CaseValue | EvidenceFailure:
        """Call the function once. Raises nothing for what the function does wrong."""
        ...


class Judge(Protocol):
    """Whoever marks evidence."""

    @property
    def identity(self) -> JudgeIdentity: ...

    async def judge(self, question: Question) -> Answer | JudgeFailure:
        """Give one opinion an item. Raises nothing for what the provider does wrong."""
        ...

    def key(self, question: Question) -> bytes | None:
        """Digest everything that can change the answer, None for what no cache may answer.

        That is provider, address, model, parameters and the whole prompt under a fixed mark.
        """
        ...


class RunSource(Protocol):
    """Where the runs of a report can be read, test by test, in run-number order."""

    def runs(self, test_id: str) -> Iterator[RunEntry]: ...


class Renderer(Protocol):
    """One format of the report, as pieces of text so that nobody holds a whole large file."""

    def render(self, document: ReportDocument, runs: RunSource) -> Iterator[str]: ...


class Sink(Protocol):
    """A place where the finished report goes. Raises SinkFailed; never changes the verdict."""

    name: str

    async def publish(self, document: ReportDocument, runs: RunSource) -> None: ...


class Progress(Protocol):
    """Somebody who watches a run go by."""

    def run_finished(self, run: Run) -> None: ...

    def test_finished(self, result: TestResult) -> None: ...
