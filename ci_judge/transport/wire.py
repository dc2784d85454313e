"""Single exchanges over httpx: one request out, one whole answer or what broke it."""

import asyncio
import base64
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import httpx

from ci_judge.transport.cookies import Cookies
from ci_judge.transport.decompression import ACCEPTED, BoundedBody
from ci_judge.transport.exchange import HttpReply, HttpRequest
from ci_judge.transport.failures import (
    Broken,
    Route,
    before_answer,
    during_answer,
    timed_out,
    unforeseen,
    unusable,
)
from ci_judge.transport.first_sight import FirstSight
from ci_judge.transport.limits import TooLarge, Undecodable
from ci_judge.transport.places import origin_of, shown_url
from ci_judge.transport.proxies import proxy_for
from ci_judge.transport.shards import OriginPool, open_http, usable_proxy
from ci_judge.transport.trust import plain_context, trusting_context

_KNOWN_ADDRESSES = 256
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_HEADERS = {
    "accept": "*/*",
    "accept-encoding": ACCEPTED,
    "connection": "keep-alive",
}


@dataclass(slots=True, kw_only=True)
class Wire:
    """Everything that holds connections. The fields mean what they mean in ``Transport``."""

    environment: Mapping[str, str]
    ca_bundle: str | None
    in_container: bool
    user_agent: str
    monotonic: Callable[[], float]
    factory: Callable[[], httpx.AsyncBaseTransport] | None
    _pools: dict[str, OriginPool] = field(default_factory=dict, init=False)
    _tls: ssl.SSLContext | None = field(default=None, init=False)

    async def exchange(self, request: HttpRequest, cookies: Cookies | None) -> HttpReply | Broken:
        """Send once. The time runs from now, and bounds everything.

        Nothing that the HTTP library raises gets past this method.
        """
        try:
            return await self._exchange(request, cookies)
        except Exception as error:  # noqa: BLE001 - the border of the HTTP library
            return unforeseen(error, self._route(request.url))

    async def _exchange(self, request: HttpRequest, cookies: Cookies | None) -> HttpReply | Broken:
        try:
            message = _message(request, user_agent=self.user_agent)
            pool = self._pool(request.url)
        except ValueError as error:
            return unusable(str(error))
        with pool.shard() as http:
            try:
                async with asyncio.timeout(request.timeout_seconds):
                    return await self._answer(http, message, cookies, request)
            except TimeoutError:
                route = self._route(request.url)
                return timed_out(route, timeout_seconds=request.timeout_seconds)

    async def aclose(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()
        self._pools.clear()

    async def _answer(
        self,
        http: httpx.AsyncBaseTransport,
        message: httpx.Request,
        cookies: Cookies | None,
        request: HttpRequest,
    ) -> HttpReply | Broken:
        started = self.monotonic()
        sight = request.new_sight() if request.new_sight else _blind
        first = FirstSight(sight, clock=self.monotonic, started=started)
        if cookies is not None:
            cookies.attach(message)
        try:
            response = await http.handle_async_request(message)
        except httpx.TransportError as error:
            return before_answer(error, self._route(str(message.url)))
        response.request = message
        try:
            body = await _whole_body(response, first, limit=request.most_body_bytes)
        except (httpx.TransportError, TooLarge, Undecodable) as error:
            return during_answer(error, self._route(str(message.url)))
        finally:
            await response.aclose()
        if cookies is not None:
            cookies.keep(response)
        return HttpReply(
            status=response.status_code,
            headers=dict(response.headers),
            body=body,
            latency_seconds=self.monotonic() - started,
            sighted_seconds=first.seconds,
        )

    def _pool(self, url: str) -> OriginPool:
        origin = origin_of(url)
        if origin not in self._pools:
            self._pools[origin] = OriginPool(self.factory or self._opener(url))
        return self._pools[origin]

    def _opener(self, url: str) -> Callable[[], httpx.AsyncBaseTransport]:
        proxy = proxy_for(url, self.environment)
        encrypted = any(
            address.startswith("https:") for address in (url, proxy.url if proxy else "")
        )
        tls = self._trusting() if encrypted else plain_context()
        checked = usable_proxy(proxy, tls)
        return lambda: open_http(tls=tls, proxy=checked)

    def _trusting(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = trusting_context(self.environment, ca_bundle=self.ca_bundle)
        return self._tls

    def _route(self, url: str) -> Route:
        proxy = None if self.factory else proxy_for(url, self.environment)
        return Route(url=url, proxy=proxy, in_container=self.in_container)


def _message(request: HttpRequest, *, user_agent: str) -> httpx.Request:
    """Build the request. Raises ValueError with a message that holds no header's value."""
    url = _address(request.url)
    own = {name.lower(): value for name, value in request.headers.items()}
    headers = {"host": url.netloc.decode("ascii"), **_HEADERS, "user-agent": user_agent}
    if "transfer-encoding" not in own and (request.content or request.method in _WITH_BODY):
        headers["content-length"] = str(len(request.content))
    headers |= _sign_in(url) | own
    # Given as a stream, the content is sent as it is; httpx would look into all of it again.
    return httpx.Request(
        request.method,
        url,
        headers=[(name.encode("utf-8"), value.encode("utf-8")) for name, value in headers.items()],
        stream=httpx.ByteStream(request.content),
    )


@lru_cache(maxsize=_KNOWN_ADDRESSES)
def _address(text: str) -> httpx.URL:
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, ValueError):
        raise ValueError(f"'{shown_url(text)}' is no valid address") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise ValueError(f"'{shown_url(text)}' is no http or https address")
    return url


def _sign_in(url: httpx.URL) -> dict[str, str]:
    """Return the header for credentials that stand in the URL itself."""
    if not url.userinfo:
        return {}
    pair = f"{url.username}:{url.password}".encode()
    return {"authorization": f"Basic {base64.b64encode(pair).decode('ascii')}"}


def _blind(_: bytes) -> bool:
    return False


async def _whole_body(response: httpx.Response, first: FirstSight, *, limit: int) -> bytes:
    body = BoundedBody(response.headers.get("content-encoding", ""), limit=limit)
    if _declared_bytes(response) > limit:
        raise TooLarge
    if not isinstance(response.stream, httpx.AsyncByteStream):
        raise TypeError("an asynchronous transport answers with an asynchronous stream")
    async for piece in response.stream:
        first.look(body.feed(piece))
    return body.finish()


def _declared_bytes(response: httpx.Response) -> int:
    declared = response.headers.get("content-length", "")
    return int(declared[:20]) if declared.isascii() and declared.isdecimal() else 0
