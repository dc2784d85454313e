"""How good the probabilities of a judge are, and where its threshold should be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ci_judge.model.calibration import LabelCounts
from ci_judge.rules.intervals import wilson

BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a judge held to be likely, in [0, 1], and whether people passed it."""

    probability: float
    passed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """One row of a reliability table: the forecasts from ``low`` to below ``high``.

    The last holds 1 as well. ``mean`` and ``observed`` are None where it is empty.
    """

    low: float
    high: float
    forecasts: int
    mean: float | None
    observed: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A threshold on the probability, and what the judge would be with it.

    ``met`` says whether the lower bounds of both shares reach what was wanted.
    """

    threshold: float
    counts: LabelCounts
    met: bool


def brier_score(forecasts: Sequence[Forecast]) -> float | None:
    """Return the mean squared error (Brier 1950, Mon Weather Rev 78:1): 0 is perfect.

    0.25 is that of one half throughout; None without forecasts.
    """
    if not forecasts:
        return None
    errors = ((each.probability - each.passed) ** 2 for each in forecasts)
    return math.fsum(errors) / len(forecasts)


def reliability(forecasts: Sequence[Forecast]) -> tuple[Bin, ...]:
    """Sort forecasts into ten bins of one width: what was said, and what came of it."""
    sorted_in: list[list[Forecast]] = [[] for _ in range(BINS)]
    for each in forecasts:
        sorted_in[min(BINS - 1, int(each.probability * BINS))].append(each)
    return tuple(_bin(index, inside) for index, inside in enumerate(sorted_in))


def _bin(index: int, inside: Sequence[Forecast]) -> Bin:
    count = len(inside)
    return Bin(
        low=index / BINS,
        high=(index + 1) / BINS,
        forecasts=count,
        mean=math.fsum(each.probability for each in inside) / count if count else None,
        observed=sum(each.passed for each in inside) / count if count else None,
    )


def expected_calibration_error(table: Sequence[Bin]) -> float | None:
    """Return how far forecasts are from what came of them, on average; None without any."""
    total = sum(each.forecasts for each in table)
    if not total:
        return None
    gaps = (
        each.forecasts * abs(each.mean - each.observed)
        for each in table
        if each.mean is not None and each.observed is not None
    )
    return math.fsum(gaps) / total


def suggested_threshold(
    forecasts: Sequence[Forecast], *, least_tpr: float, least_tnr: float
) -> Suggestion | None:
    """Return the threshold that suits the wanted shares of right passes and right fails best.

    Of the thresholds whose lower bounds (Wilson, 95 %) meet both, and of all where none does, the
    one with the largest sum of both shares, and of equals the lowest. Halfway between two
    neighbouring forecasts, so that neither stands on it. None where a verdict has no labels.
    """
    passes = sum(each.passed for each in forecasts)
    if not 0 < passes < len(forecasts):
        return None
    candidates = [
        _suggestion(forecasts, threshold, least_tpr=least_tpr, least_tnr=least_tnr)
        for threshold in _thresholds(forecasts)
    ]
    return max(candidates, key=lambda each: (each.met, _right(each.counts), -each.threshold))


def _thresholds(forecasts: Sequence[Forecast]) -> list[float]:
    """Give one threshold for each way in which thresholds can part the forecasts."""
    seen = sorted({each.probability for each in forecasts})
    between = [(low + high) / 2 for low, high in pairwise(seen)]
    return [0.0, *between, 1.0]


def counts_at(forecasts: Sequence[Forecast], threshold: float) -> LabelCounts:
    """Count verdicts against labels where a probability of ``threshold`` or more is a pass."""
    good = [each.probability >= threshold for each in forecasts if each.passed]
    bad = [each.probability < threshold for each in forecasts if not each.passed]
    return LabelCounts(
        human_passes=len(good),
        agreed_passes=sum(good),
        human_fails=len(bad),
        agreed_fails=sum(bad),
    )


def _suggestion(
    forecasts: Sequence[Forecast], threshold: float, *, least_tpr: float, least_tnr: float
) -> Suggestion:
    counts = counts_at(forecasts, threshold)
    tpr = wilson(counts.agreed_passes, counts.human_passes)
    tnr = wilson(counts.agreed_fails, counts.human_fails)
    met = tpr.low >= least_tpr and tnr.low >= least_tnr
    return Suggestion(threshold=threshold, counts=counts, met=met)


def _right(counts: LabelCounts) -> float:
    return counts.agreed_passes / counts.human_passes + counts.agreed_fails / counts.human_fails
