"""How many of a run's trials must pass, in exact fractions."""

import math
from fractions import Fraction

from ci_judge.model.judging import VotePolicy

_JUST_ABOVE = Fraction(1, 10)
"""A rate within this part of a step above a reachable fraction was probably meant to be it."""


def needed_votes(policy: VotePolicy) -> int:
    """Return the least k with k / repetitions >= minimum_pass_rate."""
    return math.ceil(policy.minimum_pass_rate * policy.repetitions)


def vote_words(policy: VotePolicy) -> str:
    """Say what the rate comes to: ``0.67 of 3 needs 3 of 3``."""
    repetitions = policy.repetitions
    return f"{policy.rate_text} of {repetitions} needs {needed_votes(policy)} of {repetitions}"


def near_fraction(rate: Fraction, repetitions: int) -> Fraction | None:
    """Name the reachable fraction that ``rate`` falls just above, None where it does not.

    0.67 of 3 needs all three, because two of three is only 0.666…: the answer is 2/3.
    "Just above" is within a tenth of a step (1 / repetitions). Zero is not named.
    """
    reached = math.floor(rate * repetitions)
    excess = rate * repetitions - reached
    if reached < 1 or not 0 < excess <= _JUST_ABOVE:
        return None
    return Fraction(reached, repetitions)
