"""Options that several commands share, and how they become overrides of the configuration."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ci_judge.settings import Given

F = TypeVar("F", bound=Callable[..., Any])

config = click.option(
    "--config",
    "-c",
    type=click.Path(path_type=Path),
    help="The configuration file. Found in this folder or a parent when not given.",
)

names = click.option("-k", "names", metavar="EXPR", help="Only tests whose id or name matches.")
tags = click.option("-m", "tags", metavar="TAGEXPR", help="Only tests with these tags or kinds.")

# Flag, configuration key, help. The value goes to the settings as it was typed: they know its form.
OVERRIDES = (
    ("--runs", "run.runs", "Runs of each test that does not set its own."),
    ("--threshold", "run.threshold", "Pass rate that a gate must prove, such as 0.8."),
    ("--seed", "run.seed", "Seed of the draws, for the same draws again."),
    ("--concurrency", "run.concurrency", "Requests in flight to the target: a number, or auto."),
    ("--shard", "run.shard", "Run part I of N of the tests, such as 1/4; see ci-judge merge."),
    ("--balance", "run.balance", "An earlier report.json: shards that take about as long."),
    ("--max-cost", "budget.usd", "The most that the run may spend, in USD."),
    ("--max-requests", "budget.requests", "The most requests, every retry counted."),
    ("--max-tokens", "budget.tokens", "The most tokens of judges."),
    ("--max-minutes", "budget.minutes", "Minutes after which nothing more is sent."),
    ("--baseline", "run.baseline", "An earlier report.json to compare with, or none."),
    ("--fail-on", "run.fail_on", "What fails the command: error, failure, regression or never."),
    ("--report-dir", "report.dir", "Folder for the reports."),
    (
        "--judge-provider",
        "judge.provider",
        "Who judges: stub, anthropic, openai, systemone, command.",
    ),
    ("--judge-model", "judge.model", "The judge's model."),
)

# Flags without a value: each sets its key to "true".
SWITCHES = (
    ("--early-stop", "run.early_stop", "Leave out runs that cannot change the result of a gate."),
)


def overrides(function: F) -> F:
    """Add a flag for each entry of OVERRIDES and SWITCHES; they arrive as ``values``."""
    return overrides_of(*(key for _, key, _ in (*OVERRIDES, *SWITCHES)))(function)


def overrides_of(*keys: str) -> Callable[[F], F]:
    """Add the flags of these configuration keys alone."""

    def decorate(function: F) -> F:
        for flag, key, text in SWITCHES:
            if key in keys:
                switch = click.option(
                    flag,
                    parameter_name(key),
                    is_flag=True,
                    flag_value="true",
                    default=None,
                    help=text,
                )
                function = switch(function)
        for flag, key, text in reversed(OVERRIDES):
            if key in keys:
                option = click.option(flag, parameter_name(key), metavar="VALUE", help=text)
                function = option(function)
        return function

    return decorate


def parameter_name(key: str) -> str:
    return "set_" + key.replace(".", "_")


def given_overrides(values: dict[str, Any]) -> dict[str, Given]:
    """Pick the flags that were given, as dotted keys. Takes them out of ``values``."""
    known = (*OVERRIDES, *SWITCHES)
    picked = [(key, flag, values.pop(parameter_name(key), None)) for flag, key, _ in known]
    return {key: Given(value=text, by=flag) for key, flag, text in picked if text is not None}
