"""``ci-judge rejudge``: another judge, or another prompt, over recorded evidence."""

import asyncio
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from ci_judge.app import RunOptions
from ci_judge.cli import options
from ci_judge.cli.made_reports import junitxml, report_dir
from ci_judge.cli.run import Terminal, run_to_the_end
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.errors import InvalidInput
from ci_judge.settings import Given
from ci_judge.workflows.replay import Replay
from ci_judge.workflows.sound_reports import read_sound_report
from ci_judge.workflows.surroundings import Surroundings


@click.command(
    short_help="Judge the evidence of a report again; no target is asked.",
    epilog="Example: ci-judge rejudge ci-judge-report/report.json --judge-model claude-opus-4-5",
)
@click.argument("report", type=click.Path(path_type=Path))
@options.config
@options.overrides_of(
    "run.runs",
    "run.threshold",
    "run.early_stop",
    "run.fail_on",
    "run.baseline",
    "budget.usd",
    "budget.requests",
    "budget.tokens",
    "budget.minutes",
    "judge.provider",
    "judge.model",
)
@click.option("--seed", metavar="VALUE", help="Seed of the draws; that of the report unless given.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache (run.cache: off).")
@report_dir(None)
@junitxml
@click.option("--quiet", "-q", is_flag=True, help="Print only what is not green, and the result.")
@pass_screen
def command(screen: Screen, /, **values: Any) -> int:
    """Ask the judge of the configuration about the evidence in REPORT, a report.json.

    Checks and phrases are looked for again, too, as the suite has them now. Neither target nor case
    is asked: a run whose evidence is not in the report as it was (it was cut, or a secret in it was
    replaced) is an error, and so is a run that had none. A report that was made with flags wants
    them again: gates are those of the configuration. Exit codes are those of ci-judge run.
    """
    path: Path = values["report"]
    folder: Path = values["report_dir"] or path.parent / "rejudged"
    if folder.resolve() == path.resolve().parent:
        raise InvalidInput.of(
            f'the new report would replace those in "{path.parent}"',
            hint="name another folder: --report-dir",
        )
    replay = Replay(report=read_sound_report(path), place=path)
    surroundings = Surroundings.real()
    run_options = RunOptions(
        config=values["config"],
        overrides=_overrides(values, replay, folder),
        junit_copy=values["junitxml"],
        context=replay.context(),
        replay=replay,
    )
    with ExitStack() as stack:
        terminal = Terminal(screen, stack, quiet=values["quiet"], resumable=False)
        finished = asyncio.run(run_to_the_end(run_options, surroundings, terminal))
    terminal.conclude(finished)
    return finished.document["exit_code"]


def _overrides(values: dict[str, Any], replay: Replay, folder: Path) -> dict[str, Given]:
    given = {
        "run.cache": Given(value="off" if values["no_cache"] else None, by="--no-cache"),
        "run.seed": Given(value=values["seed"] or str(replay.seed), by="--seed"),
        "report.dir": Given(value=str(folder), by="--report-dir"),
    }
    own = {key: each for key, each in given.items() if each.value is not None}
    return options.given_overrides(values) | own
