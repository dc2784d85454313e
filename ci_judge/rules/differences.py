"""The interval of the difference of two pass rates, and the exact test of paired single runs."""

import math
from dataclasses import dataclass
from fractions import Fraction

from ci_judge.rules.binomials import at_least
from ci_judge.rules.intervals import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """``passes`` of ``judged`` runs: a sample whose size did not depend on how it went."""

    passes: int
    judged: int

    @property
    def rate(self) -> float:
        """The share of passes. Raises ZeroDivisionError where nothing was judged."""
        return self.passes / self.judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """By how much a pass rate fell, in [-1, 1]; negative where it rose. The ends are an interval's.

    The share of runs that passed before, less the share that pass now.
    """

    observed: float
    low: float
    high: float


def drop(was: Counts, now: Counts, *, confidence: Fraction | float = 0.95) -> Drop:
    """Return the drop with Newcombe's hybrid score interval (Newcombe 1998, method 10).

    Two samples of at least one judged run each.
    """
    before = wilson(was.passes, was.judged, confidence=confidence)
    after = wilson(now.passes, now.judged, confidence=confidence)
    observed = was.rate - now.rate
    below = math.hypot(was.rate - before.low, after.high - now.rate)
    above = math.hypot(before.high - was.rate, now.rate - after.low)
    return Drop(observed=observed, low=max(-1.0, observed - below), high=min(1.0, observed + above))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTest:
    """Two-sided p-values of McNemar's test: the exact one, and the less strict mid-p."""

    p: float
    mid_p: float


def mcnemar(*, worse: int, better: int) -> PairedTest:
    """Test pairs of single runs: ``worse`` passed before and fail now, ``better`` the reverse.

    Where nothing has changed nothing speaks for a change: 1. (Fagerland, Lydersen and Laake 2013.)
    """
    changed = worse + better
    if changed == 0:
        return PairedTest(p=1.0, mid_p=1.0)
    fewer = min(worse, better)
    tail = at_least(changed - fewer, changed, 0.5)
    own = math.comb(changed, fewer) / 2**changed
    return PairedTest(p=min(1.0, 2 * tail), mid_p=min(1.0, 2 * tail - own))
