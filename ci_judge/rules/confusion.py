"""A judge against people, label by label: how often it is right, and how often by chance."""

from dataclasses import dataclass
from fractions import Fraction

from ci_judge.model.calibration import LabelCounts
from ci_judge.model.results import Interval
from ci_judge.rules.agreement import agreement
from ci_judge.rules.intervals import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """``hits`` of ``total`` with Wilson's 95 % interval; ``rate`` is None of nothing."""

    hits: int
    total: int
    rate: float | None
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """What a table of labels and verdicts says of a judge.

    ``sensitivity`` is P(judge pass | human pass), ``specificity`` P(judge fail | human fail).
    Cohen's kappa and Gwet's AC1 are at most 1, and 0 where the two agree as often as by chance;
    None where they are not defined.
    """

    accuracy: Share
    sensitivity: Share
    specificity: Share
    cohen_kappa: float | None
    gwet_ac1: float | None


def share_of(hits: int, total: int) -> Share:
    """Give a share and its 95 % interval."""
    rate = hits / total if total else None
    return Share(hits=hits, total=total, rate=rate, interval=wilson(hits, total))


def confusion(labels: LabelCounts) -> Confusion:
    """Measure a judge by its counts."""
    agreed = labels.agreed_passes + labels.agreed_fails
    return Confusion(
        accuracy=share_of(agreed, labels.labels),
        sensitivity=share_of(labels.agreed_passes, labels.human_passes),
        specificity=share_of(labels.agreed_fails, labels.human_fails),
        cohen_kappa=cohen_kappa(labels),
        gwet_ac1=_gwet_ac1(labels),
    )


def cohen_kappa(labels: LabelCounts) -> float | None:
    """Return Cohen's kappa (1960, Educ Psychol Meas 20:37) of judge and people.

    None without labels, and where chance alone makes them agree: both say one thing throughout.
    It collapses where nearly all labels are one verdict.
    """
    total = labels.labels
    if not total:
        return None
    judge_passes = labels.agreed_passes + labels.human_fails - labels.agreed_fails
    judge_fails = total - judge_passes
    alike = labels.human_passes * judge_passes + labels.human_fails * judge_fails
    by_chance = Fraction(alike, total * total)
    observed = Fraction(labels.agreed_passes + labels.agreed_fails, total)
    return None if by_chance == 1 else float((observed - by_chance) / (1 - by_chance))


def _gwet_ac1(labels: LabelCounts) -> float | None:
    apart = labels.labels - labels.agreed_passes - labels.agreed_fails
    table: dict[tuple[int, ...], int] = {
        (2, 0): labels.agreed_passes,
        (0, 2): labels.agreed_fails,
        (1, 1): apart,
    }
    return agreement(table).gwet_ac1
