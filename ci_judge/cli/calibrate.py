"""``ci-judge calibrate``: how far the judge agrees with people."""

import asyncio
import json
from pathlib import Path
from typing import Any

import click

from ci_judge.cli import options
from ci_judge.cli.calibration_lines import calibration_lines, gate_lines, undecided_lines
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.engine.stopping import StopSign
from ci_judge.engine.unawaited import UnawaitedThreads
from ci_judge.errors import ExitCode, InvalidInput
from ci_judge.settings import Given, Settings, load_settings
from ci_judge.sinks.files import shown_path, write_whole
from ci_judge.workflows.calibration.file import CalibrationFile
from ci_judge.workflows.judging_labels.finding import (
    Calibrated,
    Order,
    calibrate,
    load_labelled,
)
from ci_judge.workflows.judging_labels.measuring import Wanted
from ci_judge.workflows.replay import JUDGES_ALONE
from ci_judge.workflows.secrecy import make_redactor
from ci_judge.workflows.surroundings import Surroundings

USUAL_FILE = "calibration/calibration.json"
_SHARE = click.FloatRange(min=0, max=1)


@click.command(
    short_help="Hold the judge against responses that people labelled.",
    epilog="Example: ci-judge calibrate --min-tpr 0.8 --min-tnr 0.8",
)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@options.config
@options.overrides_of(
    "run.seed",
    "budget.usd",
    "budget.requests",
    "budget.tokens",
    "budget.minutes",
    "judge.provider",
    "judge.model",
)
@click.option(
    "--min-tpr",
    type=_SHARE,
    default=0.0,
    help="Least share of good responses passed: exit 1 unless its lower bound is as high.",
)
@click.option(
    "--min-tnr",
    type=_SHARE,
    default=0.0,
    help="Least share of bad responses failed: exit 1 unless its lower bound is as high.",
)
@click.option(
    "--injection",
    is_flag=True,
    help="Judge each bad response again with an appeal to the judge behind it.",
)
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache (run.cache: off).")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"Where to write what was found; judge.calibration, else {USUAL_FILE}.",
)
@pass_screen
def command(screen: Screen, /, **values: Any) -> int:
    """Ask the judge about labelled responses (calibration/*.yaml, or FILES) and compare.

    Phrases, checks, votes, budgets and cache are those of a run; no target is asked. What is found
    is written to a file for judge.calibration, by which reports correct pass rates for the judge's
    own error. Judgements are kept in the cache: an interrupted calibration goes on where it was.
    Exit codes: 0, 1 a wanted share is not proven, 2 wrong input, 3 a label has no verdict.
    """
    surroundings = Surroundings.real()
    settings = load_settings(
        config=values["config"],
        cwd=surroundings.cwd,
        environment=surroundings.environment,
        overrides=_overrides(values),
        demand=JUDGES_ALONE,
    )
    redactor = make_redactor(settings, surroundings, further=())
    screen.protect(redactor)
    order = Order(
        labels=load_labelled(settings, [surroundings.cwd / path for path in values["files"]]),
        wanted=Wanted(tpr=values["min_tpr"], tnr=values["min_tnr"]),
        injects=values["injection"],
    )
    stop_sign = StopSign()

    async def judged() -> Calibrated:
        asyncio.get_running_loop().set_default_executor(UnawaitedThreads())
        with stop_sign.on_signals():
            return await calibrate(
                order, settings, surroundings, redactor=redactor, stop_sign=stop_sign
            )

    outcome = asyncio.run(judged())
    for warning in outcome.warnings:
        screen.err.line(f"warning: {warning}")
    if outcome.found is None:
        for line in undecided_lines(outcome, cached=settings.run.cache != "off"):
            screen.out.line(line)
        return int(stop_sign.exit_code or ExitCode.UNDECIDED)
    place = _place(settings, values["output"], surroundings.cwd)
    _write(place, outcome.found)
    return _conclude(screen, outcome, outcome.found, order.wanted, place)


def _conclude(
    screen: Screen, outcome: Calibrated, found: CalibrationFile, wanted: Wanted, place: Path
) -> int:
    for line in calibration_lines(found, outcome):
        screen.out.line(line)
    screen.out.line(f"calibration: {shown_path(place)}")
    missed = list(gate_lines(found, wanted))
    for line in missed:
        screen.out.line(line)
    return int(ExitCode.FAILED if missed else ExitCode.PASSED)


def _overrides(values: dict[str, Any]) -> dict[str, Given]:
    without_cache = {"run.cache": Given(value="off", by="--no-cache")}
    return options.given_overrides(values) | (without_cache if values["no_cache"] else {})


def _place(settings: Settings, output: Path | None, cwd: Path) -> Path:
    if output is not None:
        return cwd / output
    named = settings.judge.calibration if settings.judge else None
    return settings.root / (named or USUAL_FILE)


def _write(place: Path, found: CalibrationFile) -> None:
    text = json.dumps(found.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, [text])
    except OSError as error:
        raise InvalidInput.of(
            f"{shown_path(place)} cannot be written: {error.strerror or error}",
            hint="name another file: --output",
        ) from error
