"""Whoever spends, behind the budget: transport, commands, targets, judges and whole runs."""

from collections import Counter
from collections.abc import Awaitable, Callable

from ci_judge.engine.budget import Budget, Cost
from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode
from ci_judge.model.judging import (
    Answer,
    JudgeFailure,
    JudgeIdentity,
    Question,
    Run,
    Usage,
)
from ci_judge.model.reasons import NotRunCode
from ci_judge.model.suite import Scenario, Test
from ci_judge.protocols import Judge, Target
from ci_judge.rules.pricing import Tariff, requests_cost
from ci_judge.transport import HttpReply, TransportFailure

_NO_TOKENS = Usage(input_tokens=0, output_tokens=0)
MakeRun = Callable[[Test, int], Awaitable[Run]]


class BudgetGuard:
    """Counts every request of a transport. Satisfies ``transport.Guard``.

    It must be the last of the guards: what it lets through is sent.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def before(self, origin: str) -> TransportFailure | None:
        del origin
        refusal = self._budget.take_request()
        if refusal is None:
            return None
        return TransportFailure(code=FailureCode.BUDGET, message=refusal, attempts=0)

    def after(self, origin: str, outcome: HttpReply | TransportFailure) -> None:
        pass


class BudgetBrake:
    """Ends all tests once the budget is spent. Satisfies ``engine.brakes.Brake``."""

    code = NotRunCode.BUDGET

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def reason(self, test: Test) -> str | None:
        del test
        return self._budget.refusal()

    def saw(self, run: Run) -> None:
        pass


class BudgetedTarget:
    """Holds a conversation when there is room for it. Satisfies ``protocols.Target``."""

    def __init__(self, target: Target, budget: Budget, *, kind: str) -> None:
        self._target = target
        self._budget = budget
        self._kind = kind

    def key(self, scenario: Scenario) -> bytes | None:
        return self._target.key(scenario)

    async def converse(
        self, scenario: Scenario, *, run_number: int
    ) -> Conversation | EvidenceFailure:
        """Hold the conversation, each turn of which may cost what the dearest did."""
        parts = len(scenario.turns)
        refusal = await self._budget.begin(self._kind, parts=parts)
        if refusal is not None:
            return EvidenceFailure(code=FailureCode.BUDGET, message=refusal, attempts=0)
        costs: list[Cost] = []
        try:
            outcome = await self._target.converse(scenario, run_number=run_number)
            costs = _costs(outcome)
        finally:
            self._budget.end(self._kind, costs, parts=parts)
        return outcome


class BudgetedJudge:
    """Asks when there is room for one more judgement. Satisfies ``protocols.Judge``."""

    def __init__(self, judge: Judge, budget: Budget, *, kind: str, tariff: Tariff) -> None:
        self._judge = judge
        self._budget = budget
        self._kind = kind
        self._tariff = tariff

    @property
    def identity(self) -> JudgeIdentity:
        return self._judge.identity

    def key(self, question: Question) -> bytes | None:
        return self._judge.key(question)

    async def judge(self, question: Question) -> Answer | JudgeFailure:
        refusal = await self._budget.begin(self._kind)
        if refusal is not None:
            return JudgeFailure(
                code=FailureCode.BUDGET,
                message=f"the judge was not asked: {refusal}",
                requests=0,
                usage=_NO_TOKENS,
            )
        costs: list[Cost] = []
        try:
            outcome = await self._judge.judge(question)
            costs = [self._cost(outcome)]
        finally:
            self._budget.end(self._kind, costs)
        return outcome

    def _cost(self, outcome: Answer | JudgeFailure) -> Cost:
        answered = outcome.model if isinstance(outcome, Answer) else None
        price = self._tariff.of(answered, self.identity.model)
        return judgement_cost(
            requests_cost(outcome.requests, outcome.usage, price),
            outcome.usage,
            requests=outcome.requests,
            answered=isinstance(outcome, Answer),
        )


class Admission:
    """Makes runs while there is room for whole ones, so that little evidence goes unjudged.

    ``needs`` counts what a run of a test will ask, by kind.
    """

    def __init__(
        self, make_run: MakeRun, budget: Budget, *, needs: Callable[[Test], Counter[str]]
    ) -> None:
        self._make_run = make_run
        self._budget = budget
        self._needs = needs

    async def make_run(self, test: Test, number: int) -> Run:
        needs = self._needs(test)
        refusal = await self._budget.admit(needs)
        if refusal is not None:
            return Run(
                test_id=test.id,
                number=number,
                outcome="not_run",
                reason=refusal,
                not_run_code=NotRunCode.BUDGET,
            )
        try:
            return await self._make_run(test, number)
        finally:
            self._budget.leave(needs)


def judgement_cost(usd: float | None, usage: Usage, *, requests: int, answered: bool) -> Cost:
    """Give what a judgement comes to; one without a request took no tokens, whoever counts."""
    counts = (usage.input_tokens, usage.output_tokens)
    known = [count for count in counts if count is not None]
    tokens = sum(known) if len(known) == len(counts) else None
    return Cost(usd=usd, tokens=tokens if requests else 0, answered=answered)


def _costs(outcome: Conversation | EvidenceFailure) -> list[Cost]:
    """Price each answer; a target without prices is not counted, nor is what was not sent."""
    if isinstance(outcome, Conversation):
        return [Cost(usd=reply.cost_usd if reply.priced else 0.0) for reply in outcome.replies]
    unknown = outcome.priced and outcome.attempts > 0
    return [Cost(usd=None if unknown else 0.0, answered=False)]
