"""Adjusted p-values against published examples and statsmodels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from ci_judge.rules.multiplicity import benjamini_hochberg, holm

MYOCARDIAL = [  # the 15 p-values of Benjamini and Hochberg (1995)
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000),
]
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def test_published_counts_of_rejections() -> None:
    assert sum(p <= 0.05 for p in benjamini_hochberg(MYOCARDIAL)) == 4
    assert sum(p <= 0.05 for p in holm(MYOCARDIAL)) == 3


def test_published_adjusted_values() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    found = benjamini_hochberg([0.01, 0.04, 0.03, 0.005])
    assert found == pytest.approx([0.02, 0.04, 0.04, 0.02])


@given(p_values)
def test_they_agree_with_statsmodels(given_values: list[float]) -> None:
    for ours, method in ((holm, "holm"), (benjamini_hochberg, "fdr_bh")):
        theirs = multipletests(given_values, method=method)[1]
        assert ours(given_values) == pytest.approx(list(theirs), abs=1e-12)


def test_of_nothing_there_is_nothing_to_adjust() -> None:
    assert holm([]) == benjamini_hochberg([]) == []
