"""Whether two JSON values are equal, and where they first differ."""

import json
import math
from typing import Any

RELATIVE_TOLERANCE = 1e-9
_SHOWN_CHARS = 60
_MISSING = object()


def first_difference(actual: Any, expected: Any) -> str | None:
    """Return one sentence about the first difference, None when there is none.

    Numbers are equal within a relative tolerance of 1e-9, 80 and 80.0 are the same, a boolean is
    no number, lists have an order and objects have none.
    """
    waiting = [("actual", actual, expected)]
    while waiting:
        place, one, other = waiting.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            waiting.extend(_members(place, one, other))
        elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
            if len(one) != len(other):
                return f"{place} has {len(one)} elements, expected {len(other)}"
            waiting.extend(_elements(place, list(one), list(other)))
        elif not _equal(one, other):
            return f"{place} is {_shown(one)}, expected {_shown(other)}"
    return None


def _members(place: str, one: dict[str, Any], other: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return the pairs of members, the last first, as a stack wants them."""
    keys = dict.fromkeys((*other, *one))
    pairs = [(f"{place}.{k}", one.get(k, _MISSING), other.get(k, _MISSING)) for k in keys]
    return pairs[::-1]


def _elements(place: str, one: list[Any], other: list[Any]) -> list[tuple[str, Any, Any]]:
    pairs = enumerate(zip(one, other, strict=True))
    return [(f"{place}[{index}]", a, b) for index, (a, b) in pairs][::-1]


def _equal(one: Any, other: Any) -> bool:
    if not (_is_number(one) and _is_number(other)):
        return type(one) is type(other) and bool(one == other)
    try:
        return math.isclose(one, other, rel_tol=RELATIVE_TOLERANCE, abs_tol=0.0)
    except OverflowError:  # an integer beyond every float
        return bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    if value is _MISSING:
        return "missing"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (RecursionError, ValueError):
        return "a value too large to show"
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
