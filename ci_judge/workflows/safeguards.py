"""What keeps a run from spending too much, and from asking where nobody answers."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ci_judge.engine.attempt import Bench
from ci_judge.engine.brakes import Brake
from ci_judge.engine.breaker import Breaker, BreakerBrake, Origins
from ci_judge.engine.budget import Budget, Limits
from ci_judge.engine.budgeted import (
    Admission,
    BudgetBrake,
    BudgetedJudge,
    BudgetedTarget,
    BudgetGuard,
    MakeRun,
    judgement_cost,
)
from ci_judge.engine.seats import Seat, Seats
from ci_judge.judges.origins import judge_origin
from ci_judge.judges.preflight import Looked
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.document import BudgetEntry
from ci_judge.model.reasons import NotRunCode, ReasonCode
from ci_judge.model.results import TestResult
from ci_judge.model.suite import Scenario, Test
from ci_judge.settings import Settings
from ci_judge.transport import Guard

_STUB = "stub"


@dataclass(frozen=True, slots=True, kw_only=True)
class Safeguards:
    """The budget of a run, None where nothing is limited, and the breaker of its origins."""

    budget: Budget | None
    breaker: Breaker
    members: Sequence[JudgeSettings]

    def guards(self) -> list[Guard]:
        """Give the guards of the transport, in the order in which they are to be asked."""
        return [self.breaker, *([BudgetGuard(self.budget)] if self.budget else [])]

    def permit(self) -> str | None:
        """Count a command that is started now, or say why it may not be."""
        return self.budget.take_request() if self.budget else None

    def equip(self, bench: Bench, looked: Looked) -> Bench:
        """Put targets and judges behind the budget, which pays for the look at the judges, too."""
        if self.budget is None:
            return bench
        self.budget.book(
            "preflight",
            judgement_cost(looked.cost_usd, looked.usage, requests=looked.requests, answered=False),
        )
        targets = {
            name: BudgetedTarget(target, self.budget, kind=_target_kind(name))
            for name, target in bench.targets.items()
        }
        return replace(bench, targets=targets, seats=self._seats(bench.seats, self.budget))

    def _seats(self, seats: Seats, budget: Budget) -> Seats:
        """Put all judges but the stub, which asks nobody, behind the budget."""
        taken = tuple(
            seat if member.provider == _STUB else _budgeted(seat, budget, place)
            for place, (seat, member) in enumerate(
                zip(seats.taken, self.members, strict=True), start=1
            )
        )
        return replace(seats, taken=taken)

    def brakes(
        self, origins: Mapping[str | None, str | None], tests: Sequence[Test]
    ) -> list[Brake]:
        """Give who ends tests early; ``origins`` are those of the targets, by name."""
        targets = {
            test.id: origins.get(test.target) for test in tests if isinstance(test, Scenario)
        }
        judges = tuple(map(judge_origin, self.members))
        known = Origins(targets=targets, judges=judges)
        budget = [BudgetBrake(self.budget)] if self.budget else []
        return [*budget, BreakerBrake(self.breaker, known)]

    def admitting(self, make_run: MakeRun) -> MakeRun:
        """Make runs while there is room for them."""
        if self.budget is None:
            return make_run
        return Admission(make_run, self.budget, needs=self._needs).make_run

    def _needs(self, test: Test) -> Counter[str]:
        needs: Counter[str] = Counter()
        if isinstance(test, Scenario):
            needs[_target_kind(test.target)] = len(test.turns)
            if not test.expectations:
                return needs
        for place, member in enumerate(self.members, start=1):
            if member.provider != _STUB:
                needs[_judge_kind(place)] = member.used_repetitions
        return needs

    def entry(self, results: Sequence[TestResult]) -> BudgetEntry | None:
        """Say what was spent of what, and what was left out for it."""
        if self.budget is None:
            return None
        limits, budget = self.budget.limits, self.budget
        left = _left_out(results, NotRunCode.BUDGET)
        return {
            "usd": limits.usd,
            "requests": limits.requests,
            "tokens": limits.tokens,
            "minutes": limits.minutes,
            "spent_usd": round(budget.usd, 10),
            "spent_requests": budget.requests,
            "spent_tokens": budget.tokens,
            "spent_minutes": round(budget.minutes, 4),
            "estimated": budget.estimated,
            "refused": budget.refused,
            "runs_left_out": sum(left.values()),
            "tests_left_out": len(left),
        }

    def warnings(self, results: Sequence[TestResult]) -> Iterator[str]:
        """Say once what was left out, and why."""
        if self.budget is not None and self.budget.refused is not None:
            yield _stopped(self.budget.refused, _left_out(results, NotRunCode.BUDGET))
        yield from self._down(results)

    def _down(self, results: Sequence[TestResult]) -> Iterator[str]:
        down = self.breaker.all_down
        if down:
            yield _stopped("; ".join(down.values()), _left_out(results, NotRunCode.ORIGIN_DOWN))


def open_safeguards(settings: Settings, *, clock: Callable[[], float], judged: bool) -> Safeguards:
    """Open the account; its minutes begin now. ``judged`` says that judges will be asked."""
    limits = limits_of(settings)
    members = settings.judge.members if settings.judge and judged else ()
    return Safeguards(
        budget=Budget(limits, clock=clock) if limits.any else None,
        breaker=Breaker(clock=clock),
        members=members,
    )


def limits_of(settings: Settings) -> Limits:
    budget = settings.budget
    return Limits(
        usd=budget.usd, requests=budget.requests, tokens=budget.tokens, minutes=budget.minutes
    )


def _budgeted(seat: Seat, budget: Budget, place: int) -> Seat:
    judge = BudgetedJudge(seat.judge, budget, kind=_judge_kind(place), tariff=seat.tariff)
    return replace(seat, judge=judge)


def _target_kind(name: str | None) -> str:
    return "target" if name is None else f"target {name}"


def _judge_kind(place: int) -> str:
    return f"judge {place}"


def _left_out(results: Sequence[TestResult], code: ReasonCode) -> dict[str, int]:
    """Count the runs of each test that have no verdict for a reason, made or not."""
    counted: Counter[str] = Counter()
    for result in results:
        for reason in result.reasons:
            if reason.code.value == code.value:
                counted[result.test.id] += reason.runs
    return dict(counted)


def _stopped(why: str, left: Mapping[str, int]) -> str:
    if not left:
        return f"{why}; nothing was left out"
    runs, tests = sum(left.values()), len(left)
    return (
        f"{why}: {runs:,} run{'' if runs == 1 else 's'} of {tests:,} "
        f"test{'' if tests == 1 else 's'} left out"
    )
