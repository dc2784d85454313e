"""Runs the configured suite twice, each time into a folder of its own."""

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from ci_judge.app import Finished, RunOptions
from ci_judge.ci_context import context_of
from ci_judge.cli.run import Terminal, run_to_the_end
from ci_judge.cli.screen import Screen
from ci_judge.settings import Given
from ci_judge.workflows.planning import Selection
from ci_judge.workflows.surroundings import Surroundings

FOLDER = "ci-judge-report/aa"
_NAMES = ("a", "b")
_ASKED_ANEW = {"run.cache": "off", "run.baseline": "none", "run.fail_on": "never"}
"""Nothing is taken over from anywhere, and no gate is what the command is about."""


def run_twice(screen: Screen, values: Mapping[str, Any]) -> list[Finished]:
    """Run the suite for the options config, names, tags and report_dir; show both results.

    Fewer than two where a run was interrupted.
    """
    finished: list[Finished] = []
    for name in _NAMES:
        screen.out.line(f"run {name.upper()}:")
        finished.append(_run(screen, values, folder=f"{values['report_dir'] or FOLDER}/{name}"))
        if finished[-1].document["run"]["interrupted"]:
            break
    return finished


def _run(screen: Screen, values: Mapping[str, Any], *, folder: str) -> Finished:
    surroundings = Surroundings.real()
    overrides = {key: Given(value=value, by="--repeat") for key, value in _ASKED_ANEW.items()}
    run_options = RunOptions(
        config=values["config"],
        overrides=overrides | {"report.dir": Given(value=folder, by="--report-dir")},
        selection=Selection(names=values["names"], tags=values["tags"]),
        context=context_of(surroundings.environment, folder=surroundings.cwd).entry(),
    )
    with ExitStack() as stack:
        terminal = Terminal(screen, stack, quiet=True, resumable=False)
        running = run_to_the_end(run_options, surroundings, terminal)
        finished = asyncio.run(running)
    terminal.conclude(finished)
    return finished
