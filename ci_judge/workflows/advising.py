"""What ``ci-judge check`` advises of a plan, beyond what a run has to know."""

from ci_judge.errors import Problem
from ci_judge.settings import Settings
from ci_judge.suites.advice import suite_advice
from ci_judge.suites.gate_origins import GateOrigins
from ci_judge.suites.paths import DEFAULT_PATHS
from ci_judge.workflows.automatic_packages import taken_for_packages
from ci_judge.workflows.planning import Plan

_STUB = "stub"


def plan_advice(settings: Settings, plan: Plan) -> tuple[Problem, ...]:
    """Return what makes verdicts of the selected tests unreliable, or an installation fail."""
    judges = settings.judge.members if settings.judge else ()
    models = {judge.asked_model for judge in judges if judge.provider != _STUB}
    origins = GateOrigins(defaults=settings.gate_defaults(), places=settings.gate_places)
    taken = taken_for_packages(settings.root, paths=settings.suite.paths or (DEFAULT_PATHS,))
    return (
        *suite_advice(plan.suite, models=models, origins=origins),
        *(() if taken is None else (taken,)),
    )
