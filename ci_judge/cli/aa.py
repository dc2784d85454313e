"""``ci-judge aa``: two runs of the same thing, and how many verdicts flipped between them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ci_judge.cli import options
from ci_judge.cli.repeated_runs import FOLDER, run_twice
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.errors import ExitCode, InvalidInput
from ci_judge.file_schema.showing import quoted
from ci_judge.renderers.wording import counted, percent
from ci_judge.workflows.repeating import (
    Repetition,
    Side,
    Twin,
    flips_of,
    plug_in_of,
    read_repetition,
    repetition,
)

UNUSUAL = 0.05
_OFTEN = 0.1
_MOST_SHOWN = 20
_OF_RUNS = {"--config": "config", "-k": "names", "-m": "tags", "--report-dir": "report_dir"}


@click.command(
    short_help="Count the verdicts that flipped between two runs.",
    epilog="Example: ci-judge aa first/report.json second/report.json",
)
@click.argument("reports", nargs=-1, type=click.Path(path_type=Path), metavar="REPORT_A REPORT_B")
@click.option(
    "--repeat",
    type=click.Choice(["2"]),
    metavar="2",
    help="Run the configured suite twice instead of reading reports.",
)
@options.config
@options.names
@options.tags
@click.option("--report-dir", help=f"Folder for the two reports of --repeat; {FOLDER} by default.")
@pass_screen
def command(screen: Screen, /, **values: Any) -> int:
    """Compare REPORT_A and REPORT_B, two report.json of the same suite at the same commit.

    Says how many verdicts flipped, which, and how many chance alone flips where no gate may stop
    early. Make the reports with ci-judge run --no-cache --report-dir, or have them made by
    --repeat 2, which sends all that two runs send. Tests that are not the same in both, or were not
    judged anew, are left out and named. Exit code 2 where no test is left, 0 otherwise: a flip is a
    matter of the design, not of a pull request.
    """
    reports: tuple[Path, ...] = values["reports"]
    _refuse_nonsense(reports, values)
    if reports:
        found = read_repetition(*reports)
    else:
        finished = run_twice(screen, values)
        if len(finished) < 2 or finished[-1].document["run"]["interrupted"]:  # noqa: PLR2004 - A, B
            return finished[-1].document["exit_code"]
        found = repetition(*(each.document for each in finished))
    for line in aa_lines(found):
        screen.out.line(line)
    return int(ExitCode.PASSED)


def _refuse_nonsense(reports: tuple[Path, ...], values: Mapping[str, Any]) -> None:
    """Take two reports or ``--repeat``, and flags of a run for the latter alone."""
    if values["repeat"] is None and len(reports) != 2:  # noqa: PLR2004 - A and B
        raise InvalidInput.of(
            f"an A/A test takes two reports, not {len(reports)}", hint="or --repeat 2 to make them"
        )
    if values["repeat"] is not None and reports:
        raise InvalidInput.of("--repeat makes its own reports", hint="leave out one of the two")
    given = [flag for flag, name in _OF_RUNS.items() if reports and values[name] is not None]
    if given:
        raise InvalidInput.of(
            f"{given[0]} says nothing of reports that are there", hint="leave it out"
        )


def aa_lines(found: Repetition) -> Iterator[str]:
    """Yield what flipped, what was to be expected, and what the figures do not hold for."""
    yield f"{_flipped(found.twins)} flipped between A and B"
    flipped = [twin for twin in found.twins if twin.flipped]
    yield from map(_flip, flipped[:_MOST_SHOWN])
    if len(flipped) > _MOST_SHOWN:
        yield f"  … and {len(flipped) - _MOST_SHOWN} more"
    yield from _expected(found)
    yield (
        f"runs that passed: {_runs([twin.a for twin in found.twins])} in A, "
        f"{_runs([twin.b for twin in found.twins])} in B (separate draws: no run of one belongs to "
        "a run of the other)"
    )
    yield from _left_out(found)
    for warning in found.warnings:
        yield f"warning: {warning}"


def _flip(twin: Twin) -> str:
    return f"  {twin.id}  A {_side(twin.a)}, B {_side(twin.b)}"


def _side(side: Side) -> str:
    return f"{'passed' if side.passed else 'failed'} ({side.passes:,} of {side.judged:,})"


def _runs(sides: list[Side]) -> str:
    return f"{sum(side.passes for side in sides):,} of {sum(side.judged for side in sides):,}"


def _expected(found: Repetition) -> Iterator[str]:
    if found.weighed:
        yield from _by_chance(found)
    if found.stopping:
        yield from _without_chance(found.stopping)
    unusual = found.p <= UNUSUAL
    if unusual:
        yield (
            "    something was different in the two runs: the model, its data, the load, or runs "
            "that depend on each other"
        )
    elif found.expected + plug_in_of(found.stopping) > _OFTEN * len(found.twins):
        yield "    these gates flip often: `ci-judge plan` shows designs that flip less"


def _by_chance(found: Repetition) -> Iterator[str]:
    flips = flips_of(found.weighed)
    apart = f"where no gate may stop early, {_flipped(found.weighed)} flipped; "
    whose = apart if found.stopping else ""
    chance = f"{whose}chance alone flips {found.expected:.1f} on average"
    if flips:
        judgement = "too many" if found.p <= UNUSUAL else "nothing unusual"
        chance += f", and {flips} or more in {percent(found.p)} of such pairs: {judgement}"
    yield chance
    yield (
        "    (if the runs of both reports were shuffled and dealt to A and B anew; "
        f"{_rough(found.weighed)})"
    )


def _without_chance(stopping: Sequence[Twin]) -> Iterator[str]:
    yield (
        f"where a gate may stop early, {_flipped(stopping)} flipped; whether that is more than "
        "chance brings cannot be told"
    )
    yield f"    (where a test stopped says by itself whether it passed; {_rough(stopping)})"


def _rough(twins: Sequence[Twin]) -> str:
    return (
        "2π(1 - π) with each observed rate put in for the true one gives "
        f"{plug_in_of(twins):.1f}, a rough figure"
    )


def _flipped(twins: Sequence[Twin]) -> str:
    return f"{flips_of(twins)} of {counted(len(twins), 'verdict')}"


def _left_out(found: Repetition) -> Iterator[str]:
    for why, count in Counter(found.left_out.values()).items():
        named = [test for test, reason in found.left_out.items() if reason == why]
        more = " and others" if count > 1 else ""
        yield f"left out: {counted(count, 'test')} ({why}): {quoted(named[0])}{more}"
