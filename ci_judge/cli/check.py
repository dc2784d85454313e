"""``ci-judge check``: is everything right, and what would a run do? Nothing is sent."""

from typing import Any

import click

from ci_judge.cli import options
from ci_judge.cli.plan_lines import plan_lines
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.cli.surveyed import surveyed
from ci_judge.errors import ExitCode
from ci_judge.workflows.address_in_ci import unreachable_in_ci
from ci_judge.workflows.advising import plan_advice


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
    wrong, 0 otherwise, warnings included. Of a dataset the first rows are listed; with -k or -m
    every row that they select.
    """
    overrides = options.given_overrides(values)
    found = surveyed(screen, values, overrides=overrides, allow_unreachable="run.runs" in overrides)
    lines = plan_lines(
        found.settings,
        found.plan,
        advice=plan_advice(found.settings, found.plan),
        notes=unreachable_in_ci(found.settings),
        every_row=bool(values["names"] or values["tags"]),
    )
    for line in lines:
        screen.out.line(line)
    return int(ExitCode.PASSED)
