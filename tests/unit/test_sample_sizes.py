"""Sizes of samples, against R's power.prop.test and the exact test that is used."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from ci_judge.rules.boschloo import boschloo
from ci_judge.rules.detectable import detectable_drop
from ci_judge.rules.differences import Counts
from ci_judge.rules.sample_sizes import runs_on_each_side, seen_fall


@pytest.mark.parametrize(
    ("before", "after", "alpha", "power", "runs"),
    [
        (0.5, 0.75, 0.025, 0.9, 76.7),
        (0.95, 0.85, 0.025, 0.8, 140.1),
        (0.95, 0.85, 0.05, 0.8, 110.2),
    ],
)
def test_sizes_are_those_of_power_prop_test(
    before: float, after: float, alpha: float, power: float, runs: float
) -> None:
    found = runs_on_each_side(before=before, after=after, alpha=alpha, power=power)
    assert found == pytest.approx(runs, abs=0.05)


@given(st.integers(1, 5_000))
def test_a_fall_that_is_seen_is_the_least_one(runs: int) -> None:
    now = seen_fall(runs, before=0.95, alpha=0.05)
    if now is None:
        assert runs_on_each_side(before=0.95, after=0.0, alpha=0.05, power=0.8) > runs
        return
    assert runs_on_each_side(before=0.95, after=now, alpha=0.05, power=0.8) <= runs
    assert runs_on_each_side(before=0.95, after=now + 1e-4, alpha=0.05, power=0.8) > runs


@pytest.mark.parametrize("runs", [20, 100, 400])
def test_it_is_what_a_comparison_says_of_two_samples_of_one_size(runs: int) -> None:
    drop = detectable_drop(Counts(passes=runs * 95 // 100, judged=runs), runs=runs, alpha=0.05)
    assert drop is not None
    assert seen_fall(runs, before=0.95, alpha=0.05) == pytest.approx(0.95 - drop, abs=1e-4)


@pytest.mark.parametrize("runs", [10, 20, 30])
def test_the_exact_test_sees_it_about_four_times_in_five(runs: int) -> None:
    now = seen_fall(runs, before=0.95, alpha=0.05)
    assert now is not None
    power = sum(
        binom.pmf(old, runs, 0.95) * binom.pmf(new, runs, now)
        for old in range(runs // 2, runs + 1)
        for new in range(old)
        if boschloo(Counts(passes=old, judged=runs), Counts(passes=new, judged=runs)) <= 0.05
    )
    assert power == pytest.approx(0.8, abs=0.03)


def test_two_runs_see_no_fall() -> None:
    assert seen_fall(2, before=0.95, alpha=0.05) is None
