"""Many tests together against published values, scipy, and every outcome by hand."""

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact, hypergeom

from ci_judge.rules.differences import Counts, mcnemar
from ci_judge.rules.stratified import Pair, together


def pair(was: int, now: int, runs: int = 20) -> Pair:
    return Pair(was=Counts(passes=was, judged=runs), now=Counts(passes=now, judged=runs))


FIVE = [pair(20, 18), pair(19, 17), pair(20, 19), pair(18, 15), pair(20, 20)]
small = st.integers(1, 6).flatmap(
    lambda judged: st.builds(Counts, passes=st.integers(0, judged), judged=st.just(judged))
)
pairs = st.builds(Pair, was=small, now=small)


def test_the_published_value_of_five_tests() -> None:
    found = together(FIVE)
    assert (found.p, found.mid_p) == pytest.approx((0.022104, 0.013201), abs=5e-7)


def test_one_test_alone_is_fishers() -> None:
    assert together([pair(20, 15)]).p == pytest.approx(0.023562, abs=5e-7)
    theirs = fisher_exact([[20, 15], [0, 5]], alternative="greater").pvalue
    assert together([pair(20, 15)]).p == pytest.approx(theirs, abs=1e-12)


@given(st.lists(pairs, max_size=3))
def test_it_agrees_with_every_outcome_added_up(given_pairs: list[Pair]) -> None:
    each = [
        hypergeom(p.was.judged + p.now.judged, p.was.passes + p.now.passes, p.now.judged)
        for p in given_pairs
    ]
    observed = sum(p.now.passes for p in given_pairs)
    chances = {"below": 0.0, "same": 0.0}
    for outcome in product(*(range(p.now.judged + 1) for p in given_pairs)):
        chance = math.prod(float(law.pmf(k)) for law, k in zip(each, outcome, strict=True))
        if sum(outcome) <= observed:
            chances["same" if sum(outcome) == observed else "below"] += chance
    found = together(given_pairs)
    assert found.p == pytest.approx(min(1, chances["below"] + chances["same"]), abs=1e-9)
    assert found.mid_p == pytest.approx(chances["below"] + chances["same"] / 2, abs=1e-9)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 5))
def test_single_runs_make_one_side_of_mcnemar(worse: int, better: int, same: int) -> None:
    runs = [pair(1, 0, 1)] * worse + [pair(0, 1, 1)] * better + [pair(1, 1, 1)] * same
    if worse > better:
        assert together(runs).p == pytest.approx(mcnemar(worse=worse, better=better).p / 2)


@given(st.lists(pairs, min_size=1, max_size=8), st.integers(0, 2**32))
@settings(max_examples=50)
def test_the_order_of_the_tests_says_nothing(given_pairs: list[Pair], turn: int) -> None:
    turned = given_pairs[turn % len(given_pairs) :] + given_pairs[: turn % len(given_pairs)]
    assert together(turned).p == pytest.approx(together(given_pairs).p, abs=1e-12)


def test_tests_that_cannot_have_changed_add_nothing() -> None:
    assert together([]).p == 1
    assert together([*FIVE, *([pair(20, 20)] * 30)]).p == pytest.approx(together(FIVE).p)


def test_a_thousand_tests_that_all_fell_are_no_accident() -> None:
    found = together([pair(18, 14)] * 1_000)
    assert found.p == found.mid_p == 0
