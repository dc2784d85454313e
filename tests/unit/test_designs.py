"""What designs come to: figures of the contract, scipy, and every outcome of small suites."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from scipy.stats import binom

from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.designs import SHOWN_RATES, all_together, comparable_runs, design, instead
from ci_judge.rules.gates import needed_passes
from tests.model_builders import a_rule

EIGHTY = Fraction(8, 10)
STARTER = a_rule(kind=GateKind.ADAPTIVE, runs=100, min_runs=20, threshold=EIGHTY)


def test_the_figures_of_a_fixed_gate_are_binomial_tails() -> None:
    found = design(a_rule(kind=GateKind.EXACT, runs=30, threshold=EIGHTY))
    assert found is not None
    assert found.needed == 28
    assert found.false_pass == pytest.approx(binom.sf(27, 30, 0.8))
    for at, rate in zip(found.at, SHOWN_RATES, strict=True):
        passing = binom.sf(27, 30, float(rate))
        assert at.rate == rate
        assert at.passes == pytest.approx(passing)
        assert at.flips == pytest.approx(2 * passing * (1 - passing))
        assert at.runs == 30


def test_the_figures_of_the_adaptive_gate_are_the_published_ones() -> None:
    found = design(STARTER)
    assert found is not None
    assert found.false_pass == pytest.approx(0.027, abs=0.0005)
    ninety_five = found.at[1]
    assert ninety_five.passes == pytest.approx(0.986, abs=0.0005)
    assert ninety_five.runs == pytest.approx(37.8, abs=0.05)


@pytest.mark.parametrize(
    "rule",
    [
        a_rule(kind=GateKind.MISSES, misses=1),
        a_rule(kind=GateKind.RATE, threshold=Fraction(1)),
        a_rule(kind=GateKind.RATE, threshold=Fraction(0)),
    ],
    ids=["misses", "all", "none"],
)
def test_no_false_pass_is_told_where_nothing_is_at_the_threshold(rule: GateRule) -> None:
    found = design(rule)
    assert found is not None
    assert found.false_pass is None


def test_a_gate_out_of_reach_needs_nothing_that_there_is_and_never_passes() -> None:
    found = design(a_rule(runs=3))
    assert found is not None
    assert found.needed is None
    assert [at.passes for at in found.at] == [0, 0, 0]


def test_figures_that_would_take_minutes_are_not_computed() -> None:
    endless = a_rule(kind=GateKind.ADAPTIVE, runs=9_000, min_runs=20, threshold=EIGHTY)
    assert design(endless) is None
    assert all_together({endless: 1, a_rule(): 2}) is None


def test_a_suite_is_green_where_every_test_passes() -> None:
    single, double = a_rule(runs=1, kind=GateKind.RATE), a_rule(runs=2, kind=GateKind.RATE)
    tests = [single, single, double]
    found = all_together(Counter(tests))
    assert found is not None
    for at in found:
        rate = float(at.rate)
        outcomes = list(product((True, False), repeat=4))
        chance_of = {
            runs: rate ** sum(runs) * (1 - rate) ** (len(runs) - sum(runs)) for runs in outcomes
        }
        green = sum(chance for runs, chance in chance_of.items() if all(runs))
        flips = sum(
            chance_of[one] * chance_of[other]
            for one, other in product(outcomes, repeat=2)
            if all(one) != all(other)
        )
        assert at.passes == pytest.approx(green)
        assert at.flips == pytest.approx(flips)
        assert at.runs == 4


def test_ten_tests_of_a_good_gate_are_seldom_all_green() -> None:
    rule = a_rule(kind=GateKind.EXACT, runs=20)
    found = all_together({rule: 10})
    assert found is not None
    assert found[1].passes == pytest.approx(0.46, abs=0.005)


def test_what_may_stop_early_is_not_compared_but_for_its_fixed_prefix() -> None:
    rules = [a_rule(), a_rule(early_stop=True), STARTER]
    assert comparable_runs(rules) == [10, 0, 20]


# --- other designs -----------------------------------------------------------------------


def sizes(rule: GateRule) -> list[tuple[str, int | None, int]]:
    return [(other.kind.value, other.min_runs, other.runs) for other in instead(rule)]


def test_other_designs_are_the_usual_sizes_and_the_adaptive_one() -> None:
    assert sizes(a_rule(threshold=EIGHTY)) == [
        ("exact", None, 20),
        ("exact", None, 30),
        ("exact", None, 50),
        ("adaptive", 20, 100),
    ]


@pytest.mark.parametrize("threshold", ["0.05", "0.5", "0.9", "0.95", "0.99"])
def test_no_design_is_shown_that_cannot_be_passed(threshold: str) -> None:
    rule = a_rule(threshold=Fraction(threshold), early_stop=True, misses=2)
    others = instead(rule)
    assert others
    for other in others:
        assert needed_passes(other) is not None
        assert (other.threshold, other.confidence) == (rule.threshold, rule.confidence)
        assert not other.early_stop
        assert design(other) is not None


@pytest.mark.parametrize("threshold", [0, 1])
def test_there_is_no_design_for_what_no_runs_prove(threshold: int) -> None:
    assert instead(a_rule(threshold=Fraction(threshold))) == ()


def test_a_threshold_that_takes_too_many_runs_has_fewer_designs() -> None:
    assert sizes(a_rule(threshold=Fraction("0.9999"))) == []
