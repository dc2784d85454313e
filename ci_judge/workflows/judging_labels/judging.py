"""Judges labelled responses as a run would judge such responses."""

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from ci_judge.engine.attempt import Attempts, Bench
from ci_judge.engine.scheduler import Scheduler
from ci_judge.engine.spending import Spending
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import InvalidInput
from ci_judge.judges.registry import missing_keys
from ci_judge.model.judging import Run
from ci_judge.model.results import TestResult
from ci_judge.model.suite import Suite
from ci_judge.redaction import Redactor
from ci_judge.rules.gates import decide
from ci_judge.settings import Settings
from ci_judge.suites.labels import Label
from ci_judge.workflows.budget_problems import budget_problems
from ci_judge.workflows.children import open_children
from ci_judge.workflows.judging_labels.labelled_evidence import LabelledEvidence
from ci_judge.workflows.judging_labels.measuring import Judged
from ci_judge.workflows.memory import Memory, open_memory
from ci_judge.workflows.opening import OpenBench, open_bench, open_household
from ci_judge.workflows.planning import Plan
from ci_judge.workflows.safeguards import Safeguards, open_safeguards
from ci_judge.workflows.surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """What the judge said of all labels, in their order; ``made`` is when, since the epoch.

    ``warnings`` are what a reader must know.
    """

    judged: tuple[Judged, ...]
    seed: int
    made: float
    spending: Spending
    warnings: tuple[str, ...]


async def judge_labels(
    labels: Sequence[Label],
    settings: Settings,
    surroundings: Surroundings,
    *,
    redactor: Redactor,
    stop_sign: StopSign,
) -> Judgements:
    """Ask the judge about every label, and nobody else about anything.

    Budgets, limits, the log of verdicts and the cache are those of a run: a judgement that was made
    before is known again, so what was interrupted goes on where it was. Raises InvalidInput and
    CannotStart for what stops it before anything is sent.
    """
    plan = _plan(labels, settings, surroundings)
    async with AsyncExitStack() as stack:
        safeguards = open_safeguards(settings, clock=surroundings.clock, judged=True)
        children = open_children(settings, surroundings, stack, redact=redactor.text)
        opening = open_bench(
            settings,
            surroundings,
            plan,
            household=open_household(settings, surroundings, stack, children=children),
            safeguards=safeguards,
            stack=stack,
        )
        opened = await stop_sign.before(opening)
        memory = open_memory(settings, redactor, stack)
        desk = _Desk(plan=plan, opened=opened, memory=memory, safeguards=safeguards)
        results = await desk.judge(stop_sign)
        warnings = (*safeguards.warnings(results), *memory.warnings(replayed=0))
    return Judgements(
        judged=tuple(Judged(label=label, run=desk.runs[label.scenario.id]) for label in labels),
        seed=opened.bench.seed,
        made=surroundings.wall_clock(),
        spending=desk.spending,
        warnings=warnings,
    )


def _plan(labels: Sequence[Label], settings: Settings, surroundings: Surroundings) -> Plan:
    """Make a plan of the labels, one run each. Raises InvalidInput for what keeps it from a run."""
    suite = Suite(
        criteria=tuple(dict.fromkeys(label.scenario.criterion for label in labels)),
        scenarios=tuple(label.scenario for label in labels),
    )
    if settings.judge is None:
        raise InvalidInput.of(
            "no judge is configured",
            hint="a calibration is of the judge in the section judge",
            place=settings.place(""),
        )
    problems = (
        *budget_problems(settings, suite, judged=True),
        *missing_keys(settings.judge, surroundings.environment, from_fork=False),
    )
    if problems:
        raise InvalidInput(*problems)
    return Plan(
        suite=suite, warnings=settings.warnings, left_out=0, evidence=LabelledEvidence(labels)
    )


@dataclass(slots=True, kw_only=True)
class _Desk:
    """Has every label judged, keeps the runs as they end, and logs their verdicts."""

    plan: Plan
    opened: OpenBench
    memory: Memory
    safeguards: Safeguards
    runs: dict[str, Run] = field(default_factory=dict)
    spending: Spending = field(default_factory=Spending)

    async def judge(self, stop_sign: StopSign) -> list[TestResult]:
        looked = self.opened.looked
        self.spending.add_judge_requests(looked.requests, looked.usage, cost_usd=looked.cost_usd)
        bench: Bench = self.memory.equip(self.safeguards.equip(self.opened.bench, looked))
        capacity: Callable[[], int] = self.opened.capacity
        scheduler = Scheduler(
            self.plan.tests,
            make_run=self.safeguards.admitting(Attempts(bench).make_run),
            decide=decide,
            record=self._record,
            progress=_Unwatched(),
            stop_sign=stop_sign,
            capacity=capacity,
            brakes=self.safeguards.brakes(self.opened.origins, self.plan.tests),
        )
        await scheduler.run()
        return [scheduler.result(test) for test in self.plan.tests]

    def _record(self, run: Run) -> None:
        self.runs[run.test_id] = run
        self.memory.record(run, self.opened.bench)
        self.spending.add(run)


class _Unwatched:
    def run_finished(self, run: Run) -> None:
        pass

    def test_finished(self, result: TestResult) -> None:
        pass
