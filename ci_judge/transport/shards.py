"""Connections to one origin, spread over many small pools.

httpx's pool costs more per request the more connections it holds (worse than linearly), so that
many pools of four are several times cheaper than one pool of sixty-four.
"""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from ci_judge.transport.kept import KeptConnections
from ci_judge.transport.proxied import ProxiedHttp
from ci_judge.transport.proxies import ProxyChoice

CONNECTIONS_PER_SHARD = 4
# Under the five seconds after which common servers hang up on an idle connection.
_KEEP_ALIVE_SECONDS = 4.0


@dataclass(slots=True, kw_only=True)
class Shard:
    """One small pool and how many exchanges it has under way."""

    http: httpx.AsyncBaseTransport
    in_flight: int = 0


class OriginPool:
    """The shards of one origin. A new one is opened only when all others are busy."""

    def __init__(self, opener: Callable[[], httpx.AsyncBaseTransport]) -> None:
        self._opener = opener
        self._shards: list[Shard] = []

    @contextmanager
    def shard(self) -> Iterator[httpx.AsyncBaseTransport]:
        """Hold one connection of a shard that has one to spare, for one exchange."""
        shard = self._least_busy()
        shard.in_flight += 1
        try:
            yield shard.http
        finally:
            shard.in_flight -= 1

    async def aclose(self) -> None:
        for shard in self._shards:
            await shard.http.aclose()
        self._shards.clear()

    def _least_busy(self) -> Shard:
        least = min(self._shards, key=lambda shard: shard.in_flight, default=None)
        if least is None or least.in_flight >= CONNECTIONS_PER_SHARD:
            least = Shard(http=self._opener())
            self._shards.append(least)
        return least


def open_http(*, tls: ssl.SSLContext, proxy: httpx.Proxy | None) -> httpx.AsyncBaseTransport:
    """Open one shard."""
    if proxy is None:
        return KeptConnections(tls=tls, keep_alive_seconds=_KEEP_ALIVE_SECONDS)
    return ProxiedHttp(
        tls=tls,
        proxy=proxy,
        connections=CONNECTIONS_PER_SHARD,
        keep_alive_seconds=_KEEP_ALIVE_SECONDS,
    )


def usable_proxy(choice: ProxyChoice | None, tls: ssl.SSLContext) -> httpx.Proxy | None:
    """Return the proxy. Raises ValueError, naming the variable, for one that cannot be used."""
    if choice is None:
        return None
    try:
        url = httpx.URL(choice.url)
    except httpx.InvalidURL:
        raise ValueError(f"{choice.variable} does not hold the URL of a proxy") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise ValueError(f"{choice.variable} names a proxy that speaks neither http nor https")
    return httpx.Proxy(url, ssl_context=tls if url.scheme == "https" else None)
