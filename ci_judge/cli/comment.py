"""``ci-judge comment``: the second of two workflows, which alone may write to pull requests."""

import asyncio
from pathlib import Path

import click

from ci_judge.action_inputs import default_key
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.redaction import Redactor
from ci_judge.workflows.commenting import comment_on
from ci_judge.workflows.surroundings import Surroundings


@click.command(
    short_help="Comment on a fork's pull request by its report (workflow_run).",
    epilog="Example: ci-judge comment ci-judge-report/report.json",
)
@click.argument("report", type=click.Path(path_type=Path))
@click.option("--key", help="Which comment is this one's; workflow/job unless given.")
@pass_screen
def command(screen: Screen, report: Path, key: str | None) -> None:
    """Validate REPORT, a report.json from an artifact, and keep one comment with it up to date.

    For a workflow on workflow_run, with pull-requests: write and GITHUB_TOKEN. The report is only
    data: it is rendered here, and commit, run and links come from the event.
    """
    surroundings = Surroundings.real()
    token = surroundings.environment.get("GITHUB_TOKEN")
    screen.protect(Redactor([token] if token else []))
    chosen = key or default_key(surroundings.environment)
    posted = asyncio.run(comment_on(report, surroundings, key=chosen))
    for note in posted.notes:
        screen.out.line(note)
    if posted.url:
        screen.out.line(f"comment: {posted.url}")
