"""Whether a test's pass rate fell by more than chance: Boschloo's exact one-sided test."""

import math
from collections.abc import Sequence
from functools import lru_cache

from ci_judge.rules.differences import Counts
from ci_judge.rules.hypergeometric import fisher, ways_up_to

_GRID = 1_000
_REFINEMENTS = 40
_TIE_DENOMINATOR = 10**10
_NEGLIGIBLE = 1e-18
_MOST_RUNS = 600
"""Runs of both samples together. Beyond, Fisher's test is as good, and never less strict."""


def boschloo(was: Counts, now: Counts) -> float:
    """Return the p-value for a rate that fell (Boschloo 1970).

    The chance of a table whose Fisher p-value is no larger than this one's, at the common pass rate
    for which it is greatest. Fisher's own p-value is larger, far too large where runs are few.
    """
    return _p_value(was.passes, was.judged, now.passes, now.judged)


@lru_cache(maxsize=4_096)
def _p_value(was_passes: int, was_judged: int, now_passes: int, now_judged: int) -> float:
    was = Counts(passes=was_passes, judged=was_judged)
    now = Counts(passes=now_passes, judged=now_judged)
    if was_judged + now_judged > _MOST_RUNS:
        return fisher(was, now)
    rejected = _rejected(was, now)
    if rejected[0] == 1:  # no pass at all is no drop: then everything is as extreme
        return 1.0
    return min(1.0, _supremum(rejected))


def _rejected(was: Counts, now: Counts) -> list[float]:
    """Return for each total of passes the chance of a table as extreme as this one, given it.

    Integers throughout, so that a tie is one whichever way the terms were added.
    """
    sizes = {"was_judged": was.judged, "now_judged": now.judged}
    total = was.passes + now.passes
    up_to = list(ways_up_to(total=total, **sizes))
    first = max(0, total - was.judged)
    runs = was.judged + now.judged
    limit = up_to[now.passes - first] * (_TIE_DENOMINATOR + 1)
    scale = up_to[-1] * _TIE_DENOMINATOR
    found = []
    for passes in range(runs + 1):
        every = math.comb(runs, passes)
        extreme, most = 0, limit * every // scale
        for ways in ways_up_to(total=passes, **sizes):
            if ways > most:
                break
            extreme = ways
        found.append(extreme / every)
    return found


def _supremum(rejected: Sequence[float]) -> float:
    """Find the common rate at which a rejection is likeliest.

    On a grid of even steps of the angle, on which the binomial is as wide everywhere, and between
    the neighbours of every peak of it that may be the highest.
    """
    step = math.pi / 2 / (_GRID + 1)
    heights = [0.0, *(_size(rejected, place * step) for place in range(1, _GRID + 1)), 0.0]
    highest = max(heights)
    peaks = [
        place
        for place in range(1, _GRID + 1)
        if heights[place - 1] <= heights[place] >= heights[place + 1]
        and heights[place] > 0.99 * highest
    ]
    return max(_peak(rejected, place * step, step) for place in peaks)


def _peak(rejected: Sequence[float], angle: float, step: float) -> float:
    """Climb between the neighbours of a grid point by thirds."""
    low, high = angle - step, angle + step
    best = _size(rejected, angle)
    for _ in range(_REFINEMENTS):
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        sizes = _size(rejected, left), _size(rejected, right)
        best = max(best, *sizes)
        low, high = (left, high) if sizes[0] < sizes[1] else (low, right)
    return best


def _size(rejected: Sequence[float], angle: float) -> float:
    """Return the chance of a rejection at the rate sin²(angle), from the binomial's middle out."""
    rate = math.sin(angle) ** 2
    runs = len(rejected) - 1
    if not 0 < rate < 1:
        return 0.0
    middle = min(runs, int((runs + 1) * rate))
    odds = rate / (1 - rate)
    peak = math.comb(runs, middle) * rate**middle * (1 - rate) ** (runs - middle)
    total = peak * rejected[middle]
    term = peak
    for passes in range(middle, runs):
        term *= (runs - passes) / (passes + 1) * odds
        if term < _NEGLIGIBLE:
            break
        total += term * rejected[passes + 1]
    term = peak
    for passes in range(middle, 0, -1):
        term *= passes / ((runs - passes + 1) * odds)
        if term < _NEGLIGIBLE:
            break
        total += term * rejected[passes - 1]
    return total
