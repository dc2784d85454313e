"""``ci-judge generate``: scenarios out of criteria, for people to review."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, aclosing
from datetime import UTC, datetime
from typing import Any

import click

from ci_judge.cli import options
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.errors import Incomplete, InvalidInput
from ci_judge.model.suite import Criterion
from ci_judge.settings import Demand, Settings, load_settings
from ci_judge.workflows.drafting.opening import open_writer
from ci_judge.workflows.drafting.writers import Order
from ci_judge.workflows.generate import (
    GENERATED_FOLDER,
    GeneratedFile,
    Job,
    generate,
    is_outside,
    read_criteria,
)
from ci_judge.workflows.secrecy import make_redactor
from ci_judge.workflows.surroundings import Surroundings


@click.command(
    short_help="Write scenarios out of the criteria, for people to review.",
    epilog="Example: ci-judge generate --criterion refund-policy",
)
@options.config
@click.option("--criterion", metavar="ID", help="Draft for this criterion alone.")
@click.option(
    "--adversarial",
    is_flag=True,
    help="Draft attempts to get a wrong answer, into files of their own.",
)
@click.option("--force", is_flag=True, help="Replace files that exist.")
@pass_screen
def command(screen: Screen, /, **values: Any) -> None:
    """Draft scenarios for every criterion into scenarios/generated, one file each.

    Made by the model that the section generate names, or offline from the criteria's own words;
    files that exist are kept. Nothing here is run before you have read it: correct it, and commit
    it. A criterion without scenarios ends the command with exit code 3, and costs no other.
    """
    surroundings = Surroundings.real()
    settings = load_settings(
        config=values["config"],
        cwd=surroundings.cwd,
        environment=surroundings.environment,
        overrides={},
        demand=Demand(unasked=frozenset({"target", "targets", "judge"})),
    )
    criteria = read_criteria(settings.root, settings.suite.criteria, only=values["criterion"])
    job = Job(
        root=settings.root,
        order=Order(
            count=settings.generate.scenarios_per_criterion, adversarial=values["adversarial"]
        ),
        force=values["force"],
        today=datetime.fromtimestamp(surroundings.wall_clock(), UTC).date(),
    )
    files = asyncio.run(_generate(criteria, job, _Room(screen, settings, surroundings)))
    if is_outside(settings.root, settings.suite.paths):
        screen.out.line(
            f"note: suite.paths leads past {GENERATED_FOLDER}; add it to run these files"
        )
    _conclude(files)


class _Room:
    """Where the command works: screen, settings, surroundings, and the secrets of all of them."""

    def __init__(self, screen: Screen, settings: Settings, surroundings: Surroundings) -> None:
        self.screen = screen
        self.settings = settings
        self.surroundings = surroundings
        self.redactor = make_redactor(settings, surroundings, further=())
        screen.protect(self.redactor)


async def _generate(criteria: Sequence[Criterion], job: Job, room: _Room) -> list[GeneratedFile]:
    files: list[GeneratedFile] = []
    async with AsyncExitStack() as stack:
        writer = open_writer(
            room.settings, room.surroundings, clean=room.redactor.text, stack=stack
        )
        generated = await stack.enter_async_context(aclosing(generate(criteria, job, writer)))
        async for file in generated:
            files.append(file)
            room.screen.out.line(_line(file))
            for why in file.dropped:
                room.screen.err.line(f"warning: {file.path}: {why}")
    return files


def _conclude(files: Sequence[GeneratedFile]) -> None:
    """Raise InvalidInput where a file could not be written, else Incomplete where none was made."""
    problems = [file.problem for file in files if file.problem]
    if any(file.unwritten for file in files):
        raise InvalidInput(*problems)
    if problems:
        raise Incomplete(*problems)


def _line(file: GeneratedFile) -> str:
    noun = "scenario" if file.scenarios == 1 else "scenarios"
    count = f" ({file.scenarios} {noun})" if file.scenarios else ""
    hint = " (--force replaces it)" if file.outcome == "kept" else ""
    return f"{file.outcome:<8} {file.path}{count}{hint}"
