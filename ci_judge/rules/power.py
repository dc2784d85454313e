"""What a gate's design promises before anything is sent: false passes, true passes, flips.

All figures hold if the judge never errs. Where a rule comes with labels (that of the gate corrected
does), they count in the judge's error as the labels show it.
"""

from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.adaptive import MOST_FORECAST_RUNS, adaptive_forecast
from ci_judge.rules.binomials import at_least
from ci_judge.rules.gates import may_stop, needed_passes
from ci_judge.rules.judge_error import apparent_rate
from ci_judge.rules.stopped_samples import expected_runs


def pass_probability(rule: GateRule, true_rate: float) -> float:
    """Return the chance that a feature with this true pass rate passes the gate."""
    return shown_pass_probability(rule, shown_rate(rule, true_rate))


def shown_pass_probability(rule: GateRule, rate: float) -> float:
    """Return the chance that a feature which the judge passes at this rate passes the gate."""
    if rule.kind is GateKind.ADAPTIVE:
        return adaptive_forecast(rule, rate).pass_probability
    needed = needed_passes(rule)
    return 0.0 if needed is None else at_least(needed, rule.runs, rate)


def shown_rate(rule: GateRule, true_rate: float) -> float:
    """Return how often the judge passes such a feature: where there are labels, they tell it."""
    shown = None if rule.labels is None else apparent_rate(true_rate, rule.labels)
    return true_rate if shown is None else shown


def is_forecast(rule: GateRule) -> bool:
    """Tell whether the figures of a gate can be had in a moment."""
    return rule.kind is not GateKind.ADAPTIVE or rule.runs <= MOST_FORECAST_RUNS


def mean_runs(rule: GateRule, true_rate: float) -> float:
    """Return how many runs a test takes on average at a true pass rate."""
    if rule.kind is GateKind.ADAPTIVE:
        return adaptive_forecast(rule, shown_rate(rule, true_rate)).expected_runs
    needed = needed_passes(rule)
    if needed is None or not may_stop(rule):
        return rule.runs
    return expected_runs(rule.runs, needed, shown_rate(rule, true_rate))


def false_pass_rate(rule: GateRule) -> float:
    """Return the chance that a feature exactly at the threshold passes the gate."""
    return pass_probability(rule, float(rule.threshold))


def flip_rate(rule: GateRule, true_rate: float) -> float:
    """Return how often two runs of the same feature disagree: 2π(1 - π)."""
    return _disagreeing(pass_probability(rule, true_rate))


def shown_flip_rate(rule: GateRule, rate: float) -> float:
    """Return how often two runs disagree about a feature that the judge passes at this rate."""
    return _disagreeing(shown_pass_probability(rule, rate))


def _disagreeing(passing: float) -> float:
    return 2 * passing * (1 - passing)
