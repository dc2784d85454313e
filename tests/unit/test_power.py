"""What a design promises, against the published figures and scipy."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.gates import needed_passes
from ci_judge.rules.power import false_pass_rate, flip_rate, pass_probability

LOWER, EXACT, _, RATE, MISSES, _ = GateKind
FIXED = [LOWER, EXACT, RATE, MISSES]


def rule(kind: GateKind, runs: int, threshold: str) -> GateRule:
    return GateRule(kind=kind, runs=runs, threshold=Fraction(threshold))


@pytest.mark.parametrize(
    ("kind", "runs", "threshold", "percent"),
    [
        (LOWER, 10, "0.7", 2.82),
        (EXACT, 10, "0.7", 2.82),
        (LOWER, 20, "0.7", 0.76),
        (EXACT, 20, "0.7", 3.55),
        (LOWER, 20, "0.8", 1.15),
        (EXACT, 20, "0.8", 1.15),
        (LOWER, 30, "0.8", 1.05),
        (EXACT, 30, "0.8", 4.42),
        (LOWER, 50, "0.8", 1.85),
        (EXACT, 50, "0.8", 4.80),
        (LOWER, 100, "0.9", 2.37),
        (EXACT, 100, "0.9", 2.37),
        (LOWER, 9, "0.7", 4.04),
        (LOWER, 4, "0.51", 6.77),
    ],
)
def test_false_pass_rates(kind: GateKind, runs: int, threshold: str, percent: float) -> None:
    assert 100 * false_pass_rate(rule(kind, runs, threshold)) == pytest.approx(percent, abs=0.005)


def test_the_default_gate_flips_often_and_a_better_design_does_not() -> None:
    default, better = rule(LOWER, 10, "0.7"), rule(EXACT, 20, "0.7")
    assert pass_probability(default, 0.95) == pytest.approx(0.599, abs=0.0005)
    assert flip_rate(default, 0.95) == pytest.approx(0.48, abs=0.005)
    assert flip_rate(better, 0.95) == pytest.approx(0.140, abs=0.0005)


def test_a_gate_out_of_reach_never_passes_and_never_flips() -> None:
    hopeless = rule(LOWER, 3, "0.9")
    assert pass_probability(hopeless, 1.0) == 0.0
    assert false_pass_rate(hopeless) == 0.0
    assert flip_rate(hopeless, 1.0) == 0.0


@given(
    st.sampled_from([kind for kind in GateKind if kind is not GateKind.ADAPTIVE]),
    st.integers(1, 60),
    st.floats(0, 1),
)
def test_pass_probability_is_the_binomial_tail(kind: GateKind, runs: int, true_rate: float) -> None:
    gate = rule(kind, runs, "0.6")
    needed = needed_passes(gate)
    expected = 0.0 if needed is None else binom.sf(needed - 1, runs, true_rate)
    assert pass_probability(gate, true_rate) == pytest.approx(expected, abs=1e-12)
