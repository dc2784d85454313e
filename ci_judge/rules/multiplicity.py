"""p-values of several tests at once, adjusted for how many there are."""

from collections.abc import Sequence
from itertools import accumulate


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, in the order given (Holm 1979).

    Reject those at most alpha: the chance of any false rejection among them is at most alpha.
    """
    order = _ascending(p_values)
    count = len(order)
    scaled = [min(1.0, (count - place) * p_values[index]) for place, index in enumerate(order)]
    return _placed(order, list(accumulate(scaled, max)))


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return Benjamini and Hochberg's adjusted p-values, in the order given (1995).

    Of those at most alpha no more than the share alpha are expected to be false.
    """
    order = _ascending(p_values)[::-1]
    count = len(order)
    scaled = [
        min(1.0, p_values[index] * count / (count - place)) for place, index in enumerate(order)
    ]
    return _placed(order, list(accumulate(scaled, min)))


def _ascending(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=lambda index: p_values[index])


def _placed(order: Sequence[int], values: Sequence[float]) -> list[float]:
    found = [0.0] * len(order)
    for index, value in zip(order, values, strict=True):
        found[index] = value
    return found
