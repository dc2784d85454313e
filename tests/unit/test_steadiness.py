"""Which gates flip too often, and what is calmer."""

from fractions import Fraction

import pytest

from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.power import flip_rate, pass_probability
from ci_judge.rules.steadiness import calmer_gates, good_rate, often_flips
from tests.model_builders import a_rule


def test_the_default_gate_flips_in_every_second_pair_of_runs() -> None:
    flips = often_flips(a_rule())
    assert flips == pytest.approx(0.48, abs=0.001)  # 0.95^10 = 0.599, 2 x 0.599 x 0.401


@pytest.mark.parametrize(
    "rule",
    [
        a_rule(kind=GateKind.EXACT, runs=20),
        a_rule(kind=GateKind.EXACT, runs=30, threshold=Fraction(8, 10)),
        a_rule(kind=GateKind.ADAPTIVE, runs=100, min_runs=20, threshold=Fraction(8, 10)),
        a_rule(kind=GateKind.RATE),
        a_rule(kind=GateKind.MISSES, misses=0),
        a_rule(kind=GateKind.RATE, runs=1, threshold=Fraction(1)),
        a_rule(runs=3),  # cannot be passed
        a_rule(kind=GateKind.RATE, threshold=Fraction(0)),  # cannot fail
    ],
)
def test_steady_and_deliberate_gates_are_left_alone(rule: GateRule) -> None:
    assert often_flips(rule) is None


def test_a_strict_threshold_is_held_against_a_better_feature() -> None:
    strict = a_rule(runs=100, threshold=Fraction(9, 10))
    assert flip_rate(strict, 0.95) > 1 / 3
    assert good_rate(strict) == Fraction(39, 40)
    assert often_flips(strict) is None


def test_what_is_offered_keeps_threshold_and_confidence_and_flips_less() -> None:
    rule = a_rule()
    adaptive, exact = calmer_gates(rule)
    assert (adaptive.rule.kind, adaptive.rule.min_runs) == (GateKind.ADAPTIVE, 13)
    assert exact.rule.kind is GateKind.EXACT
    for calmer in (adaptive, exact):
        assert calmer.rule.threshold == rule.threshold
        assert calmer.flips == flip_rate(calmer.rule, 0.95) < 0.2
        assert pass_probability(calmer.rule, 0.7) <= 0.05


def test_nothing_is_offered_where_nothing_helps() -> None:
    assert calmer_gates(a_rule(kind=GateKind.RATE, runs=5, threshold=Fraction(1))) == ()
    assert calmer_gates(a_rule(runs=400, threshold=Fraction(99, 100))) == ()
