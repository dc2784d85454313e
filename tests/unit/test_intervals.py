"""Intervals of a pass rate against published values and two independent libraries."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, norm
from statsmodels.stats.proportion import proportion_confint

from ci_judge.model.results import Interval
from ci_judge.rules.intervals import clopper_pearson, two_sided_z, wilson

NEWCOMBE_1998 = [
    (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
    (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
    (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
    (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
]
KNOWN_WILSON = [
    (0, 10, 0.0000, 0.2775),
    (10, 10, 0.7225, 1.0000),
    (7, 10, 0.3968, 0.8922),
    (9, 10, 0.5958, 0.9821),
    (19, 20, 0.7639, 0.9911),
    (35, 35, 0.9011, 1.0000),
    (1, 1, 0.2065, 1.0000),
]
counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
confidences = st.fractions(Fraction(1, 2), Fraction(999, 1000), max_denominator=1000)


@pytest.mark.parametrize(("passes", "judged", "score", "exact"), NEWCOMBE_1998)
def test_published_intervals(
    passes: int, judged: int, score: tuple[float, float], exact: tuple[float, float]
) -> None:
    ours = wilson(passes, judged, confidence=0.95)
    assert (ours.low, ours.high) == pytest.approx(score, abs=5e-5)
    ours = clopper_pearson(passes, judged, confidence=0.95)
    assert (ours.low, ours.high) == pytest.approx(exact, abs=5e-5)


@pytest.mark.parametrize(("passes", "judged", "low", "high"), KNOWN_WILSON)
def test_bounds_people_look_up(passes: int, judged: int, low: float, high: float) -> None:
    ours = wilson(passes, judged, confidence=Fraction(95, 100))
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=5e-5)


def test_z_of_the_usual_confidence() -> None:
    assert two_sided_z(Fraction(95, 100)) == pytest.approx(1.959963984540054, abs=1e-14)


@given(counts, confidences)
def test_wilson_agrees_with_statsmodels(count: tuple[int, int], confidence: Fraction) -> None:
    passes, judged = count
    theirs = proportion_confint(passes, judged, alpha=float(1 - confidence), method="wilson")
    ours = wilson(passes, judged, confidence=confidence)
    assert (ours.low, ours.high) == pytest.approx(theirs, abs=1e-12)


@given(counts, confidences)
def test_clopper_pearson_agrees_with_beta_quantiles(
    count: tuple[int, int], confidence: Fraction
) -> None:
    passes, judged = count
    tail = float(1 - confidence) / 2
    low = beta.ppf(tail, passes, judged - passes + 1) if passes else 0.0
    high = beta.ppf(1 - tail, passes + 1, judged - passes) if passes < judged else 1.0
    ours = clopper_pearson(passes, judged, confidence=confidence)
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-9)


def test_nothing_judged_says_nothing() -> None:
    assert wilson(0, 0, confidence=0.95) == Interval(low=0.0, high=1.0)
    assert clopper_pearson(0, 0, confidence=0.95) == Interval(low=0.0, high=1.0)


@given(st.integers(1, 100_000), confidences)
def test_the_ends_are_exact_and_never_a_point(judged: int, confidence: Fraction) -> None:
    none, every = (wilson(passes, judged, confidence=confidence) for passes in (0, judged))
    assert none.low == 0.0
    assert every.high == 1.0
    assert none.high > 0.0
    assert every.low < 1.0


@given(counts, confidences)
def test_more_passes_never_lower_a_bound(count: tuple[int, int], confidence: Fraction) -> None:
    passes, judged = count
    if passes == judged:
        return
    lesser = wilson(passes, judged, confidence=confidence)
    greater = wilson(passes + 1, judged, confidence=confidence)
    assert lesser.low < greater.low
    assert lesser.high < greater.high or greater.high == 1.0


@pytest.mark.parametrize(("passes", "judged"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(passes: int, judged: int) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        wilson(passes, judged, confidence=0.95)
    with pytest.raises(ValueError, match="cannot be"):
        clopper_pearson(passes, judged, confidence=0.95)


@pytest.mark.parametrize("confidence", [0, 1, 95, Fraction(-1, 2)])
def test_a_confidence_is_between_0_and_1(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        wilson(1, 2, confidence=confidence)


def test_a_very_high_confidence_keeps_its_digits() -> None:
    almost_sure = 1 - Fraction(1, 10**18)
    assert two_sided_z(almost_sure) == pytest.approx(norm.isf(5e-19), rel=1e-9)
