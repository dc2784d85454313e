"""How many trials must pass: exact fractions, never floats."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.model.judging import VotePolicy
from ci_judge.rules.votes import near_fraction, needed_votes, vote_words


def policy(rate: str, repetitions: int) -> VotePolicy:
    return VotePolicy(repetitions=repetitions, minimum_pass_rate=Fraction(rate), rate_text=rate)


@pytest.mark.parametrize(
    ("rate", "repetitions", "needed"),
    [
        ("2/3", 3, 2),
        ("0.6667", 3, 3),
        ("0.67", 3, 3),
        ("0.66", 3, 2),
        ("1.0", 3, 3),
        ("0.7", 10, 7),
        ("0.1", 10, 1),
        ("2/3", 1, 1),
        ("1/2", 2, 1),
        ("0.29", 100, 29),
    ],
)
def test_needed(rate: str, repetitions: int, needed: int) -> None:
    assert needed_votes(policy(rate, repetitions)) == needed


@given(st.fractions(0, 1, max_denominator=500), st.integers(1, 60))
def test_needed_is_the_least_that_reaches_the_rate(rate: Fraction, repetitions: int) -> None:
    enough = [k for k in range(repetitions + 1) if Fraction(k, repetitions) >= rate]
    assert needed_votes(policy(str(rate), repetitions)) == min(enough)


def test_words() -> None:
    assert vote_words(policy("0.67", 3)) == "0.67 of 3 needs 3 of 3"
    assert vote_words(policy("2/3", 3)) == "2/3 of 3 needs 2 of 3"


@pytest.mark.parametrize(
    ("rate", "repetitions", "meant"),
    [
        ("0.67", 3, "2/3"),
        ("0.6667", 3, "2/3"),
        ("0.34", 3, "1/3"),
        ("0.7", 3, "2/3"),
        ("0.51", 2, "1/2"),
        ("0.61", 5, "3/5"),
    ],
)
def test_just_above_a_fraction(rate: str, repetitions: int, meant: str) -> None:
    assert near_fraction(Fraction(rate), repetitions) == Fraction(meant)


@pytest.mark.parametrize(
    ("rate", "repetitions"),
    [("2/3", 3), ("0.66", 3), ("0.75", 3), ("0.5", 2), ("1", 5), ("0.05", 1), ("0.71", 3)],
)
def test_not_just_above(rate: str, repetitions: int) -> None:
    assert near_fraction(Fraction(rate), repetitions) is None
