"""Confidence intervals of a pass rate. Standard library only; scipy is the oracle in the tests."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

from ci_judge.model.results import Interval
from ci_judge.rules.binomials import at_least

_EVERYTHING = Interval(low=0.0, high=1.0)
_HALVINGS = 100


@lru_cache(maxsize=64)
def two_sided_z(confidence: Fraction | float) -> float:
    """Return the normal quantile of a two-sided interval: 1.959964 for 0.95.

    Raises ValueError outside (0, 1).
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    # from the tail: 1 - confidence keeps its digits as a fraction, (1 + confidence) / 2 would not
    return -NormalDist().inv_cdf(float((1 - Fraction(confidence)) / 2))


def wilson(passes: int, judged: int, *, confidence: Fraction | float = 0.95) -> Interval:
    """Return Wilson's score interval (Wilson 1927), two-sided.

    Nothing judged says nothing: [0, 1]. The ends are exactly 0 at no passes and 1 at no failures.
    Raises ValueError for counts that cannot be.
    """
    _refuse_impossible(passes, judged)
    if judged == 0:
        return _EVERYTHING
    z_squared = two_sided_z(confidence) ** 2
    rate = passes / judged
    scale = 1 + z_squared / judged
    centre = (rate + z_squared / (2 * judged)) / scale
    spread = math.sqrt(rate * (1 - rate) / judged + z_squared / (4 * judged * judged))
    half = math.sqrt(z_squared) * spread / scale
    return Interval(
        low=0.0 if passes == 0 else max(0.0, centre - half),
        high=1.0 if passes == judged else min(1.0, centre + half),
    )


def clopper_pearson(passes: int, judged: int, *, confidence: Fraction | float = 0.95) -> Interval:
    """Return the exact interval (Clopper and Pearson 1934), two-sided with equal tails."""
    _refuse_impossible(passes, judged)
    if judged == 0:
        return _EVERYTHING
    tail = float((1 - Fraction(confidence)) / 2)
    return Interval(
        low=0.0 if passes == 0 else _crossing(lambda p: at_least(passes, judged, p) > tail),
        high=1.0
        if passes == judged
        else _crossing(lambda p: at_least(passes + 1, judged, p) > 1 - tail),
    )


def anytime(passes: int, judged: int, *, confidence: Fraction | float = 0.95) -> Interval:
    """Return the beta-binomial confidence sequence, valid wherever a sample stops.

    The rates p with B(s+1, f+1) / (p^s (1-p)^f) < 1 / alpha, for s passes and f fails (Robbins
    1970, with a uniform mixture). It is wider than an interval of a sample of fixed size.
    """
    _refuse_impossible(passes, judged)
    if judged == 0:
        return _EVERYTHING
    fails = judged - passes
    whole = math.lgamma(passes + 1) + math.lgamma(fails + 1) - math.lgamma(judged + 2)
    least = whole + math.log(1 - Fraction(confidence))
    peak = passes / judged

    def likely(rate: float) -> bool:
        return _log_power(rate, passes) + _log_power(1 - rate, fails) > least

    return Interval(
        low=0.0 if passes == 0 else _crossing(likely, high=peak),
        high=1.0 if fails == 0 else _crossing(lambda rate: not likely(rate), low=peak),
    )


def _log_power(base: float, exponent: int) -> float:
    if exponent == 0:
        return 0.0
    return exponent * math.log(base) if base > 0 else -math.inf


def _crossing(is_above: Callable[[float], bool], *, low: float = 0.0, high: float = 1.0) -> float:
    """Return the rate between two from which on ``is_above`` holds, by bisection."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_above(middle) else (middle, high)
    return (low + high) / 2


def _refuse_impossible(passes: int, judged: int) -> None:
    if not 0 <= passes <= judged:
        raise ValueError(f"{passes} passes of {judged} runs cannot be")
