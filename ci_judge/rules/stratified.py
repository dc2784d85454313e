"""Whether many tests together got worse by more than chance, each compared with itself alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ci_judge.rules.differences import Counts
from ci_judge.rules.hypergeometric import Shares, shares

_NEGLIGIBLE = 1e-22


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The samples of one test on both sides."""

    was: Counts
    now: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class TogetherTest:
    """One-sided p-values: ``p`` never errs more often than it says, ``mid_p`` is less strict."""

    p: float
    mid_p: float


def together(pairs: Sequence[Pair]) -> TogetherTest:
    """Test the sum of the new passes, with the passes of both sides of each test given.

    The exact conditional test of a common odds ratio (Gart 1970): what each test may bring by
    chance is hypergeometric, and the sum's distribution is their convolution. Without a pair: 1.
    """
    observed = sum(pair.now.passes for pair in pairs)
    whole = Shares(first=0, chances=(1.0,))
    for pair in pairs:
        whole = _added(whole, _trimmed(shares(pair.was, pair.now)))
    place = observed - whole.first
    if place < 0:  # as good as impossible by chance
        return TogetherTest(p=0.0, mid_p=0.0)
    below = math.fsum(whole.chances[:place])
    own = whole.chances[place] if place < len(whole.chances) else 0.0
    return TogetherTest(p=min(1.0, below + own), mid_p=min(1.0, below + own / 2))


def _added(one: Shares, other: Shares) -> Shares:
    sums = [0.0] * (len(one.chances) + len(other.chances) - 1)
    for place, chance in enumerate(other.chances):
        for offset, each in enumerate(one.chances, start=place):
            sums[offset] += chance * each
    return _trimmed(Shares(first=one.first + other.first, chances=tuple(sums)))


def _trimmed(given: Shares) -> Shares:
    """Leave out both ends as far as they are negligible, or many tests would take long."""
    chances = given.chances
    first, last = 0, len(chances)
    while last - first > 1 and chances[first] < _NEGLIGIBLE:
        first += 1
    while last - first > 1 and chances[last - 1] < _NEGLIGIBLE:
        last -= 1
    return Shares(first=given.first + first, chances=chances[first:last])
