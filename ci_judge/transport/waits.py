"""How long to wait before the next attempt: what the server asks for, else backoff with jitter."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MAX_WAIT_SECONDS = 30.0
MAX_TOTAL_WAIT_SECONDS = 120.0
MAX_WAIT_FOR_NOBODY_SECONDS = 2.0
"""For origins that have never answered: a run must not wait long to learn that nobody is there."""
_FIRST_BACKOFF_SECONDS = 0.5
_MAX_DOUBLINGS = 6

_NUMBER = re.compile(r"\d{1,18}(?:\.\d{0,9})?")
_DIGITS = re.compile(r"\d+(?:\.\d*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """What a wait depends on besides the answer.

    ``now`` is in seconds since the epoch (for dates), ``jitter`` uniform in [0, 1).
    """

    now: float
    jitter: float


def wait_seconds(headers: Mapping[str, str], *, attempt: int, chance: Chance) -> float:
    """Return the seconds to wait after the given attempt (from 1), at most MAX_WAIT_SECONDS.

    What the server asks for is never undercut (but for the cap), only spread by up to a tenth.
    """
    asked = asked_seconds(headers, now=chance.now)
    if asked is None:
        doubled = _FIRST_BACKOFF_SECONDS * 2.0 ** min(attempt - 1, _MAX_DOUBLINGS)
        return min(doubled * (0.5 + chance.jitter / 2), MAX_WAIT_SECONDS)
    return min(asked * (1 + chance.jitter / 10), MAX_WAIT_SECONDS)


def asked_seconds(headers: Mapping[str, str], *, now: float) -> float | None:
    """Return the wait that ``retry-after-ms`` or ``Retry-After`` asks for, None without one.

    A number of any length, a fraction and an HTTP date are read (a past date is 0); nonsense and
    negative numbers count as absent.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    return _until(value, now) if seconds is None else seconds


def _number(text: str) -> float | None:
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    return MAX_WAIT_SECONDS * 1000 if _DIGITS.fullmatch(text) else None


def _until(value: str, now: float) -> float | None:
    try:
        moment = parsedate_to_datetime(value)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (aware - datetime.fromtimestamp(now, UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
