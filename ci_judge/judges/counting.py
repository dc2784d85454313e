"""Token counts as providers give them."""

from typing import Any

MOST_TOKENS = 10**12


def token_count(usage: Any, *names: str) -> int | None:
    """Return the sum of those counts that are there, None when none of them is.

    A count that no exchange has (below 0, above ``MOST_TOKENS``, not whole) is not there.
    """
    if not isinstance(usage, dict):
        return None
    counts = [count for count in map(_whole, map(usage.get, names)) if count is not None]
    return sum(counts) if counts else None


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # the bounds go first: int() refuses infinity, and NaN is within none
    return int(value) if 0 <= value <= MOST_TOKENS and value == int(value) else None
