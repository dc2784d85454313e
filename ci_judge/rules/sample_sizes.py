"""How many runs a comparison of two pass rates needs, and what it sees with those it has."""

import math
from bisect import bisect_left
from statistics import NormalDist

from ci_judge.rules.detectable import USUAL_POWER

_STEPS = 10_000


def seen_fall(
    runs: int, *, before: float, alpha: float, power: float = USUAL_POWER
) -> float | None:
    """Return the highest rate, in steps of ``before`` / 10,000, to which a fall is probably seen.

    By one-sided tests of two samples of so many ``runs`` each. None where not even a fall to 0 is.
    """

    def seen(step: int) -> bool:
        after = before * (1 - step / _STEPS)
        return runs_on_each_side(before=before, after=after, alpha=alpha, power=power) <= runs

    least = bisect_left(range(1, _STEPS + 1), x=True, key=seen) + 1
    return before * (1 - least / _STEPS) if least <= _STEPS else None


def runs_on_each_side(*, before: float, after: float, alpha: float, power: float) -> float:
    """Return the runs that each of two samples needs for a test of their rates.

    [(z_alpha √(2 p̄ q̄) + z_power √(p1 q1 + p2 q2)) / (p1 - p2)]², the normal approximation (Fleiss,
    Levin and Paik 2003, 4.14). ``alpha`` is that of one tail: half of it for a two-sided test.
    Raises ZeroDivisionError for equal rates.
    """
    normal, mean = NormalDist(), (before + after) / 2
    by_chance = math.sqrt(2 * mean * (1 - mean))
    really = math.sqrt(before * (1 - before) + after * (1 - after))
    distance = normal.inv_cdf(1 - alpha) * by_chance + normal.inv_cdf(power) * really
    return (distance / (before - after)) ** 2
