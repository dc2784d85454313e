"""Numbers for people, never rounded to the other side of what they are compared with."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

Number = Fraction | float | int

_MOST_DIGITS = 17
_RECORDED_DIGITS = 6


def apart(value: Number, marks: Iterable[Number], *, scale: int = 1, digits: int = 0) -> str:
    """Show ``value * scale`` with ``digits`` decimals, or as many more as the marks need.

    The shown number stands on the same side of each mark that the value stands on: 0.6999 beside
    0.7 is 69.99 in percent (``scale`` 100), not 70. A mark that the value equals asks for nothing.
    """
    exact = Fraction(value) * scale
    scaled = [Fraction(mark) * scale for mark in marks if mark != value]
    while digits < _MOST_DIGITS and not _tells(round(exact, digits), exact, scaled):
        digits += 1
    return fixed(exact, digits)


def recorded(value: Number) -> Fraction:
    """Give a share as a report holds it: with six decimals.

    What is rounded from the share itself may differ from what is rounded from the report's.
    """
    return Fraction(str(round(float(value), _RECORDED_DIGITS)))


def apart_alike(values: Sequence[Fraction], marks: Iterable[Fraction]) -> list[str]:
    """Show shares in percent, all with the fewest decimals that keep each on its side of the marks.

    All of them are as a report holds them. It is what reports do with their numbers.
    """
    scaled = [100 * value for value in values]
    beside = [100 * mark for mark in marks]
    digits = 0
    while digits < _RECORDED_DIGITS and not all(
        _tells(round(value, digits), value, [mark for mark in beside if mark != value])
        for value in scaled
    ):
        digits += 1
    return [fixed(value, digits) for value in scaled]


def _tells(shown: Fraction, exact: Fraction, marks: list[Fraction]) -> bool:
    return all(_side(shown, mark) == _side(exact, mark) for mark in marks)


def _side(value: Fraction, mark: Fraction) -> int:
    return (value > mark) - (value < mark)


def fixed(value: Fraction, digits: int) -> str:
    """Show a fraction with exactly ``digits`` decimals (ties to even)."""
    scaled = round(value * 10**digits)
    sign = "-" if scaled < 0 else ""
    text = str(abs(scaled)).rjust(digits + 1, "0")
    return sign + (f"{text[:-digits]}.{text[-digits:]}" if digits else text)


def written(value: Fraction) -> str:
    """Show a fraction as it is: ``0.7``, ``0.6667``, and ``2/3`` where no decimal ends."""
    for digits in range(_MOST_DIGITS + 1):
        if (value * 10**digits).denominator == 1:
            return fixed(value, digits)
    return str(value)


def written_percent(value: Fraction) -> str:
    """Show a share as it is: ``70 %``, ``66.67 %``, and ``2/3`` where no decimal ends."""
    text = written(value * 100)
    return str(value) if "/" in text else f"{text} %"
