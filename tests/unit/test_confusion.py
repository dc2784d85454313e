"""A judge against people: published kappas, and what is not defined."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from ci_judge.model.calibration import LabelCounts
from ci_judge.rules.confusion import cohen_kappa, confusion
from ci_judge.rules.intervals import wilson


def counts_of(table: list[list[int]]) -> LabelCounts:
    """Read [[human pass & judge pass, human pass & judge fail], [fail & pass, fail & fail]]."""
    (both, missed), (let_through, caught) = table
    return LabelCounts(
        human_passes=both + missed,
        agreed_passes=both,
        human_fails=let_through + caught,
        agreed_fails=caught,
    )


def test_cohens_kappa_of_the_textbook_table() -> None:
    assert cohen_kappa(counts_of([[20, 5], [10, 15]])) == pytest.approx(0.40)


def test_kappa_collapses_where_ac1_does_not() -> None:
    found = confusion(counts_of([[118, 5], [2, 0]]))
    assert found.gwet_ac1 == pytest.approx(0.9408, abs=0.00005)
    assert found.cohen_kappa == pytest.approx(-0.023, abs=0.0005)


def test_shares_have_wilsons_bounds() -> None:
    found = confusion(counts_of([[40, 10], [3, 27]]))
    assert (found.sensitivity.hits, found.sensitivity.total) == (40, 50)
    assert (found.specificity.hits, found.specificity.total) == (27, 30)
    assert (found.accuracy.hits, found.accuracy.total) == (67, 80)
    assert found.sensitivity.rate == 0.8
    assert found.sensitivity.interval == wilson(40, 50)
    assert found.specificity.interval == wilson(27, 30)
    assert found.accuracy.interval == wilson(67, 80)


def test_what_no_label_tells_is_not_defined() -> None:
    nothing = confusion(counts_of([[0, 0], [0, 0]]))
    assert (nothing.accuracy.rate, nothing.cohen_kappa, nothing.gwet_ac1) == (None, None, None)
    only_passes = confusion(counts_of([[7, 0], [0, 0]]))
    assert only_passes.specificity.rate is None
    assert only_passes.cohen_kappa is None  # both said one thing throughout
    assert only_passes.gwet_ac1 == 1.0


cells = st.integers(1, 60)  # of an empty cell statsmodels divides by nothing


@given(st.tuples(cells, cells, cells, cells))
def test_kappa_is_that_of_statsmodels(cells: tuple[int, int, int, int]) -> None:
    table = [[cells[0], cells[1]], [cells[2], cells[3]]]
    found = cohens_kappa(table)
    assert cohen_kappa(counts_of(table)) == pytest.approx(float(found.kappa), abs=1e-9)
