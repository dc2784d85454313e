"""``ci-judge render``: the formats once more, from the JSON alone."""

from pathlib import Path

import click

from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.renderers.registry import renderer
from ci_judge.sinks.files import shown_path
from ci_judge.workflows.render import FILE_NAMES, read_report, render_again

_BY_DEFAULT = tuple(kind for kind in FILE_NAMES if kind != "json")


@click.command(
    short_help="Make every report format again from a report.json.",
    epilog="Example: ci-judge render ci-judge-report/report.json --report-dir again",
)
@click.argument("report", type=click.Path(path_type=Path))
@click.option(
    "--report-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write to; that of the report unless given.",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice([*FILE_NAMES, "console"]),
    help="Only this format; may be given several times. console prints.",
)
@pass_screen
def command(
    screen: Screen, report: Path, report_dir: Path | None, formats: tuple[str, ...]
) -> None:
    """Make JUnit, HTML and Markdown again from REPORT, a report.json. Nothing is judged anew."""
    recorded = read_report(report)
    wanted = formats or _BY_DEFAULT
    if "console" in wanted:
        for line in renderer("console").render(recorded.document, recorded.runs):
            screen.out.line(line.removesuffix("\n"))
    files = [kind for kind in wanted if kind != "console"]
    if files:
        for path in render_again(recorded, folder=report_dir or report.parent, formats=files):
            screen.out.line(f"wrote {shown_path(path)}")
