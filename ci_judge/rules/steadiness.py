"""Gates whose result changes often between two CI runs of the same feature, and calmer ones."""

from dataclasses import dataclass, replace
from fractions import Fraction

from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.adaptive import perfect_adaptive_runs
from ci_judge.rules.gates import cannot_fail, needed_passes
from ci_judge.rules.power import flip_rate, is_forecast

MOST_FLIPS = 1 / 3
"""Two CI runs of a good feature that disagree more often than this decide little."""

_SHIPPED = Fraction(95, 100)
_CALM = 0.2
_MOST_EXACT_RUNS = 200
_ROOM = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Calmer:
    """Another design for the same threshold, and how often it flips."""

    rule: GateRule
    flips: float


def good_rate(rule: GateRule) -> Fraction:
    """Return how often a feature is right that a gate should pass.

    95 %, or what misses a quarter of what the threshold allows to miss if that is less.
    """
    return max(_SHIPPED, 1 - (1 - rule.threshold) / 4)


def often_flips(rule: GateRule) -> float | None:
    """Return how often the gate flips on a good feature where that is too often, else None.

    One run promises nothing of the kind, the gate misses asks for a count on purpose, and one that
    cannot be passed or cannot fail is told of elsewhere.
    """
    if rule.runs == 1 or rule.kind is GateKind.MISSES:
        return None
    if needed_passes(rule) is None or cannot_fail(rule) or not is_forecast(rule):
        return None
    flips = flip_rate(rule, float(good_rate(rule)))
    return flips if flips > MOST_FLIPS else None


def calmer_gates(rule: GateRule) -> tuple[Calmer, ...]:
    """Return what would flip less at the same threshold and confidence: adaptive, then exact.

    Nothing for a threshold that no number of runs can prove, or that would take very many.
    """
    if rule.threshold in (0, 1) or rule.kind is GateKind.CORRECTED:
        return ()
    found = (_adaptive(rule), _exact(rule))
    return tuple(calmer for calmer in found if calmer is not None)


def _adaptive(rule: GateRule) -> Calmer | None:
    least = perfect_adaptive_runs(rule)
    if least is None:
        return None
    runs = max(_ROOM * least, _ROOM * rule.runs if rule.kind is GateKind.ADAPTIVE else 0)
    other = replace(rule, kind=GateKind.ADAPTIVE, min_runs=least, runs=runs, early_stop=False)
    return _calm(other, rule)


def _exact(rule: GateRule) -> Calmer | None:
    for runs in range(rule.runs + 1, _MOST_EXACT_RUNS + 1):
        other = replace(rule, kind=GateKind.EXACT, runs=runs, min_runs=None)
        if needed_passes(other) is None:
            continue
        calm = _calm(other, rule)
        if calm is not None:
            return calm
    return None


def _calm(other: GateRule, rule: GateRule) -> Calmer | None:
    if not is_forecast(other):
        return None
    flips = flip_rate(other, float(good_rate(rule)))
    return Calmer(rule=other, flips=flips) if flips <= _CALM else None
