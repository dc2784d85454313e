"""``ci-judge check``: is everything right, and what would a run do? Nothing is sent."""

import asyncio
from typing import Any

import click

from ci_judge.cli import options
from ci_judge.cli.plan_lines import plan_lines
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.errors import ExitCode
from ci_judge.settings import load_settings
from ci_judge.workflows.advising import plan_advice
from ci_judge.workflows.planning import Selection, Strictness
from ci_judge.workflows.secrecy import make_redactor
from ci_judge.workflows.surroundings import Surroundings
from ci_judge.workflows.surveying import survey


@click.command(
    short_help="Validate everything and print the plan; send nothing.",
    epilog="Example: ci-judge check --config ci-judge.yaml",
)
@options.config
@options.names
@options.tags
@options.overrides
@pass_screen
def command(screen: Screen, /, **values: Any) -> int:
    """Validate configuration, criteria, scenarios and cases, and print what a run would do.

    Cases are imported to be found; no target and no judge is asked. Exit code 2 when anything is
    wrong, 0 otherwise, warnings included.
    """
    surroundings = Surroundings.real()
    overrides = options.given_overrides(values)
    settings = load_settings(
        config=values["config"],
        cwd=surroundings.cwd,
        environment=surroundings.environment,
        overrides=overrides,
    )
    redactor = make_redactor(settings, surroundings, further=())
    screen.protect(redactor)
    selection = Selection(names=values["names"], tags=values["tags"])
    strictness = Strictness(key_needed=False, allow_unreachable="run.runs" in overrides)
    surveying = survey(settings, surroundings, selection, redactor=redactor, strictness=strictness)
    plan = asyncio.run(surveying).plan
    for line in plan_lines(settings, plan, advice=plan_advice(settings, plan)):
        screen.out.line(line)
    return int(ExitCode.PASSED)
