"""``ci-judge import``: a suite of another tool, as criteria, scenarios and datasets of ours."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.workflows.importing.imported import Imported, Notes
from ci_judge.workflows.importing.juried import import_juried
from ci_judge.workflows.importing.openai_evals import import_openai_evals
from ci_judge.workflows.importing.placing import place
from ci_judge.workflows.importing.promptfoo import import_promptfoo

_TOOLS: Mapping[str, Callable[..., Imported]] = {
    "promptfoo": import_promptfoo,
    "openai-evals": import_openai_evals,
    "juried": import_juried,
}


@click.command(
    "import",
    short_help="Take over a suite of promptfoo, openai-evals or juried.",
    epilog="Example: ci-judge import promptfoo promptfooconfig.yaml --into acceptance",
)
@click.argument("tool", type=click.Choice(list(_TOOLS)))
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder of the new configuration; by default the one you are in.",
)
@pass_screen
def command(screen: Screen, /, **values: Any) -> None:
    """Write FILE's tests as criteria, scenarios, datasets and a configuration. Nothing is sent.

    FILE is a promptfooconfig.yaml, a registry YAML of openai-evals, or a juried.toml (or one of
    its scenario files). What has no counterpart is named, here and at the top of the new files, and
    is no error. Files that exist are kept. Exit code 2 where FILE is of no such tool.
    """
    tool, file, into = values["tool"], values["file"], values["into"]
    notes = Notes()
    imported = _TOOLS[tool](file, notes=notes)
    told = list(notes.lines())
    placed = place(imported, into, origin=f"ci-judge import {tool} from {file.name}", notes=told)
    for line in told:
        screen.err.line(f"warning: {line}")
    for each in placed:
        advice = f" ({each.advice})" if each.advice else ""
        screen.out.line(f"{each.outcome:<8} {into / each.path}{advice}")
    if not placed:
        screen.out.line("Nothing of it has a counterpart, so nothing was written.")
        return
    screen.out.line("Next: read the notes, name your endpoint and judge, run ci-judge check.")
