"""``ci-judge init``: a start that works, in the folder it is called in."""

from pathlib import Path

import click

from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.version import __version__
from ci_judge.workflows.initialise import initialise


@click.command(
    short_help="Write a first configuration, criteria, a scenario and a workflow.",
    epilog="Example: ci-judge init && ci-judge check",
)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@pass_screen
def command(screen: Screen, folder: Path) -> None:
    """Write the files of a first run into FOLDER, by default the one you are in.

    They are ci-judge.yaml, acceptance.md, scenarios/first.yaml, a GitHub workflow, and lines of
    .gitignore. What exists already is kept.
    """
    for file in initialise(folder, version=__version__):
        reason = f" ({file.reason})" if file.reason else ""
        screen.out.line(f"{file.outcome:<8} {file.path}{reason}")
    screen.out.line("Next: name your endpoint in ci-judge.yaml, then run ci-judge check.")
