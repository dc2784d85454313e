"""Samples that stop as soon as a fixed gate is decided: how long they last."""

import math
from collections.abc import Iterator


def expected_runs(runs: int, needed: int, true_rate: float) -> float:
    """Return the mean number of runs until ``needed`` passes, or too many fails for them.

    Sum of two negative binomial distributions, cut at the planned ``runs``:
    E[N] = Σ n C(n-1, r-1) q^r p^(n-r) + Σ n C(n-1, k-1) p^k q^(n-k), with r = runs - k + 1.
    Raises ValueError unless 1 <= ``needed`` <= ``runs``.
    """
    if not 1 <= needed <= runs:
        raise ValueError(f"{needed} of {runs} runs is nothing that a sample can stop at")
    fatal = runs - needed + 1
    lost = _until(fatal, 1 - true_rate, most=runs)
    won = _until(needed, true_rate, most=runs)
    return math.fsum((*lost, *won))


def _until(count: int, rate: float, *, most: int) -> Iterator[float]:
    """Yield n P(the ``count``-th success is at trial n) for every n up to ``most``."""
    if rate <= 0:
        return
    if rate >= 1:
        yield float(count)
        return
    for trials in range(count, most + 1):
        ways = math.lgamma(trials) - math.lgamma(count) - math.lgamma(trials - count + 1)
        log = ways + count * math.log(rate) + (trials - count) * math.log1p(-rate)
        yield trials * math.exp(log)
