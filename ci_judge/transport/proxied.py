"""One small pool of httpcore for the way through a proxy, with the sockets of this package."""

import ssl
from collections.abc import AsyncIterator
from functools import partial

import httpcore
import httpx

from ci_judge.transport.reuse import send_over_kept
from ci_judge.transport.sockets import Backend
from ci_judge.transport.translation import answered, asked, core_url, told_as_httpx


class ProxiedHttp(httpx.AsyncBaseTransport):
    """Sends requests over at most ``connections``, which are kept for ``keep_alive_seconds``."""

    def __init__(
        self,
        *,
        tls: ssl.SSLContext,
        proxy: httpx.Proxy,
        connections: int,
        keep_alive_seconds: float,
    ) -> None:
        self._pool = httpcore.AsyncHTTPProxy(
            proxy_url=core_url(proxy.url),
            proxy_auth=proxy.raw_auth,
            proxy_headers=proxy.headers.raw,
            proxy_ssl_context=proxy.ssl_context,
            ssl_context=tls,
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=keep_alive_seconds,
            network_backend=Backend(),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await send_over_kept(partial(self._send, asked(request)))

    async def aclose(self) -> None:
        await self._pool.aclose()

    async def _send(self, request: httpcore.Request) -> httpx.Response:
        with told_as_httpx():
            answer = await self._pool.handle_async_request(request)
        return answered(answer, _Body(answer))


class _Body(httpx.AsyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with told_as_httpx():
            async for piece in self._answer.aiter_stream():
                yield piece

    async def aclose(self) -> None:
        await self._answer.aclose()
