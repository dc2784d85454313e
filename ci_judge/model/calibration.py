"""What people's labels say of a judge."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

MOST_LABELS: Final = 1_000_000_000
"""More of one verdict nobody has written, and no float could be made of some."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCounts:
    """A judge held against people: what it said of the responses that they had labelled.

    Of ``human_passes`` responses that people passed it passed ``agreed_passes``; of
    ``human_fails`` that they failed it failed ``agreed_fails``.
    """

    human_passes: int
    agreed_passes: int
    human_fails: int
    agreed_fails: int

    def __post_init__(self) -> None:
        """Refuse counts that cannot be, with a ValueError."""
        for agreed, labelled in (
            (self.agreed_passes, self.human_passes),
            (self.agreed_fails, self.human_fails),
        ):
            if labelled > MOST_LABELS:
                raise ValueError(f"more than {MOST_LABELS:,} labels of a verdict cannot be")
            if not 0 <= agreed <= labelled:
                raise ValueError(f"{agreed} of {labelled} labels cannot be")

    @property
    def labels(self) -> int:
        return self.human_passes + self.human_fails

    @property
    def sensitivity(self) -> Fraction | None:
        """P(judge pass | human pass) as observed, None without such labels."""
        return Fraction(self.agreed_passes, self.human_passes) if self.human_passes else None

    @property
    def specificity(self) -> Fraction | None:
        """P(judge fail | human fail) as observed, None without such labels."""
        return Fraction(self.agreed_fails, self.human_fails) if self.human_fails else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedRate:
    """A pass rate without the judge's own error, as far as labels tell it. Approximate.

    ``rate`` and the ends are in [0, 1]; ``low`` to ``high`` is two-sided.
    """

    rate: float
    low: float
    high: float
