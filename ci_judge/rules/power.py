"""What a gate's design promises before anything is sent: false passes, true passes, flips.

All figures hold if the judge never errs.
"""

from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.adaptive import MOST_FORECAST_RUNS, adaptive_forecast
from ci_judge.rules.binomials import at_least
from ci_judge.rules.gates import may_stop, needed_passes
from ci_judge.rules.stopped_samples import expected_runs


def pass_probability(rule: GateRule, true_rate: float) -> float:
    """Return the chance that a feature with this true pass rate passes the gate."""
    if rule.kind is GateKind.ADAPTIVE:
        return adaptive_forecast(rule, true_rate).pass_probability
    needed = needed_passes(rule)
    return 0.0 if needed is None else at_least(needed, rule.runs, true_rate)


def is_forecast(rule: GateRule) -> bool:
    """Tell whether the figures of a gate can be had in a moment."""
    return rule.kind is not GateKind.ADAPTIVE or rule.runs <= MOST_FORECAST_RUNS


def mean_runs(rule: GateRule, true_rate: float) -> float:
    """Return how many runs a test takes on average at a true pass rate."""
    if rule.kind is GateKind.ADAPTIVE:
        return adaptive_forecast(rule, true_rate).expected_runs
    needed = needed_passes(rule)
    if needed is None or not may_stop(rule):
        return rule.runs
    return expected_runs(rule.runs, needed, true_rate)


def false_pass_rate(rule: GateRule) -> float:
    """Return the chance that a feature exactly at the threshold passes the gate."""
    return pass_probability(rule, float(rule.threshold))


def flip_rate(rule: GateRule, true_rate: float) -> float:
    """Return how often two runs of the same feature disagree: 2π(1 - π)."""
    passing = pass_probability(rule, true_rate)
    return 2 * passing * (1 - passing)
