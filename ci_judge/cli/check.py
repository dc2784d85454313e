"""``ci-judge check``: is everything right, and what would a run do? Nothing is sent."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import click

from ci_judge.cli import options
from ci_judge.errors import ExitCode
from ci_judge.model.suite import GateRule
from ci_judge.renderers.wording import counted
from ci_judge.rules.gate_words import needs
from ci_judge.rules.gates import needed_passes, perfect_runs
from ci_judge.settings import Settings, load_settings
from ci_judge.sinks.log import LogWriter
from ci_judge.workflows.opening import open_household
from ci_judge.workflows.planning import Plan, Selection, Strictness, make_plan, needs_judge
from ci_judge.workflows.surroundings import Surroundings


@click.command(
    short_help="Validate everything and print the plan; send nothing.",
    epilog="Example: ci-judge check --config ci-judge.yaml",
)
@options.config
@options.names
@options.tags
@options.overrides
def command(**values: Any) -> int:
    """Validate configuration, criteria, scenarios and cases, and print what a run would do.

    Cases are imported to be found; no target and no judge is asked. Exit code 2 when anything is
    wrong, 0 otherwise, warnings included.
    """
    surroundings = Surroundings.real()
    settings = load_settings(
        config=values["config"],
        cwd=surroundings.cwd,
        environment=surroundings.environment,
        overrides=options.given_overrides(values),
    )
    selection = Selection(names=values["names"], tags=values["tags"])
    plan = asyncio.run(_plan(settings, surroundings, selection))
    log = LogWriter(sys.stdout.write, commands=False)
    for line in _lines(settings, plan):
        log.line(line)
    return int(ExitCode.PASSED)


async def _plan(settings: Settings, surroundings: Surroundings, selection: Selection) -> Plan:
    async with AsyncExitStack() as stack:
        household = open_household(settings, surroundings, stack)
        return await make_plan(
            settings,
            surroundings,
            selection,
            hosts=household.hosts,
            strictness=Strictness(key_needed=False),
        )


def _lines(settings: Settings, plan: Plan) -> Iterator[str]:
    for test in plan.tests:
        gate = f"{test.gate.kind.value}, needs {_needs(test.gate)}"
        yield f"  {test.id}  {gate}" if test.skip is None else f"  {test.id}  skipped: {test.skip}"
    for warning in plan.warnings:
        yield f"warning: {warning}"
    runs = sum(test.gate.runs for test in plan.tests if test.skip is None)
    judge = settings.judge.provider if settings.judge and needs_judge(plan.suite) else "none needed"
    counts = f"{counted(len(plan.tests), 'test')}, {counted(runs, 'run')}"
    yield f"{counts}, judge: {judge}. Nothing was sent."


def _needs(gate: GateRule) -> str:
    return needs(gate, needed=needed_passes(gate), perfect=perfect_runs(gate))
