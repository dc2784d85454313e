"""How many runs would prove an observed rate."""

import math
from bisect import bisect_left
from fractions import Fraction
from functools import partial

from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.binomials import at_least
from ci_judge.rules.intervals import wilson

_MOST_MORE_RUNS = 100_000
_NEAR_RUNS = 200


def enough_runs(rule: GateRule, rate: Fraction) -> int | None:
    """Search the planned runs of which this rate, rounded down to whole runs, passes the gate.

    Rounding makes the condition saw-toothed: near by the least number is found, far away one that
    is close to it.
    """
    enough = partial(_rate_passes, rule, rate)
    near = range(rule.runs + 1, rule.runs + _NEAR_RUNS + 1)
    far = range(near.stop, rule.runs + _MOST_MORE_RUNS + 1)
    found = next((runs for runs in near if enough(runs)), None)
    if found is not None:
        return found
    index = bisect_left(far, x=True, key=enough)
    return far[index] if index < len(far) else None


def _rate_passes(rule: GateRule, rate: Fraction, runs: int) -> bool:
    passes = math.floor(rate * runs)
    if rule.kind is GateKind.LOWER_BOUND:
        return wilson(passes, runs, confidence=rule.confidence).low >= rule.threshold
    return at_least(passes, runs, float(rule.threshold)) <= 1 - rule.confidence
