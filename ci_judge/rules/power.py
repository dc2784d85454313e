"""What a gate's design promises before anything is sent: false passes, true passes, flips.

All figures hold if the judge never errs.
"""

from ci_judge.model.suite import GateRule
from ci_judge.rules.binomials import at_least
from ci_judge.rules.gates import needed_passes


def pass_probability(rule: GateRule, true_rate: float) -> float:
    """Return the chance that a feature with this true pass rate passes the gate."""
    needed = needed_passes(rule)
    return 0.0 if needed is None else at_least(needed, rule.runs, true_rate)


def false_pass_rate(rule: GateRule) -> float:
    """Return the chance that a feature exactly at the threshold passes the gate."""
    return pass_probability(rule, float(rule.threshold))


def flip_rate(rule: GateRule, true_rate: float) -> float:
    """Return how often two runs of the same feature disagree: 2π(1 - π)."""
    passing = pass_probability(rule, true_rate)
    return 2 * passing * (1 - passing)
