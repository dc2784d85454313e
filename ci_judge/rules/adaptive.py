"""The adaptive gate: evidence that may be looked at after every run, and what it promises.

The evidence is a betting score: the likelihood of the runs under rates spread evenly above the
threshold T, over that at T itself. While the true rate is at most T it reaches 1 / alpha with
probability alpha at most, however often one looks (Ville's inequality; Howard et al. 2021,
Waudby-Smith and Ramdas 2024).
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ci_judge.model.suite import GateRule
from ci_judge.rules.binomials import log_at_most

MOST_FORECAST_RUNS = 2_000
"""Beyond it the exact forecast takes seconds."""

_NEGLIGIBLE = 1e-16


def log_evidence(passes: int, fails: int, threshold: float) -> float:
    """Return log E of so many passes and fails against a threshold in (0, 1).

    E = ∫_T^1 u^s (1-u)^f du / (1-T) / (T^s (1-T)^f). The integral is B(s+1, f+1) times the upper
    tail of a beta distribution, which is a lower tail of a binomial one: its direct sum keeps the
    digits that 1 - I_T would lose.
    """
    runs = passes + fails
    whole = math.lgamma(passes + 1) + math.lgamma(fails + 1) - math.lgamma(runs + 2)
    tail = log_at_most(passes, runs + 1, threshold)
    miss = math.log1p(-threshold)
    return whole + tail - miss - passes * math.log(threshold) - fails * miss


@lru_cache(maxsize=256)
def needed_runs(rule: GateRule) -> tuple[int, ...]:
    """Return after how many runs the evidence suffices with 0, 1, 2 … misses.

    As many places as misses can still pass within ``rule.runs`` runs; none where even a perfect
    score does not.
    """
    if rule.threshold == 0:
        return tuple(range(rule.runs + 1))
    if rule.threshold == 1:
        return ()
    enough, threshold = _enough(rule.confidence), float(rule.threshold)
    found: list[int] = []
    for runs in range(1, rule.runs + 1):
        misses = len(found)
        if log_evidence(runs - misses, misses, threshold) >= enough:
            found.append(runs)
    return tuple(found)


def perfect_adaptive_runs(rule: GateRule) -> int | None:
    """Return the least number of runs with which a perfect score is enough, None when none is."""
    if rule.threshold in (0, 1):
        return None if rule.threshold == 1 else 1
    threshold, enough = float(rule.threshold), _enough(rule.confidence)
    most = 1
    while log_evidence(most, 0, threshold) < enough:
        most *= 2
    return bisect_left(
        range(most + 1), x=True, key=lambda runs: log_evidence(runs, 0, threshold) >= enough
    )


def adaptive_reach(rule: GateRule) -> float:
    """Return the highest threshold, in millionths, that a perfect score of all runs proves."""
    enough, steps = _enough(rule.confidence), 1_000_000
    refused = bisect_left(
        range(1, steps),
        x=True,
        key=lambda step: log_evidence(rule.runs, 0, step / steps) < enough,
    )
    return refused / steps  # the range begins at 1, so the step before the first refused one


def _enough(confidence: Fraction) -> float:
    return -math.log(1 - confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a gate that may stop comes to at a true rate."""

    pass_probability: float
    expected_runs: float


@lru_cache(maxsize=256)
def adaptive_forecast(rule: GateRule, true_rate: float) -> Forecast:
    """Follow every course of the runs exactly, by the number of misses so far.

    Without runs that give no verdict. Takes runs x misses steps: see ``MOST_FORECAST_RUNS``.
    """
    needed = needed_runs(rule)
    looks_from = rule.least_runs
    going: dict[int, float] = {0: 1.0}
    passed = expected = 0.0
    for runs in range(1, rule.runs + 1):
        expected += math.fsum(going.values())
        going = _one_more(going, true_rate)
        if runs < looks_from:
            continue
        for misses in list(going):
            met = misses < len(needed) and runs >= needed[misses]
            if met or misses >= len(needed):
                chance = going.pop(misses)
                passed += chance if met else 0.0
        if not going:
            break
    return Forecast(pass_probability=passed, expected_runs=expected)


def _one_more(going: dict[int, float], true_rate: float) -> dict[int, float]:
    after: dict[int, float] = {}
    for misses, chance in going.items():
        if chance > _NEGLIGIBLE:
            after[misses] = after.get(misses, 0.0) + chance * true_rate
            after[misses + 1] = after.get(misses + 1, 0.0) + chance * (1 - true_rate)
    return after
