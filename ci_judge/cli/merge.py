"""``ci-judge merge``: the reports of shards become one again."""

from pathlib import Path

import click

from ci_judge.cli.made_reports import junitxml, outlet, report_dir, show
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.engine.ledger import LEDGER_NAME
from ci_judge.workflows.baseline import baseline_of
from ci_judge.workflows.merging import merge_reports
from ci_judge.workflows.render import read_report
from ci_judge.workflows.step_summaries import append_step_summary


@click.command(
    short_help="Put the reports of shards together.",
    epilog="Example: ci-judge merge shards/*/report.json --report-dir ci-judge-report",
)
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--baseline", type=click.Path(path_type=Path), help="An earlier report.json to compare with."
)
@click.option(
    "--step-summary",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Append the Markdown to this file ($GITHUB_STEP_SUMMARY), cut to what GitHub takes.",
)
@report_dir("ci-judge-report")
@junitxml
@pass_screen
def command(
    screen: Screen,
    reports: tuple[Path, ...],
    baseline: Path | None,
    step_summary: Path | None,
    report_dir: Path,
    junitxml: Path | None,
) -> int:
    """Make the report of the whole suite out of REPORTS, each the report.json of one shard.

    Every format is written as if one command had run all tests, and the exit code is that of all
    gates. The tests of a shard whose report is missing are errors. Exit code 2 for reports that
    do not belong together.
    """
    out = outlet(screen, report_dir, junitxml)
    out.prepare(sources=reports)
    found = None
    if baseline is not None:
        found = baseline_of(read_report(baseline).document, source=f"--baseline: {baseline}")
    merged = merge_reports(reports, folder=report_dir, baseline=found)
    merged.draft.replace(report_dir / LEDGER_NAME)
    files = out.write(merged.document, merged.ledger)
    if step_summary is not None:
        append_step_summary(step_summary, merged.document, merged.ledger, warn=out.warn)
    show(screen, merged.document, merged.ledger, files)
    return merged.document["exit_code"]
