"""How far a pass rate must fall until a comparison probably sees it."""

import math
from statistics import NormalDist

from ci_judge.rules.differences import Counts

USUAL_POWER = 0.8
_HALVINGS = 60


def detectable_drop(
    was: Counts, *, runs: int, alpha: float, power: float = USUAL_POWER
) -> float | None:
    """Return the least drop that a one-sided test of two rates sees with this probability.

    ``was`` is the sample before, ``runs`` the number of runs after it. The normal approximation of
    Fleiss, Levin and Paik (2003, 4.14), for two sizes: rough where runs are few. None where even
    a drop to 0 would be missed.
    """
    low, high = 0.0, was.rate
    if not _sees(was, runs=runs, drop=high, alpha=alpha, power=power):
        return None
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        seen = _sees(was, runs=runs, drop=middle, alpha=alpha, power=power)
        low, high = (low, middle) if seen else (middle, high)
    return high


def _sees(was: Counts, *, runs: int, drop: float, alpha: float, power: float) -> bool:
    before, after = was.rate, was.rate - drop
    common = (was.passes + runs * after) / (was.judged + runs)
    by_chance = math.sqrt(common * (1 - common) * (1 / was.judged + 1 / runs))
    really = math.sqrt(
        max(0.0, before * (1 - before) / was.judged) + max(0.0, after * (1 - after) / runs)
    )
    normal = NormalDist()
    return (
        drop > 0 and drop >= normal.inv_cdf(1 - alpha) * by_chance + normal.inv_cdf(power) * really
    )
