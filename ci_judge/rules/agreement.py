"""How far several judges agree beyond what chance alone would bring about."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

_TWO = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of judges over ``subjects``, each None where it is not defined.

    ``raw`` is the share of pairs of judges that say the same, in [0, 1]; the other two are at
    most 1, and 0 where judges agree as often as by chance.
    """

    subjects: int
    raw: float | None
    fleiss_kappa: float | None
    gwet_ac1: float | None


def agreement(table: Mapping[tuple[int, ...], int]) -> Agreement:
    """Measure the agreement over a table: how many judges chose each category → how many subjects.

    ``{(3, 0): 8, (1, 2): 1}`` are nine subjects in two categories; all three judges chose the
    first for eight of them. Every subject must have the same number of judges (at least 2) and
    of categories (at least 2), else ValueError.

    Fleiss' kappa: Fleiss (1971), Psychological Bulletin 76:378; not defined when every choice was
    one and the same. Gwet's AC1: Gwet (2008), Br J Math Stat Psychol 61:29; it holds up where
    nearly all choices are one category, where kappa falls to 0.
    """
    rows = {row: subjects for row, subjects in table.items() if subjects}
    if not rows:
        return Agreement(subjects=0, raw=None, fleiss_kappa=None, gwet_ac1=None)
    judges, categories = _shape(rows)
    subjects = sum(rows.values())
    raw = _pairs_alike(rows, subjects=subjects, judges=judges)
    shares = [
        Fraction(sum(row[k] * count for row, count in rows.items()), subjects * judges)
        for k in range(categories)
    ]
    squares = sum((share * share for share in shares), Fraction(0))
    return Agreement(
        subjects=subjects,
        raw=float(raw),
        fleiss_kappa=_beyond_chance(raw, squares),
        gwet_ac1=_beyond_chance(raw, (1 - squares) / (categories - 1)),
    )


def _shape(rows: Mapping[tuple[int, ...], int]) -> tuple[int, int]:
    shapes = {(sum(row), len(row)) for row in rows}
    if len(shapes) > 1:
        raise ValueError("every subject needs the same number of judges and of categories")
    judges, categories = shapes.pop()
    if judges < _TWO or categories < _TWO:
        raise ValueError("agreement takes at least two judges and two categories")
    return judges, categories


def _pairs_alike(rows: Mapping[tuple[int, ...], int], *, subjects: int, judges: int) -> Fraction:
    alike = sum(chosen * (chosen - 1) * count for row, count in rows.items() for chosen in row)
    return Fraction(alike, subjects * judges * (judges - 1))


def _beyond_chance(observed: Fraction, by_chance: Fraction) -> float | None:
    return None if by_chance == 1 else float((observed - by_chance) / (1 - by_chance))
