"""What the design of a gate comes to: alone, with all gates of a suite, and others instead."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.adaptive import MOST_FORECAST_RUNS, perfect_adaptive_runs
from ci_judge.rules.gates import needed_passes
from ci_judge.rules.power import false_pass_rate, is_forecast, mean_runs, pass_probability

SHOWN_RATES = (Fraction(99, 100), Fraction(95, 100), Fraction(90, 100))
"""How often a feature is right, for which a design is shown."""

_EXACT_LADDER = (20, 30, 50, 100, 200, 300, 500, 1_000, 2_000)
_MOST_EXACT = 3
_ROOM = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class AtRate:
    """What happens where everything is right with probability ``rate``.

    ``passes`` is the chance to pass, ``flips`` that two CI runs disagree, ``runs`` are the runs to
    expect.
    """

    rate: Fraction
    passes: float
    flips: float
    runs: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The figures of a gate. ``needed`` is None where not even a perfect score passes.

    ``false_pass`` is the chance to pass right at the threshold; None for the gate misses, and for
    the thresholds 0 and 1, which know no such thing.
    """

    rule: GateRule
    needed: int | None
    false_pass: float | None
    at: tuple[AtRate, ...]


@lru_cache(maxsize=1_024)
def design(rule: GateRule, rates: tuple[Fraction, ...] = SHOWN_RATES) -> Design | None:
    """Compute the figures of a gate, None where they would take long (``is_forecast``)."""
    if not is_forecast(rule):
        return None
    known = rule.kind is not GateKind.MISSES and rule.threshold not in (0, 1)
    return Design(
        rule=rule,
        needed=needed_passes(rule),
        false_pass=false_pass_rate(rule) if known else None,
        at=tuple(_at(rule, rate) for rate in rates),
    )


def _at(rule: GateRule, rate: Fraction) -> AtRate:
    passes = pass_probability(rule, float(rate))
    return _flipping(rate, passes, runs=mean_runs(rule, float(rate)))


def _flipping(rate: Fraction, passes: float, *, runs: float) -> AtRate:
    return AtRate(rate=rate, passes=passes, flips=2 * passes * (1 - passes), runs=runs)


def all_together(tests: Mapping[GateRule, int]) -> tuple[AtRate, ...] | None:
    """Say how often every gate passes where every test is right equally often, by itself.

    ``tests`` counts those of each gate. None where the figures of a gate are not to be had.
    """
    designs = [design(rule) for rule in tests]
    known = [each for each in designs if each is not None]
    if len(known) < len(designs):
        return None
    counts = list(tests.values())
    return tuple(
        _flipping(
            rate,
            math.prod(each.at[place].passes ** n for each, n in zip(known, counts, strict=True)),
            runs=math.fsum(each.at[place].runs * n for each, n in zip(known, counts, strict=True)),
        )
        for place, rate in enumerate(SHOWN_RATES)
    )


def comparable_runs(rules: Iterable[GateRule]) -> Sequence[int]:
    """Return how many runs of each test can be held against a baseline; 0 for none.

    A sample that stops where it is decided is no fair one; an adaptive gate has one in the runs
    that it makes in any case.
    """
    return [0 if rule.early_stop else rule.least_runs for rule in rules]


def instead(rule: GateRule) -> tuple[GateRule, ...]:
    """Return other designs for the same threshold and confidence, the cheapest that can be passed.

    Exact gates of usual sizes first, then the adaptive one. None for the thresholds 0 and 1.
    """
    if rule.threshold in (0, 1):
        return ()
    plain = GateRule(
        kind=GateKind.EXACT, runs=rule.runs, threshold=rule.threshold, confidence=rule.confidence
    )
    exact = (replace(plain, runs=runs) for runs in _EXACT_LADDER)
    passable = [each for each in exact if needed_passes(each) is not None]
    return (*passable[:_MOST_EXACT], *_adaptive(plain))


def _adaptive(plain: GateRule) -> Iterable[GateRule]:
    least = perfect_adaptive_runs(plain)
    if least is not None and least < MOST_FORECAST_RUNS:
        runs = min(MOST_FORECAST_RUNS, _ROOM * least)
        yield replace(plain, kind=GateKind.ADAPTIVE, min_runs=least, runs=runs)
