"""Tail sums of the binomial distribution: exact ones for decisions, fast ones for forecasts."""

import math
from fractions import Fraction

_NEGLIGIBLE = 1e-17


def at_least(count: int, trials: int, rate: float) -> float:
    """Return P(X >= ``count``) for X ~ Bin(``trials``, ``rate``), about 12 digits good."""
    if count <= 0:
        return 1.0
    if count > trials or rate <= 0:
        return 0.0
    if rate >= 1:
        return 1.0
    if count > trials * rate:
        return _upper_sum(count, trials, rate)
    return 1.0 - _upper_sum(trials - count + 1, trials, 1.0 - rate)


def log_at_most(count: int, trials: int, rate: float) -> float:
    """Return log P(X <= ``count``), about 12 digits good however small it is.

    ``count`` is in [0, ``trials``], ``rate`` in (0, 1).
    """
    if count >= trials * rate:
        return math.log1p(-_upper_sum(count + 1, trials, rate)) if count < trials else 0.0
    share = total = 1.0
    odds = (1.0 - rate) / rate
    for passes in range(count, 0, -1):  # below the mean the terms shrink on the way down
        share *= passes / (trials - passes + 1) * odds
        total += share
        if share < total * _NEGLIGIBLE:
            break
    return _log_term(count, trials, rate) + math.log(total)


def _upper_sum(count: int, trials: int, rate: float) -> float:
    """Add the terms from ``count`` up; past the mean they shrink, so stop when they vanish."""
    term = math.exp(_log_term(count, trials, rate))
    odds = rate / (1.0 - rate)
    total = 0.0
    for passes in range(count, trials + 1):
        total += term
        term *= (trials - passes) / (passes + 1) * odds
        if term < total * _NEGLIGIBLE:
            break
    return min(1.0, total)


def _log_term(passes: int, trials: int, rate: float) -> float:
    ways = math.lgamma(trials + 1) - math.lgamma(passes + 1) - math.lgamma(trials - passes + 1)
    return ways + passes * math.log(rate) + (trials - passes) * math.log1p(-rate)


def critical_count(trials: int, rate: Fraction, *, level: Fraction) -> int | None:
    """Return the least k with P(X >= k) <= ``level``, None where even k = ``trials`` is likelier.

    Integer arithmetic throughout, so that a tail that equals the level is on the right side.
    ``level`` is in (0, 1).
    """
    if rate == 0:
        return 1
    hits, base = rate.numerator, rate.denominator
    limit = level.numerator * base**trials // level.denominator
    term = tail = hits**trials
    count = trials + 1
    while tail <= limit:
        count -= 1
        # C(n, k-1) a^(k-1) b^(n-k+1) from its neighbour above; the division leaves no remainder
        term = term * count * (base - hits) // ((trials - count + 1) * hits)
        tail += term
    return count if count <= trials else None
