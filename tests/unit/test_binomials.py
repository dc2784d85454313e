"""Tail sums against scipy, and the exact count against fractions."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom

from ci_judge.rules.binomials import at_least, critical_count

rates = st.floats(0.0, 1.0)


@given(st.integers(1, 2000), st.data(), rates)
def test_tail_agrees_with_scipy(trials: int, data: st.DataObject, rate: float) -> None:
    count = data.draw(st.integers(0, trials + 1))
    assert at_least(count, trials, rate) == pytest.approx(
        binom.sf(count - 1, trials, rate), rel=1e-9, abs=1e-12
    )


def test_a_small_tail_keeps_its_digits() -> None:
    assert at_least(100, 100, 0.5) == pytest.approx(2**-100, rel=1e-10)


@pytest.mark.parametrize(
    ("count", "rate", "chance"),
    [(0, 0.0, 1.0), (1, 0.0, 0.0), (3, 1.0, 1.0), (4, 1.0, 0.0), (-1, 0.3, 1.0)],
)
def test_certain_ends(count: int, rate: float, chance: float) -> None:
    assert at_least(count, 3, rate) == chance


@given(
    st.integers(1, 40),
    st.fractions(0, 1, max_denominator=40),
    st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000),
)
@example(4, Fraction(1, 2), Fraction(1, 16))
@example(3, Fraction(1), Fraction(1, 20))
@example(3, Fraction(0), Fraction(1, 20))
def test_critical_count_is_the_least_in_fractions(
    trials: int, rate: Fraction, level: Fraction
) -> None:
    tails = {k: _tail(k, trials, rate) for k in range(trials + 1)}
    fitting = [k for k, tail in tails.items() if tail <= level]
    assert critical_count(trials, rate, level=level) == min(fitting, default=None)


def test_a_tail_that_equals_the_level_is_enough() -> None:
    assert critical_count(4, Fraction(1, 2), level=Fraction(1, 16)) == 4
    assert critical_count(4, Fraction(1, 2), level=Fraction(1, 16) - Fraction(1, 10**30)) is None


def _tail(count: int, trials: int, rate: Fraction) -> Fraction:
    return sum(
        (
            math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k)
            for k in range(count, trials + 1)
        ),
        start=Fraction(0),
    )
