"""``ci-judge plan``: what the gates promise, what a comparison sees, and what it costs."""

from collections.abc import Mapping
from typing import Any

import click

from ci_judge.cli import options
from ci_judge.cli.design_lines import design_lines
from ci_judge.cli.plan_lines import sending_lines
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.cli.surveyed import surveyed
from ci_judge.errors import ExitCode
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.settings import Given, Settings
from ci_judge.workflows.calibration.known import as_judged
from ci_judge.workflows.kept_gates import kept_gates

_GATE_FLAGS = {"gate": "run.gate", "confidence": "run.confidence", "misses": "run.misses"}


@click.command(
    short_help="Say what the gates promise and cost; try other designs.",
    epilog="Example: ci-judge plan --gate exact --runs 30 --threshold 0.8",
)
@options.config
@options.names
@options.tags
@options.overrides_of(
    "run.runs",
    "run.threshold",
    "run.early_stop",
    "run.shard",
    "judge.provider",
    "judge.model",
)
@click.option(
    "--gate",
    type=click.Choice([kind.value for kind in GateKind]),
    help="Rule of each test that does not set its own.",
)
@click.option("--confidence", metavar="VALUE", help="Confidence of the gates, such as 0.9.")
@click.option("--misses", metavar="VALUE", help="Failed runs that are allowed (gate misses).")
@pass_screen
def command(screen: Screen, /, **values: Any) -> int:
    """Say how often the gates of a suite err, whether a drop would be seen, and what it costs.

    Reads everything as ci-judge check does and sends nothing. Flags try another design; a test
    that sets its own runs, threshold or gate keeps them. A gate that cannot be passed is shown, not
    refused. Exit code 2 when a file or flag is wrong, 0 otherwise.
    """
    overrides = options.given_overrides(values) | _gate_flags(values)
    found = surveyed(screen, values, overrides=overrides, allow_unreachable=True)
    to_run = [test for test in found.plan.tests if test.skip is None]
    tests = as_judged(to_run, found.plan.calibration)
    settings = found.settings
    for line in (
        *(f"note: {kept}" for kept in kept_gates(settings, to_run)),
        *design_lines(tests, usual=_usual(settings), alpha=settings.run.alpha.value),
        *sending_lines(settings, found.plan),
    ):
        screen.out.line(line)
    return int(ExitCode.PASSED)


def _gate_flags(values: Mapping[str, Any]) -> dict[str, Given]:
    return {
        key: Given(value=values[name], by=f"--{name}")
        for name, key in _GATE_FLAGS.items()
        if values[name] is not None
    }


def _usual(settings: Settings) -> GateRule:
    defaults = settings.gate_defaults()
    return GateRule(
        kind=GateKind.EXACT,
        runs=defaults.runs,
        threshold=defaults.threshold,
        confidence=defaults.confidence,
    )
