"""The figures of "Statistics in plain words" are those that the rules give."""

import math
import re
from fractions import Fraction

import pytest

from ci_judge.model.calibration import LabelCounts
from ci_judge.model.suite import GateKind
from ci_judge.rules.continuing import topped_up
from ci_judge.rules.designs import all_together, design, instead
from ci_judge.rules.gates import needed_passes
from ci_judge.rules.intervals import wilson
from ci_judge.rules.judge_error import corrected_rate
from ci_judge.rules.power import flip_rate, pass_probability
from ci_judge.rules.repeatability import Pooled, plug_in_flip_rate
from tests.documents import DOCS
from tests.model_builders import a_rule
from tests.unit.test_continuing_rules import STARTER, before, chance_of_passing


def rows_of(name: str) -> list[list[str]]:
    text = (DOCS / "statistics.md").read_text(encoding="utf-8")
    table = text.split(f"<!-- table: {name} -->\n\n")[1].split("\n\n")[0]
    cells = (line.strip("|").split("|") for line in table.splitlines()[2:])
    return [[cell.strip() for cell in line] for line in cells]


@pytest.mark.parametrize("row", rows_of("intervals"), ids=lambda row: row[0])
def test_each_interval_is_the_one_that_reports_show(row: list[str]) -> None:
    passes, runs = map(int, row[0].split(" of "))
    ends = wilson(passes, runs)
    assert row[1] == f"{ends.low * 100:.0f} to {ends.high * 100:.0f} %"


@pytest.mark.parametrize("row", rows_of("corrected"), ids=" ".join)
def test_each_corrected_rate_is_the_computed_one(row: list[str]) -> None:
    seen, labels, rate, interval = row
    passes, runs = map(int, seen.split(" of "))
    hits, good, rejections, bad = map(int, labels.replace(" of ", ", ").split(", "))
    counts = LabelCounts(
        human_passes=good, agreed_passes=hits, human_fails=bad, agreed_fails=rejections
    )
    found = corrected_rate(passes, runs, counts)
    assert found is not None
    assert rate == f"{100 * found.rate:.0f} %"
    assert interval == f"{100 * found.low:.0f} to {100 * found.high:.0f} %"


@pytest.mark.parametrize("row", rows_of("needed"), ids=" ".join)
def test_each_gate_needs_what_the_page_says(row: list[str]) -> None:
    kind, runs, threshold, needed = row
    gate = GateKind(kind.strip("`"))
    rule = a_rule(kind=gate, runs=int(runs), threshold=Fraction(threshold))
    assert needed_passes(rule) == int(needed)


@pytest.mark.parametrize("row", rows_of("attempts"), ids=" ".join)
def test_three_attempts_pass_as_often_as_the_page_says(row: list[str]) -> None:
    kind, right, *shown = row
    rule = a_rule(kind=GateKind.EXACT, runs=30, threshold=STARTER.threshold)
    rule = STARTER if kind == "`adaptive`" else rule
    once = pass_probability(rule, float(right))
    third = topped_up(rule, before("failed", planned=2 * rule.runs), most=1000)
    figures = (once, 1 - (1 - once) ** 3, chance_of_passing(third, float(right)))
    assert shown == [f"{100 * figure:.1f} %" for figure in figures]


@pytest.mark.parametrize("row", rows_of("designs"), ids=" ".join)
def test_each_design_comes_to_what_the_page_says(row: list[str]) -> None:
    kind, runs, *shown = row
    least, _, most = runs.rpartition(" to ")
    rule = a_rule(
        kind=GateKind(kind.strip("`")),
        runs=int(most),
        min_runs=int(least) if least else None,
        threshold=Fraction(8, 10),
    )
    found = design(rule, (Fraction(95, 100),))
    assert found is not None
    (at,) = found.at
    percents = [f"{100 * share:.0f} %" for share in (at.passes, at.flips)]
    assert shown == [str(found.needed), *percents, f"{at.runs:.0f}"]
    assert rule in instead(rule)


@pytest.mark.parametrize("row", rows_of("flips"), ids=" ".join)
def test_flips_and_their_plug_in_are_what_the_page_says(row: list[str]) -> None:
    rule, rate = a_rule(), float(row[0])
    both = 2 * rule.runs
    plug_in = math.fsum(
        math.comb(both, passes)
        * rate**passes
        * (1 - rate) ** (both - passes)
        * plug_in_flip_rate(rule, Pooled(passes=passes, judged=both))
        for passes in range(both + 1)
    )
    assert row[1:] == [f"{100 * share:.0f} %" for share in (flip_rate(rule, rate), plug_in)]


def test_ten_good_tests_are_green_together_as_often_as_the_page_says() -> None:
    found = all_together({a_rule(kind=GateKind.EXACT, runs=20): 10})
    assert found is not None
    page = (DOCS / "statistics.md").read_text("utf-8")
    once = found[1].passes ** (1 / 10)
    assert f"each pass {100 * once:.1f} % of the time" in page
    assert f"all green in {100 * found[1].passes:.0f} % of CI runs" in page


def test_the_page_on_re_runs_prints_the_same_figures() -> None:
    page = (DOCS / "how-to/re-runs.md").read_text(encoding="utf-8")
    ((_, _, once, anew, on),) = (
        row for row in rows_of("attempts") if row[:2] == ["`adaptive`", "0.9"]
    )
    assert f"from {once} to {anew}" in page
    assert on in page


def test_the_line_of_a_report_that_is_explained_is_one_of_a_report() -> None:
    lines = re.findall(
        r"^```text\n(✗ .*)$", (DOCS / "how-to/read-the-report.md").read_text("utf-8"), re.MULTILINE
    )
    (line,) = lines
    assert line in (DOCS / "tutorial.md").read_text(encoding="utf-8")  # which is done by a test
