"""GitHub's rate limits: which answers are one, and how long to wait then.

The order is GitHub's own ("Rate limits for the REST API", exceeding the rate limit): what
``retry-after`` says, else until ``x-ratelimit-reset`` where nothing remains, else a minute and
each time twice as long.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ci_judge.transport.waits import asked_seconds

MOST_WAIT_SECONDS = 120.0
"""For all calls over one ``Patience`` together: a CI job should not idle over a comment."""

Pause: TypeAlias = Callable[[float], Awaitable[bool]]
"""Waits that many seconds; False, at once, when there is no time for it: the step is ending."""

_FORBIDDEN, _TOO_MANY_REQUESTS = 403, 429
_FIRST_GUESS_SECONDS = 60.0
_CLOCKS_DIFFER_SECONDS = 1.0
_MOST_DIGITS = 15


async def pause(seconds: float) -> bool:
    """Wait, whatever happens meanwhile."""
    await asyncio.sleep(seconds)
    return True


@dataclass(slots=True, kw_only=True)
class Patience:
    """How long all calls together may still wait for rate limits.

    ``now`` is in seconds since the epoch. ``waited_seconds`` counts.
    """

    pause: Pause = pause
    now: Callable[[], float] = time.time
    most_seconds: float = MOST_WAIT_SECONDS
    waited_seconds: float = 0.0

    async def wait(self, headers: Mapping[str, str], *, earlier: int) -> str:
        """Wait as long as a limited answer asks for; say why not where it is given up instead.

        ``earlier`` counts the waits for this call so far.
        """
        seconds = limit_seconds(headers, earlier=earlier, now=self.now())
        if self.waited_seconds + seconds > self.most_seconds:
            return f"a wait of {seconds:.0f} s would be more than {self.most_seconds:.0f} s in all"
        self.waited_seconds += seconds
        return "" if await self.pause(seconds) else "there is no time to wait, for the step ends"


def is_rate_limit(status: int, headers: Mapping[str, str], said: str) -> bool:
    """Tell a rate limit from a refusal: both can be a 403. ``said`` is the answer's message."""
    if status == _TOO_MANY_REQUESTS:
        return True
    told = "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    return status == _FORBIDDEN and (told or "rate limit" in said.lower())


def limit_seconds(headers: Mapping[str, str], *, earlier: int, now: float) -> float:
    """Give the seconds to wait after a limited answer that ``earlier`` waits came before."""
    asked = asked_seconds(headers, now=now)
    if asked is not None:
        return asked
    reset = headers.get("x-ratelimit-reset", "").strip()
    readable = reset.isascii() and reset.isdigit() and len(reset) <= _MOST_DIGITS
    if headers.get("x-ratelimit-remaining") == "0" and readable:
        return max(0.0, int(reset) - now) + _CLOCKS_DIFFER_SECONDS
    return _FIRST_GUESS_SECONDS * 2.0**earlier
