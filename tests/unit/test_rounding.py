"""Numbers never shown on the wrong side of what they are compared with."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.rules.rounding import apart, fixed, written, written_percent

shares = st.fractions(0, 1, max_denominator=10_000)


@pytest.mark.parametrize(
    ("value", "mark", "shown"),
    [
        (0.6999, Fraction(7, 10), "69.99"),
        (0.70001, Fraction(7, 10), "70.001"),
        (0.5958, Fraction(7, 10), "60"),
        (Fraction(7, 10), Fraction(7, 10), "70"),
        (Fraction(2, 3), Fraction(2, 3), "67"),
        (Fraction(2, 3), Fraction(6667, 10_000), "66.667"),
        (Fraction(999, 1000), 1, "99.9"),
        (Fraction(1, 1000), 0, "0.1"),
    ],
)
def test_percent_beside_a_mark(value: Fraction | float, mark: Fraction, shown: str) -> None:
    assert apart(value, (mark,), scale=100) == shown


@given(shares, st.lists(shares, max_size=4), st.integers(0, 4))
def test_the_shown_number_is_on_the_side_of_the_value(
    value: Fraction, marks: list[Fraction], digits: int
) -> None:
    shown = Fraction(apart(value, marks, digits=digits))
    for mark in marks:
        if mark != value:
            assert (shown > mark) == (value > mark)
            assert (shown < mark) == (value < mark)
    assert abs(shown - value) <= Fraction(1, 2 * 10**digits)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(1, 8), 2, "0.12"),
        (Fraction(-1, 3), 2, "-0.33"),
        (Fraction(5), 0, "5"),
        (Fraction(1, 1000), 3, "0.001"),
        (Fraction(12345, 100), 1, "123.4"),
    ],
)
def test_fixed(value: Fraction, digits: int, text: str) -> None:
    assert fixed(value, digits) == text


@pytest.mark.parametrize(
    ("value", "plain", "percent"),
    [
        ("0.7", "0.7", "70 %"),
        ("0.6667", "0.6667", "66.67 %"),
        ("2/3", "2/3", "2/3"),
        ("1", "1", "100 %"),
        ("0", "0", "0 %"),
        ("0.00001", "0.00001", "0.001 %"),
        ("1e-17", "0.00000000000000001", "0.000000000000001 %"),
    ],
)
def test_written_as_the_user_would(value: str, plain: str, percent: str) -> None:
    assert written(Fraction(value)) == plain
    assert written_percent(Fraction(value)) == percent
