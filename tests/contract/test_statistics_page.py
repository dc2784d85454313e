"""The figures of "Statistics in plain words" are those that the rules give."""

import re
from fractions import Fraction

import pytest

from ci_judge.model.suite import GateKind
from ci_judge.rules.gates import needed_passes
from ci_judge.rules.intervals import wilson
from tests.documents import DOCS
from tests.model_builders import a_rule


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


@pytest.mark.parametrize("row", rows_of("needed"), ids=" ".join)
def test_each_gate_needs_what_the_page_says(row: list[str]) -> None:
    kind, runs, threshold, needed = row
    gate = GateKind(kind.strip("`"))
    rule = a_rule(kind=gate, runs=int(runs), threshold=Fraction(threshold))
    assert needed_passes(rule) == int(needed)


def test_the_line_of_a_report_that_is_explained_is_one_of_a_report() -> None:
    lines = re.findall(
        r"^```text\n(✗ .*)$", (DOCS / "how-to/read-the-report.md").read_text("utf-8"), re.MULTILINE
    )
    (line,) = lines
    assert line in (DOCS / "tutorial.md").read_text(encoding="utf-8")  # which is done by a test
