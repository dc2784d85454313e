"""Agreement of judges: the published values, statsmodels, and where it is not defined."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from ci_judge.rules.agreement import agreement

WIKIPEDIA = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)  # fmt: skip


def test_fleiss_kappa_of_ten_subjects_fourteen_raters_five_categories() -> None:
    found = agreement(Counter(WIKIPEDIA))
    assert found.subjects == 10
    assert found.raw == pytest.approx(0.378, abs=0.0005)
    assert found.fleiss_kappa == pytest.approx(0.210, abs=0.0005)


def test_gwets_ac1_where_kappa_collapses() -> None:
    """[[118, 5], [2, 0]] for two raters: AC1 .9408, though a kappa is below 0."""
    found = agreement({(2, 0): 118, (1, 1): 5 + 2, (0, 2): 0})
    assert found.subjects == 125
    assert found.gwet_ac1 == pytest.approx(0.9408, abs=0.00005)
    assert found.fleiss_kappa is not None
    assert found.fleiss_kappa < 0


def test_nothing_to_agree_on_is_not_defined() -> None:
    tables: list[dict[tuple[int, ...], int]] = [{}, {(2, 1): 0}]
    for table in tables:
        found = agreement(table)
        assert (found.subjects, found.raw, found.fleiss_kappa, found.gwet_ac1) == (0, *(None,) * 3)


def test_one_and_the_same_choice_throughout_has_no_kappa() -> None:
    found = agreement({(3, 0): 40})
    assert (found.raw, found.fleiss_kappa, found.gwet_ac1) == (1.0, None, 1.0)


@pytest.mark.parametrize(
    "table", [{(1, 0): 3}, {(3,): 2}, {(2, 1): 1, (2, 2): 1}, {(2,): 1, (1, 1): 1}]
)
def test_what_is_no_table_of_judges_is_refused(table: dict[tuple[int, ...], int]) -> None:
    with pytest.raises(ValueError, match="judges"):
        agreement(table)


def table_of(rows: list[tuple[bool, ...]]) -> Counter[tuple[int, ...]]:
    return Counter((sum(row), len(row) - sum(row)) for row in rows)


votes = st.integers(2, 5).flatmap(
    lambda judges: st.lists(st.tuples(*[st.booleans()] * judges), min_size=1, max_size=30)
)


@given(votes)
def test_it_is_what_statsmodels_and_the_definitions_say(rows: list[tuple[bool, ...]]) -> None:
    found = agreement(table_of(rows))
    judges = len(rows[0])
    pairs = [
        row[i] == row[j] for row in rows for i in range(judges) for j in range(judges) if i != j
    ]
    raw = sum(pairs) / len(pairs)
    share = sum(map(sum, rows)) / (len(rows) * judges)
    by_chance = 2 * share * (1 - share)
    assert found.raw == pytest.approx(raw)
    assert found.gwet_ac1 == pytest.approx((raw - by_chance) / (1 - by_chance))
    if share in {0, 1}:
        assert found.fleiss_kappa is None
    else:
        table, _ = aggregate_raters([list(map(int, row)) for row in rows])
        assert found.fleiss_kappa == pytest.approx(fleiss_kappa(table), abs=1e-9)
        assert not math.isnan(found.fleiss_kappa or 0)
