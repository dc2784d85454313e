"""One run of one test: collect the evidence, look at it exactly, then ask the judge."""

import asyncio
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from ci_judge.engine.seats import Seats
from ci_judge.engine.trials import TrialMaker
from ci_judge.model.evidence import (
    CaseValue,
    Conversation,
    Evidence,
    EvidenceFailure,
    FailureCode,
)
from ci_judge.model.judging import (
    CaseQuestion,
    CheckResult,
    Outcome,
    Question,
    Run,
    ScenarioQuestion,
    Suspicion,
    Trial,
)
from ci_judge.model.reasons import NotRunCode
from ci_judge.model.suite import Case, CheckKind, Scenario, Test
from ci_judge.protocols import CaseRunner, Target
from ci_judge.rules.checks import CheckTools, evaluate_checks, phrase_results
from ci_judge.rules.suspicion import find_suspicions
from ci_judge.rules.verdicts import Verdict, failed_check

DETAIL_CHARS = 4_000
_NOT_RUN: Mapping[FailureCode, NotRunCode] = {
    FailureCode.BUDGET: NotRunCode.BUDGET,
    FailureCode.ORIGIN_DOWN: NotRunCode.ORIGIN_DOWN,
    FailureCode.NOT_RECORDED: NotRunCode.NOT_RECORDED,
}
SLOW_CHECKS = frozenset({CheckKind.REGEX, CheckKind.JSON_SCHEMA})


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """How many requests may be in flight at once, to targets and to judges.

    ``children`` limits cases and the targets named in ``commands`` apart from the others; without
    it they count as targets.
    """

    target: asyncio.Semaphore
    judge: asyncio.Semaphore
    children: asyncio.Semaphore | None = None
    commands: frozenset[str | None] = frozenset()

    def collecting(self, test: Test) -> asyncio.Semaphore:
        """Return the limit that holds for collecting a test's evidence."""
        child = isinstance(test, Case) or test.target in self.commands
        return self.children if child and self.children is not None else self.target


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Who takes part in every run."""

    targets: Mapping[str | None, Target]
    cases: CaseRunner | None
    seats: Seats
    tools: CheckTools
    seed: int
    slots: Slots
    wall_clock: Callable[[], float]
    clock: Callable[[], float]


@dataclass(slots=True)
class _Progress:
    """What a run has come to so far; it becomes the Run, whatever happens next."""

    evidence: Evidence | None = None
    failure: EvidenceFailure | None = None
    checks: tuple[CheckResult, ...] = ()
    trials: tuple[Trial, ...] = ()
    suspicious: tuple[Suspicion, ...] = ()


class Attempts:
    """Makes runs. Nothing that a target, a case or a judge does raises out of here."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._trials = TrialMaker(
            seats=bench.seats, slots=bench.slots.judge, seed=bench.seed, clock=bench.clock
        )

    async def make_run(self, test: Test, number: int) -> Run:
        """Make run ``number`` (from 1) of a test."""
        started, begun = self._bench.wall_clock(), self._bench.clock()
        so_far = _Progress()
        try:
            verdict = await self._go(test, number, so_far)
        except Exception as error:  # noqa: BLE001 - a bug in one run must not end the others
            verdict = _crashed(error, test, so_far)
        return Run(
            test_id=test.id,
            number=number,
            outcome=verdict.outcome,
            reason=self._bench.tools.redact(verdict.reason),
            not_run_code=_not_run_code(so_far) if verdict.outcome == "not_run" else None,
            certain=verdict.certain,
            evidence=so_far.evidence,
            failure=None if verdict.outcome == "not_run" else so_far.failure,
            checks=so_far.checks,
            trials=so_far.trials,
            votes=verdict.votes,
            suspicious=so_far.suspicious,
            started_at=started,
            duration_seconds=self._bench.clock() - begun,
        )

    async def _go(self, test: Test, number: int, so_far: _Progress) -> Verdict:
        collected = await self._collect(test, number)
        if isinstance(collected, EvidenceFailure):
            return _without_evidence(collected, test, so_far)
        so_far.evidence = collected
        so_far.suspicious = find_suspicions(collected, redact=self._bench.tools.redact)
        question = _question(test, collected)
        if isinstance(test, Scenario) and isinstance(collected, Conversation):
            redact = self._bench.tools.redact
            looked = await self._checked(test, collected)
            if isinstance(looked, EvidenceFailure):
                return _without_verdict(looked, so_far)
            so_far.checks = (*looked, *phrase_results(test.expectations, collected, redact=redact))
        if question.items and failed_check(so_far.checks) is None:
            so_far.trials = await self._trials.make(question, test_id=test.id, run=number)
        return self._trials.verdict(so_far.checks, so_far.trials, items=question.items)

    async def _checked(
        self, test: Scenario, conversation: Conversation
    ) -> tuple[CheckResult, ...] | EvidenceFailure:
        """Evaluate the checks; those that may take their time do not hold up other runs."""
        evaluate = partial(evaluate_checks, test.checks, conversation, self._bench.tools)
        if any(check.kind in SLOW_CHECKS for check in test.checks):
            return await asyncio.to_thread(evaluate)
        return evaluate()

    async def _collect(self, test: Test, number: int) -> Evidence | EvidenceFailure:
        async with self._bench.slots.collecting(test):
            if isinstance(test, Scenario):
                target = self._bench.targets[test.target]
                return await target.converse(test, run_number=number)
            if self._bench.cases is None:
                raise RuntimeError("a case is to be called and nobody can call it")
            return await self._bench.cases.call(test, run_number=number)


def _question(test: Test, evidence: Evidence) -> Question:
    match test, evidence:
        case Scenario(), Conversation():
            return ScenarioQuestion(
                criterion=test.criterion, expectations=test.expectations, conversation=evidence
            )
        case Case(), CaseValue():
            return CaseQuestion(requirement=test.requirement, evidence=evidence.value)
        case _:
            raise TypeError(f"{type(evidence).__name__} is no evidence for {test.id!r}")


def _without_evidence(failure: EvidenceFailure, test: Test, so_far: _Progress) -> Verdict:
    so_far.failure = failure
    outcome: Outcome = "not_run" if _unsent(failure) else _error_of(test)
    return Verdict(outcome=outcome, reason=failure.message, certain=False, votes=())


def _unsent(failure: EvidenceFailure) -> bool:
    """Tell whether a run came to nothing because nothing was to be sent at all."""
    return failure.attempts == 0 and failure.code in _NOT_RUN


def _not_run_code(so_far: _Progress) -> NotRunCode | None:
    return None if so_far.failure is None else _NOT_RUN[so_far.failure.code]


def _without_verdict(failure: EvidenceFailure, so_far: _Progress) -> Verdict:
    """Book a check that could not be decided: there is evidence, and no verdict on it."""
    so_far.failure = failure
    return Verdict(outcome="judge_error", reason=failure.message, certain=False, votes=())


def _error_of(test: Test) -> Outcome:
    return "target_error" if isinstance(test, Scenario) else "case_error"


def _crashed(error: Exception, test: Test, so_far: _Progress) -> Verdict:
    message = f"a bug in CI Judge: {type(error).__name__}: {error}"
    so_far.failure = EvidenceFailure(
        code=FailureCode.INTERNAL,
        message=message,
        detail="".join(traceback.format_exception(error))[-DETAIL_CHARS:],
    )
    outcome: Outcome = _error_of(test) if so_far.evidence is None else "judge_error"
    return Verdict(outcome=outcome, reason=message, certain=False, votes=())
