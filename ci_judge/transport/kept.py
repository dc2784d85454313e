"""Connections to one origin, kept and used again, behind httpx's interface.

httpcore's own pool shares out connections among whoever waits, with locks on every step. Here
nobody waits: the gates let no more through than may be in flight.
"""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import httpcore
import httpx

from ci_judge.transport.reuse import send_over_kept
from ci_judge.transport.sockets import Backend
from ci_judge.transport.translation import answered, asked, told_as_httpx


class KeptConnections(httpx.AsyncBaseTransport):
    """Sends each request over a connection that is free, or a new one."""

    def __init__(self, *, tls: ssl.SSLContext, keep_alive_seconds: float) -> None:
        self._tls = tls
        self._keep_alive_seconds = keep_alive_seconds
        self._free: list[httpcore.AsyncHTTPConnection] = []
        self._all: set[httpcore.AsyncHTTPConnection] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await send_over_kept(partial(self._send, asked(request)))

    async def aclose(self) -> None:
        for connection in list(self._all):
            await connection.aclose()
        self._all.clear()
        self._free.clear()

    async def _send(self, request: httpcore.Request) -> httpx.Response:
        connection = await self._connection(request.url.origin)
        try:
            with told_as_httpx():
                answer = await connection.handle_async_request(request)
        except BaseException:
            self._all.discard(connection)
            await connection.aclose()
            raise
        return answered(answer, _Body(answer, partial(self._give_back, connection)))

    async def _connection(self, origin: httpcore.Origin) -> httpcore.AsyncHTTPConnection:
        while self._free:
            kept = self._free.pop()
            if kept.is_available() and not kept.has_expired():
                return kept
            self._all.discard(kept)
            await kept.aclose()
        opened = httpcore.AsyncHTTPConnection(
            origin,
            ssl_context=self._tls,
            keepalive_expiry=self._keep_alive_seconds,
            network_backend=Backend(),
        )
        self._all.add(opened)
        return opened

    async def _give_back(self, connection: httpcore.AsyncHTTPConnection) -> None:
        if connection.is_idle() and not connection.is_closed():
            self._free.append(connection)
            return
        self._all.discard(connection)
        await connection.aclose()


class _Body(httpx.AsyncByteStream):
    """The body of an answer; closing it frees the connection, once."""

    def __init__(self, answer: httpcore.Response, give_back: Callable[[], Awaitable[None]]) -> None:
        self._answer = answer
        self._give_back: Callable[[], Awaitable[None]] | None = give_back

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with told_as_httpx():
            async for piece in self._answer.aiter_stream():
                yield piece

    async def aclose(self) -> None:
        give_back, self._give_back = self._give_back, None
        if give_back is not None:
            await self._answer.aclose()
            await give_back()
