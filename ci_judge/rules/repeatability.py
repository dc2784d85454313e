"""How often the verdict of a gate flips between two runs of the same thing, by chance alone."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ci_judge.model.suite import GateRule
from ci_judge.rules.gates import boundary, may_stop
from ci_judge.rules.power import shown_flip_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """``passes`` of ``judged`` runs: those of a test in both reports together."""

    passes: int
    judged: int


@lru_cache(maxsize=4_096)
def flip_chance(rule: GateRule, pooled: Pooled) -> float | None:
    """Return the chance that just one of two tests with these runs together passes its gate.

    Given how many runs passed and failed in both, every order of them is equally likely, whatever
    the true rate: so the chance is exact, a sum of hypergeometric terms, and needs no estimate of
    that rate. None for a gate that may stop: where two such tests ended says by itself which
    passed, so that nothing is left to chance. Raises ValueError where no two tests
    of this gate can come to these counts.
    """
    if may_stop(rule):
        return None
    runs, missed = rule.runs, pooled.judged - pooled.passes
    if pooled.judged != 2 * runs or not 0 <= missed <= pooled.judged:
        raise ValueError(f"{pooled.passes} of {pooled.judged} runs are none of two such tests")
    edge, ways = boundary(rule), list(_combinations(runs))
    passed = [edge.met(runs, misses=misses) for misses in range(runs + 1)]
    flipped = sum(
        ways[misses] * ways[missed - misses]
        for misses in range(max(0, missed - runs), min(runs, missed) + 1)
        if passed[misses] != passed[missed - misses]
    )
    return flipped / math.comb(2 * runs, missed)


def _combinations(runs: int) -> Iterator[int]:
    ways = 1
    for misses in range(runs + 1):
        yield ways
        ways = ways * (runs - misses) // (misses + 1)


def plug_in_flip_rate(rule: GateRule, pooled: Pooled) -> float:
    """Return 2π(1 - π) with the observed rate in the place of the true one.

    It is off where a gate asks for almost every run: 10 of 10 at 95 % flips 48 times in 100, and
    this says 29 on average.
    """
    return shown_flip_rate(rule, pooled.passes / pooled.judged)


def chance_of_so_many(chances: Sequence[float], count: int) -> float:
    """Return the chance of ``count`` or more of independent events (Poisson's binomial)."""
    if count <= 0:
        return 1.0
    exactly = [1.0] + [0.0] * (count - 1)  # of 0 to count - 1 so far
    reached = 0.0
    for chance in chances:
        reached += exactly[-1] * chance
        for events in range(count - 1, 0, -1):
            exactly[events] += (exactly[events - 1] - exactly[events]) * chance
        exactly[0] *= 1 - chance
    return min(1.0, reached)
