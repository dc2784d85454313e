"""``ci-judge generate``: scenarios out of criteria, for people to review."""

from typing import Any

import click

from ci_judge.cli import options
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.errors import InvalidInput
from ci_judge.settings import load_settings
from ci_judge.workflows.generate import (
    GENERATED_FOLDER,
    GeneratedFile,
    generate_scenarios,
    is_outside,
    read_criteria,
    write_generated,
)
from ci_judge.workflows.secrecy import make_redactor
from ci_judge.workflows.surroundings import Surroundings


@click.command(
    short_help="Write scenarios out of the criteria, for people to review.",
    epilog="Example: ci-judge generate --criterion refund-policy",
)
@options.config
@click.option("--criterion", metavar="ID", help="Draft for this criterion alone.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@pass_screen
def command(screen: Screen, **values: Any) -> None:
    """Draft scenarios for every criterion into scenarios/generated, one file each.

    Made offline from the criteria's own words; files that exist are kept. Nothing here is run
    before you have read it: correct it, and commit it.
    """
    surroundings = Surroundings.real()
    settings = load_settings(
        config=values["config"],
        cwd=surroundings.cwd,
        environment=surroundings.environment,
        overrides={},
    )
    screen.protect(make_redactor(settings, surroundings, further=()))
    suite = settings.suite
    criteria = read_criteria(settings.root, suite.criteria, only=values["criterion"])
    texts = generate_scenarios(criteria, per_criterion=settings.generate.scenarios_per_criterion)
    files = write_generated(texts, root=settings.root, force=values["force"])
    for file in files:
        screen.out.line(_line(file))
    if is_outside(settings.root, suite.paths):
        screen.out.line(f"note: suite.paths leads past {GENERATED_FOLDER}; add it to run these files")
    problems = [file.problem for file in files if file.problem]
    if problems:
        raise InvalidInput(*problems)


def _line(file: GeneratedFile) -> str:
    count = f" ({file.scenarios} scenarios)" if file.scenarios else ""
    hint = " (--force replaces it)" if file.outcome == "kept" else ""
    return f"{file.outcome:<8} {file.path}{count}{hint}"
