"""Boschloo's exact test of one test's drop against published values, scipy and brute force."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import boschloo_exact, fisher_exact

from ci_judge.rules.boschloo import boschloo
from ci_judge.rules.differences import Counts
from ci_judge.rules.hypergeometric import fisher


def of(passes: int, judged: int) -> Counts:
    return Counts(passes=passes, judged=judged)


def samples(most: int) -> st.SearchStrategy[Counts]:
    return st.integers(1, most).flatmap(
        lambda judged: st.builds(of, st.integers(0, judged), st.just(judged))
    )


def table(was: Counts, now: Counts) -> list[list[int]]:
    return [[was.passes, now.passes], [was.judged - was.passes, now.judged - now.passes]]


@pytest.mark.parametrize(
    ("was", "now", "by_fisher", "by_boschloo"),
    [
        (of(74, 117), of(31, 63), 0.0483, 0.0356),
        (of(20, 20), of(16, 20), 0.0530, 0.0305),
        (of(20, 20), of(15, 20), 0.02356, 0.01126),
    ],
)
def test_published_p_values(was: Counts, now: Counts, by_fisher: float, by_boschloo: float) -> None:
    assert fisher(was, now) == pytest.approx(by_fisher, abs=5e-5)
    assert boschloo(was, now) == pytest.approx(by_boschloo, abs=5e-5)


@given(samples(200), samples(200))
def test_fisher_agrees_with_scipy(was: Counts, now: Counts) -> None:
    theirs = fisher_exact(table(was, now), alternative="greater").pvalue
    assert fisher(was, now) == pytest.approx(theirs, abs=1e-9)


@given(samples(25), samples(25))
@settings(max_examples=40)
def test_boschloo_agrees_with_scipy(was: Counts, now: Counts) -> None:
    theirs = boschloo_exact(table(was, now), alternative="greater", n=128).pvalue
    if not math.isnan(theirs):
        assert boschloo(was, now) >= theirs - 1e-7  # theirs may miss the highest peak, not we
        assert boschloo(was, now) == pytest.approx(theirs, abs=2e-3)


@given(samples(60), samples(60))
def test_it_is_never_stricter_than_fisher(was: Counts, now: Counts) -> None:
    assert 0 <= boschloo(was, now) <= fisher(was, now) + 1e-9


@pytest.mark.parametrize("runs", [5, 20])
@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95, 0.99])
def test_no_common_rate_makes_more_false_alarms_than_alpha(runs: int, rate: float) -> None:
    chances = [math.comb(runs, k) * rate**k * (1 - rate) ** (runs - k) for k in range(runs + 1)]
    false_alarms = math.fsum(
        chances[was] * chances[now]
        for was in range(runs + 1)
        for now in range(was)
        if boschloo(of(was, runs), of(now, runs)) <= 0.05
    )
    assert false_alarms <= 0.05
    at_ninety_five = (runs, rate) == (20, 0.95)
    assert not at_ninety_five or false_alarms > 0.005  # where Fisher's test has 0.1 %


def test_nothing_that_did_not_fall_is_a_drop() -> None:
    assert boschloo(of(0, 10), of(0, 10)) == 1
    assert boschloo(of(10, 10), of(10, 10)) == 1
    assert boschloo(of(3, 10), of(10, 10)) > 0.99


def test_samples_too_large_for_it_are_tested_by_fisher() -> None:
    was, now = of(950, 1_000), of(925, 1_000)
    assert boschloo(was, now) == fisher(was, now)
