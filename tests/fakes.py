"""Stand-ins for the protocols, driven by plain functions. They hold what they were asked."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from ci_judge.cache import digest
from ci_judge.model.evidence import CaseValue, Conversation, EvidenceFailure, Reply
from ci_judge.model.judging import (
    Answer,
    Decision,
    JudgeFailure,
    JudgeIdentity,
    Question,
    Run,
)
from ci_judge.model.results import TestResult
from ci_judge.model.suite import Case, Message, Scenario

Says = Callable[[Scenario, int], str | EvidenceFailure]


class FakeTarget:
    """Answers the last turn with what ``says(scenario, run_number)`` gives."""

    def __init__(self, says: Says) -> None:
        self._says = says
        self.asked: list[tuple[str, int]] = []
        self.in_flight = 0
        self.most_in_flight = 0

    async def converse(
        self, scenario: Scenario, *, run_number: int
    ) -> Conversation | EvidenceFailure:
        self.asked.append((scenario.id, run_number))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(0)
            said = self._says(scenario, run_number)
        finally:
            self.in_flight -= 1
        return said if isinstance(said, EvidenceFailure) else a_conversation(said)

    def key(self, scenario: Scenario) -> bytes | None:
        return digest([scenario.turns, [past.content for past in scenario.history]])


def a_conversation(text: str, *, latency_seconds: float = 0.1) -> Conversation:
    return Conversation(
        transcript=(
            Message(role="user", content="hello"),
            Message(role="assistant", content=text),
        ),
        replies=(Reply(text=text, value=text, latency_seconds=latency_seconds, status=200),),
    )


class FakeCases:
    """Calls ``returns(case, run_number)``."""

    def __init__(self, returns: Callable[[Case, int], CaseValue | EvidenceFailure]) -> None:
        self._returns = returns

    async def call(self, case: Case, *, run_number: int) -> CaseValue | EvidenceFailure:
        return self._returns(case, run_number)


class FakeJudge:
    """Gives each question the answer that ``answers`` makes; passes everything by default."""

    def __init__(
        self,
        answers: Callable[[Question], Answer | JudgeFailure] | None = None,
        *,
        identity: JudgeIdentity | None = None,
    ) -> None:
        self._answers = answers or _all_pass
        self.identity = identity or JudgeIdentity(provider="fake", model="m-1", wire="boolean")
        self.asked: list[Question] = []

    async def judge(self, question: Question) -> Answer | JudgeFailure:
        self.asked.append(question)
        await asyncio.sleep(0)
        return self._answers(question)

    def key(self, question: Question) -> bytes | None:
        return digest(self.identity.model, repr(replace(question, repetition=1)))


def _all_pass(question: Question) -> Answer:
    return Answer(opinions=(Decision(passed=True, reason="fine"),) * question.items)


class Watcher:
    """A Progress that remembers."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.tests: list[TestResult] = []

    def run_finished(self, run: Run) -> None:
        self.runs.append(run)

    def test_finished(self, result: TestResult) -> None:
        self.tests.append(result)
