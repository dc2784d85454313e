"""How many of all passes fall to the new runs by chance alone, once their total is given."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ci_judge.rules.differences import Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The chances of ``first``, ``first`` + 1, … passes among the new runs."""

    first: int
    chances: tuple[float, ...]


def shares(was: Counts, now: Counts) -> Shares:
    """Return the distribution of the new passes, given those of both samples together."""
    total = was.passes + now.passes
    first = max(0, total - was.judged)
    last = min(now.judged, total)
    whole = _log_ways(was.judged + now.judged, total)
    return Shares(
        first=first,
        chances=tuple(
            math.exp(_log_ways(now.judged, k) + _log_ways(was.judged, total - k) - whole)
            for k in range(first, last + 1)
        ),
    )


def fisher(was: Counts, now: Counts) -> float:
    """Return Fisher's one-sided p-value: so few new passes or fewer, given the total."""
    given = shares(was, now)
    return min(1.0, math.fsum(given.chances[: now.passes - given.first + 1]))


def ways_up_to(*, total: int, was_judged: int, now_judged: int) -> Iterator[int]:
    """Yield in how many ways at most k of ``total`` passes fall to the new runs, for each k.

    From the least k that can be to the largest, the last of which is all ways there are.
    """
    ways = 0
    for k in range(max(0, total - was_judged), min(now_judged, total) + 1):
        ways += math.comb(now_judged, k) * math.comb(was_judged, total - k)
        yield ways


def _log_ways(things: int, taken: int) -> float:
    return math.lgamma(things + 1) - math.lgamma(taken + 1) - math.lgamma(things - taken + 1)
