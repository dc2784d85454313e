"""Numbers that no report of ours holds: a share above one, a count below zero, more than fits."""

from collections.abc import Iterator
from typing import Any, Final

_MOST: Final = 2**53
_SHARES: Final = frozenset(
    {
        *("adjusted_p", "alpha", "blocking_p", "confidence", "detectable_drop", "drop"),
        *("drop_interval", "mid_p", "p", "pass_rate", "probability", "rate", "threshold"),
    }
)
_SIGNED: Final = frozenset({"age_seconds", "drop", "drop_interval", "fleiss_kappa", "gwet_ac1"})
_ANYTHING: Final = frozenset(
    {"content", "context", "evidence", "response", "settings", "tools", "turns", "wanted"}
)
"""Keys under which any JSON may stand, which is shown as text alone."""


def strange_numbers(value: Any, where: str, key: str = "") -> Iterator[str]:
    """Say which numbers of a report, or of an entry, are none that we write there."""
    match value:
        case dict():
            for name in value.keys() - _ANYTHING:
                yield from strange_numbers(value[name], f"{where}.{name}", name)
        case list():
            for item in value:
                yield from strange_numbers(item, f"{where}[]", key)
        case int() | float() if not isinstance(value, bool) and not _is_sane(value, key):
            yield f"{where}: so large or small a number cannot stand there"


def _is_sane(number: float, key: str) -> bool:
    low = -_MOST if key in _SIGNED else 0
    return low <= number <= (1 if key in _SHARES else _MOST)
