"""What commands share that make one report out of others: where it goes, and how it is shown."""

import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from ci_judge.cli.screen import Screen
from ci_judge.model.document import ReportDocument
from ci_judge.protocols import RunSource
from ci_judge.renderers import console
from ci_judge.sinks.files import shown_path
from ci_judge.workflows.rewriting import Outlet

F = TypeVar("F", bound=Callable[..., Any])

junitxml = click.option(
    "--junitxml", type=click.Path(path_type=Path), help="One more copy of the JUnit XML."
)


def report_dir(default: str | None) -> Callable[[F], F]:
    """Add the flag that names the folder of the new report."""
    beside = "" if default else "; one within the report's own unless given"
    return click.option(
        "--report-dir",
        type=click.Path(path_type=Path, file_okay=False),
        default=default,
        show_default=default is not None,
        help=f"Folder to write the new report to{beside}.",
    )


def outlet(screen: Screen, folder: Path, junit_copy: Path | None) -> Outlet:
    def crashed(error: Exception) -> None:
        screen.err.untrusted("".join(traceback.format_exception(error)))

    return Outlet(
        folder=folder,
        junit_copy=junit_copy,
        warn=lambda text: screen.err.line(f"warning: {text}"),
        crashed=crashed,
    )


def show(
    screen: Screen, document: ReportDocument, runs: RunSource, files: Mapping[str, Path]
) -> None:
    """Print the report, and where its files are."""
    for piece in console.render(document, runs):
        screen.out.line(piece.removesuffix("\n"))
    for kind, path in files.items():
        screen.out.line(f"{kind}: {shown_path(path)}")
