"""``ci-judge regate``: other gates over a report, without a request."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from ci_judge.cli.made_reports import junitxml, outlet, report_dir, show
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.errors import InvalidInput
from ci_judge.file_schema.values import exact_rate
from ci_judge.model.suite import GateKind
from ci_judge.rules.regating import GateChange
from ci_judge.workflows.regating import Regating, regate_report
from ci_judge.workflows.sound_reports import read_sound_report


class Share(click.ParamType[Fraction]):
    """A share as people write it: 0.8 or 2/3; without its ends where ``open_ended``."""

    name = "share"

    def __init__(self, *, open_ended: bool) -> None:
        self._open_ended = open_ended

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Fraction:
        try:
            share = exact_rate(str(value)).value
        except ValueError:
            share = Fraction(-1)
        if not 0 <= share <= 1 or (self._open_ended and share in {0, 1}):
            between = "between 0 and 1" if self._open_ended else "from 0 to 1"
            self.fail(f"{value!r} is no number {between}, such as 0.8 or 2/3", param, ctx)
        return share


@click.command(
    short_help="Apply other gates to a report, without a new run.",
    epilog="Example: ci-judge regate ci-judge-report/report.json --gate rate --threshold 0.8",
)
@click.argument("report", type=click.Path(path_type=Path))
@click.option("--threshold", type=Share(open_ended=False), help="Another pass rate to ask for.")
@click.option("--gate", type=click.Choice([kind.value for kind in GateKind]), help="Another rule.")
@click.option("--misses", type=click.IntRange(min=0), help="Failed runs that are allowed.")
@click.option("--confidence", type=Share(open_ended=True), help="Another confidence.")
@click.option("--all-tests", is_flag=True, help="Change gates that a test sets itself, too.")
@report_dir(None)
@junitxml
@pass_screen
def command(screen: Screen, /, **values: Any) -> int:
    """Decide the tests of REPORT, a report.json, by other gates. Nothing is sent or judged.

    The flags change what a flag of ci-judge run would: gates that come from the section run. The
    new report says which gate was in the place of each; the exit code is that of the new gates.
    Exit code 2 where the runs that are there cannot decide a new gate.
    """
    change = GateChange(
        kind=None if values["gate"] is None else GateKind(values["gate"]),
        threshold=values["threshold"],
        misses=values["misses"],
        confidence=values["confidence"],
    )
    _refuse_nonsense(change)
    path: Path = values["report"]
    folder = values["report_dir"] or path.parent / "regated"
    out = outlet(screen, folder, values["junitxml"])
    recorded = read_sound_report(path)
    asked = Regating(change=change, all_tests=values["all_tests"])
    document = regate_report(recorded.document, asked, place=path)
    out.prepare(sources=[path])
    files = out.write(document, recorded.runs)
    show(screen, document, recorded.runs, files)
    return document["exit_code"]


def _refuse_nonsense(change: GateChange) -> None:
    if change == GateChange():
        raise InvalidInput.of(
            "nothing is to change", hint="give --gate, --threshold, --misses or --confidence"
        )
    if change.misses is not None and change.wanted_kind is not GateKind.MISSES:
        raise InvalidInput.of(
            f"--misses says nothing to --gate {change.wanted_kind}", hint="leave out one of the two"
        )
