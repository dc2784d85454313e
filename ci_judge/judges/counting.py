"""Token counts as providers give them."""

from typing import Any


def token_count(usage: Any, *names: str) -> int | None:
    """Return the sum of those counts that are there, None when none of them is."""
    if not isinstance(usage, dict):
        return None
    counts = [count for count in map(_whole, map(usage.get, names)) if count is not None]
    return sum(counts) if counts else None


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value >= 0 and value == int(value) else None
