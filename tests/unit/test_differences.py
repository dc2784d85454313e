"""The difference of two pass rates, and paired single runs, against published values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.proportion import confint_proportions_2indep

from ci_judge.rules.differences import Counts, drop, mcnemar

NEWCOMBE_TABLE_II = [  # Statistics in Medicine 17:873, method 10
    ((56, 70), (48, 80), (0.0524, 0.3339)),
    ((9, 10), (3, 10), (0.1705, 0.8090)),
    ((6, 7), (2, 7), (0.0582, 0.8062)),
    ((5, 56), (0, 29), (-0.0381, 0.1926)),
    ((0, 10), (0, 20), (-0.1611, 0.2775)),
    ((10, 10), (0, 20), (0.6791, 1.0)),
]
samples = st.integers(1, 200).flatmap(
    lambda judged: st.builds(Counts, passes=st.integers(0, judged), judged=st.just(judged))
)


@pytest.mark.parametrize(("was", "now", "ends"), NEWCOMBE_TABLE_II)
def test_published_intervals_of_a_drop(
    was: tuple[int, int], now: tuple[int, int], ends: tuple[float, float]
) -> None:
    found = drop(Counts(passes=was[0], judged=was[1]), Counts(passes=now[0], judged=now[1]))
    assert (found.low, found.high) == pytest.approx(ends, abs=5e-5)
    assert found.observed == pytest.approx(was[0] / was[1] - now[0] / now[1])


@given(samples, samples)
def test_the_interval_agrees_with_statsmodels(was: Counts, now: Counts) -> None:
    theirs = confint_proportions_2indep(
        was.passes, was.judged, now.passes, now.judged, method="newcomb", compare="diff"
    )
    found = drop(was, now)
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-9)


@given(samples, samples)
def test_a_drop_read_backwards_is_a_rise(was: Counts, now: Counts) -> None:
    there, back = drop(was, now), drop(now, was)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert -1 <= there.low <= there.observed <= there.high <= 1


@pytest.mark.parametrize(
    ("worse", "better", "p", "mid_p"),
    [
        (9, 1, 0.021484, 0.011719),
        (5, 0, 0.0625, 0.03125),
        (8, 2, 0.109375, 0.065430),
        (0, 0, 1, 1),
    ],
)
def test_published_values_of_mcnemar(worse: int, better: int, p: float, mid_p: float) -> None:
    found = mcnemar(worse=worse, better=better)
    assert (found.p, found.mid_p) == pytest.approx((p, mid_p), abs=5e-7)


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_agrees_with_statsmodels(worse: int, better: int) -> None:
    theirs = their_mcnemar([[3, worse], [better, 4]], exact=True).pvalue
    found = mcnemar(worse=worse, better=better)
    assert found.p == pytest.approx(theirs if worse + better else 1.0, abs=1e-9)
    assert 0 <= found.mid_p <= found.p <= 1
