"""``ci-judge compare``: what got worse between two reports, and what may be chance."""

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from ci_judge.cli.regate import Share
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.errors import ExitCode
from ci_judge.model.document import ChangeKind, ReportDocument, TestEntry
from ci_judge.renderers.chance import (
    by_rate_alone,
    comparison_lines,
    difference_words,
    sample_words,
)
from ci_judge.renderers.changes import BY_RATE_ALONE, baseline_line
from ci_judge.renderers.wording import all_in_order, counted
from ci_judge.visible_text import one_line
from ci_judge.workflows.comparing_reports import SinglePairs, compare_reports

_SECTIONS: tuple[tuple[str, tuple[ChangeKind, ...]], ...] = (
    ("worse", ("newly_failing", "newly_undecided", "significantly_worse")),
    ("better", ("newly_passing", "higher")),
    ("lower, within noise", ("worse_within_noise",)),
    ("not comparable", ("not_comparable",)),
    ("compared by the gate alone", ("only_by_gate",)),
    ("added", ("added",)),
)
_LET_OFF = "(With --fail-on regression, that is; without it this command ends with 0.)"
_MOST_SHOWN = 20
_LINE_CHARS = 500
_KINDS: dict[str, str] = {
    "newly_failing": "newly failing",
    "newly_undecided": "newly undecided",
    "significantly_worse": "by more than chance",
    "newly_passing": "newly passing",
}


@click.command(
    short_help="Say what got worse between two reports, and what may be chance.",
    epilog="Example: ci-judge compare main/report.json ci-judge-report/report.json",
)
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--fail-on",
    type=click.Choice(["regression", "never"]),
    default="never",
    show_default=True,
    help="Whether to end as ci-judge run does with this fail_on, or with 0 whatever got worse.",
)
@click.option(
    "--across",
    type=click.Choice(["target", "judge"]),
    multiple=True,
    help="Compare although this is another: two models, say. May be given twice.",
)
@click.option(
    "--alpha",
    type=Share(open_ended=True),
    help="How often there may be a false alarm; run.alpha of NEW unless given.",
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@pass_screen
def command(screen: Screen, /, **values: Any) -> int:
    """Compare NEW with OLD, two report.json of one suite. Nothing is sent or judged.

    A test is worse by more than chance where both reports hold all runs of a fixed gate, or the
    first ones of an adaptive gate, and so large a drop would be rare if nothing had changed: tested
    exactly, with all other tests allowed for. What is allowed to go or to be weaker is what the
    settings of NEW allow (run.allow_removed, run.allow_weaker).
    """
    alpha: Fraction | None = values["alpha"]
    found = compare_reports(
        values["old"],
        values["new"],
        across=frozenset(values["across"]),
        alpha=None if alpha is None else float(alpha),
    )
    if values["as_json"]:
        screen.out.line(json.dumps(_as_data(found.document), ensure_ascii=True))
    else:
        for line in compare_lines(found.document, found.pairs):
            screen.out.line(line)
    code = found.document["exit_code"]
    if values["fail_on"] == "regression" or not code:
        return code
    if not values["as_json"]:
        screen.out.line(_LET_OFF)
    return int(ExitCode.PASSED)


def compare_lines(document: ReportDocument, pairs: SinglePairs | None) -> Iterator[str]:
    """Yield what became of the tests, the worst first, and what could have been seen."""
    yield one_line(baseline_line(document), limit=_LINE_CHARS)
    yield from (one_line(line, limit=_LINE_CHARS) for line in comparison_lines(document))
    tests = all_in_order(document)
    for title, kinds in _SECTIONS:
        yield from _section(title, [test for test in tests if _is_of(test, kinds)])
    yield from _section(BY_RATE_ALONE, list(filter(by_rate_alone, tests)))
    removed = (
        [test["id"] for test in document["baseline"]["removed"]] if document["baseline"] else []
    )
    yield from _listed("removed", removed)
    unchanged = sum(t["change"]["kind"] == "unchanged" for t in tests if t["change"])
    if unchanged:
        yield f"unchanged: {counted(unchanged, 'test')}"
    if pairs is not None:
        yield (
            f"single runs in pairs: {pairs.worse:,} worse, {pairs.better:,} better, "
            f"{pairs.same:,} the same (McNemar, two-sided: p = {pairs.test.p:.3f}, "
            f"mid-p {pairs.test.mid_p:.3f})"
        )
    yield document["headline"]


def _is_of(test: TestEntry, kinds: Sequence[ChangeKind]) -> bool:
    change = test["change"]
    return change is not None and change["kind"] in kinds and not by_rate_alone(test)


def _section(title: str, tests: list[TestEntry]) -> Iterator[str]:
    return _listed(title, [_line(test) for test in tests])


def _listed(title: str, lines: list[str]) -> Iterator[str]:
    if not lines:
        return
    yield f"{title}: {len(lines):,}"
    yield from (f"  {one_line(line, limit=_LINE_CHARS)}" for line in lines[:_MOST_SHOWN])
    if len(lines) > _MOST_SHOWN:
        yield f"  and {len(lines) - _MOST_SHOWN:,} more"


def _line(test: TestEntry) -> str:
    change = test["change"]
    if change is None:
        return test["id"]
    difference = change["difference"]
    told = [
        _KINDS.get(change["kind"], ""),
        "; ".join(change["reasons"]),
        f"{'first runs: ' if sample_words(test) else ''}{difference_words(difference)}"
        if difference
        else "",
    ]
    return f"{test['id']}  {', '.join(filter(None, told))}".rstrip()


def _as_data(document: ReportDocument) -> dict[str, Any]:
    return {
        "status": document["status"],
        "exit_code": document["exit_code"],
        "headline": document["headline"],
        "regressions": document["summary"]["regressions"],
        "baseline": document["baseline"],
        "tests": [
            {"id": test["id"], "result": test["result"], "change": test["change"]}
            for test in all_in_order(document)
        ],
    }
