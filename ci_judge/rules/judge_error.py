"""The judge's own error: what a pass rate would be if the judge made none.

The estimate is Rogan and Gladen's (1978, Am J Epidemiol 107:71), the interval that of Lang and
Reiczigel (2014, Prev Vet Med 113:13), which counts the labels' uncertainty, too. Both are
approximate: with few labels a bound is too good more often than its confidence says.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ci_judge.model.calibration import CorrectedRate, LabelCounts
from ci_judge.rules.intervals import two_sided_z, wilson

FEWEST_LABELS = 10
"""Labels of each verdict below which no rate is corrected."""

_LEAST_YOUDEN = Fraction(1, 2)
_MOST_RUNS = 1_000_000


def refusal(labels: LabelCounts) -> str | None:
    """Say why labels allow no correction, None where they do.

    Too few of a verdict, or a judge with sensitivity + specificity <= 1.5 on them: near 1 the
    correction divides by next to nothing.
    """
    short = [
        f"{count} labelled {verdict}"
        for count, verdict in ((labels.human_passes, "pass"), (labels.human_fails, "fail"))
        if count < FEWEST_LABELS
    ]
    if short:
        return (
            f"of the responses that the judge was asked about, {' and '.join(short)}: "
            f"a correction takes at least {FEWEST_LABELS} of each"
        )
    if _youden(labels) > _LEAST_YOUDEN:
        return None
    return (
        f"the judge passed {labels.agreed_passes} of {labels.human_passes} good responses and "
        f"failed {labels.agreed_fails} of {labels.human_fails} bad ones: "
        "it errs too often to be corrected for it (the two shares must add up to more than 1.5)"
    )


def _youden(labels: LabelCounts) -> Fraction:
    """Return sensitivity + specificity - 1 as observed; both verdicts must have labels."""
    hits = Fraction(labels.agreed_passes, labels.human_passes)
    return hits + Fraction(labels.agreed_fails, labels.human_fails) - 1


def corrected_rate(
    passes: int,
    judged: int,
    labels: LabelCounts,
    *,
    certain: int = 0,
    confidence: Fraction | float = 0.95,
) -> CorrectedRate | None:
    """Correct ``passes`` of ``judged`` runs, None where labels allow it not or nothing was judged.

    ``certain`` of the runs that did not pass were failed by checks, about which no judge was asked:
    they stay fails, whatever the judge's error. Raises ValueError for counts that cannot be.
    """
    if not 0 <= passes <= judged - certain <= judged:
        raise ValueError(f"{passes} passes of {judged} runs, {certain} certain fails, cannot be")
    if not judged or refusal(labels) is not None:
        return None
    share = 1 - certain / judged
    low, high = _interval(passes, judged, labels, share=share, confidence=confidence)
    return CorrectedRate(
        rate=_estimate(passes, judged, labels, certain=certain), low=low, high=high
    )


def _estimate(passes: int, judged: int, labels: LabelCounts, *, certain: int) -> float:
    """Solve q = rate * Se + (w - rate) * (1 - Sp) for the rate; w is the share that was judged."""
    missed = 1 - Fraction(labels.agreed_fails, labels.human_fails)
    apparent = Fraction(passes, judged) - Fraction(judged - certain, judged) * missed
    return float(min(Fraction(1), max(Fraction(0), apparent / _youden(labels))))


def _interval(
    passes: int, judged: int, labels: LabelCounts, *, share: float, confidence: Fraction | float
) -> tuple[float, float]:
    z = two_sided_z(confidence)
    bounds = _adjusted(passes, judged, labels, share=share, z=z)
    low, high = (min(1.0, max(0.0, bound)) for bound in bounds)
    if not _erred(labels):
        # a judge without an observed error must not prove more than one that cannot err
        plain = wilson(passes, judged, confidence=confidence)
        return min(low, plain.low), max(high, plain.high)
    return low, high


def _erred(labels: LabelCounts) -> bool:
    return (labels.agreed_passes, labels.agreed_fails) != (labels.human_passes, labels.human_fails)


def _adjusted(
    passes: int, judged: int, labels: LabelCounts, *, share: float, z: float
) -> tuple[float, float]:
    """Return Lang and Reiczigel's two ends, not yet cut to [0, 1].

    Each proportion is moved towards one half, and the interval's centre by the bias that this
    brings; ``share`` of the runs were judged, the others are certain fails.
    """
    runs = judged + z * z
    apparent = (passes + z * z / 2) / runs
    hits = _Adjusted.of(labels.agreed_passes, labels.human_passes)
    rejections = _Adjusted.of(labels.agreed_fails, labels.human_fails)
    power = hits.rate + rejections.rate - 1
    rate = (apparent - share * (1 - rejections.rate)) / power
    rest = share - rate
    shift = 2 * z * z * (rate * hits.variance - rest * rejections.variance)
    spread = (
        apparent * (1 - apparent) / runs
        + rate * rate * hits.variance
        + rest * rest * rejections.variance
    )
    half = z * math.sqrt(spread) / power
    return rate + shift - half, rate + shift + half


@dataclass(frozen=True, slots=True, kw_only=True)
class _Adjusted:
    """A share of labels with one more of each kind, and its variance."""

    rate: float
    variance: float

    @classmethod
    def of(cls, agreed: int, labelled: int) -> "_Adjusted":
        rate = (agreed + 1) / (labelled + 2)
        return cls(rate=rate, variance=rate * (1 - rate) / (labelled + 2))


def _bound_holds(
    passes: int, runs: int, labels: LabelCounts, *, share: float, design: "_Design"
) -> bool:
    low, _ = _interval(passes, runs, labels, share=share, confidence=design.confidence)
    return low >= design.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class _Design:
    threshold: Fraction
    confidence: Fraction


@lru_cache(maxsize=4096)
def corrected_count(
    runs: int, threshold: Fraction, labels: LabelCounts, *, confidence: Fraction, certain: int = 0
) -> int | None:
    """Return the least k of which the corrected lower bound reaches the threshold, None if none.

    Every count from k up reaches it. ``certain`` fails were found by checks, which leaves
    ``runs - certain`` that can pass.
    """
    if refusal(labels) is not None:
        return None
    design = _Design(threshold=threshold, confidence=confidence)
    share = 1 - certain / runs
    counts = _counts(runs - certain, design)
    index = bisect_left(
        counts,
        x=True,
        key=lambda k: _bound_holds(k, runs, labels, share=share, design=design),
    )
    return counts[index] if index < len(counts) else None


def lenient_count(
    runs: int, threshold: Fraction, labels: LabelCounts, *, confidence: Fraction
) -> int | None:
    """Return the least k that passes where every run that did not pass was failed by a check."""
    if refusal(labels) is not None:
        return None
    design = _Design(threshold=threshold, confidence=confidence)
    counts = _counts(runs, design)
    index = bisect_left(
        counts,
        x=True,
        key=lambda k: _bound_holds(k, runs, labels, share=k / runs, design=design),
    )
    return counts[index] if index < len(counts) else None


def _counts(most: int, design: _Design) -> range:
    """Give the counts that may pass: none without a single pass, whatever a formula is put to."""
    return range(0 if design.threshold == 0 else 1, most + 1)


def perfect_corrected_runs(
    threshold: Fraction, labels: LabelCounts, *, confidence: Fraction
) -> int | None:
    """Return with how many runs a perfect score passes, None where more labels are the remedy."""
    if refusal(labels) is not None:
        return None
    design = _Design(threshold=threshold, confidence=confidence)
    sizes = range(1, _MOST_RUNS + 1)
    index = bisect_left(
        sizes, x=True, key=lambda n: _bound_holds(n, n, labels, share=1.0, design=design)
    )
    return sizes[index] if index < len(sizes) else None


def corrected_reach(runs: int, labels: LabelCounts, *, confidence: Fraction) -> float:
    """Return the corrected lower bound of a perfect score; 0 where labels allow no correction."""
    if refusal(labels) is not None:
        return 0.0
    low, _ = _interval(runs, runs, labels, share=1.0, confidence=confidence)
    return low


def apparent_rate(true_rate: Fraction | float, labels: LabelCounts) -> float | None:
    """Return how often the judge passes a feature of this true rate: q = p Se + (1 - p)(1 - Sp).

    None where either share has no labels.
    """
    if labels.sensitivity is None or labels.specificity is None:
        return None
    rate = Fraction(true_rate)
    return float(rate * labels.sensitivity + (1 - rate) * (1 - labels.specificity))
