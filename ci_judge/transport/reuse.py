"""Sends over connections that were kept open, and which a server may just have closed."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar

import httpx

_MOST_STALE = 8
_HANG_UPS = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
_has_connected: ContextVar[bool] = ContextVar("has_connected", default=False)


def note_new_connection() -> None:
    """Tell that the current request opens a connection; it does so in its own task."""
    _has_connected.set(True)


async def send_over_kept(send: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    """Send; where a kept connection turns out to be closed, send again at once on another.

    Servers close idle connections without a word, at times just when a request is on its way:
    that is no failed attempt, and nothing to wait for. A connection opened for the request that is
    closed without an answer is a failure like any other.
    """
    for _ in range(_MOST_STALE):
        _has_connected.set(False)
        try:
            return await send()
        except _HANG_UPS as error:
            if _has_connected.get() or not _without_a_word(error):
                raise
    return await send()


def _without_a_word(error: httpx.TransportError) -> bool:
    return not isinstance(error, httpx.RemoteProtocolError) or "disconnected" in str(error)
