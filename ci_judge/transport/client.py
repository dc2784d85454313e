"""The one client: sends a request, tries again where that is right, and never raises for it."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ci_judge.transport.cookies import Cookies
from ci_judge.transport.exchange import HttpReply, HttpRequest, RetryPolicy, TransportFailure
from ci_judge.transport.lean_import import without_command_line
from ci_judge.transport.places import origin_of
from ci_judge.transport.waits import MAX_TOTAL_WAIT_SECONDS, Chance, wait_seconds

if TYPE_CHECKING:
    import httpx

    from ci_judge.transport.wire import Wire

_TRY_AGAIN = frozenset({408, 429})
_SERVER_ERRORS = range(500, 600)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What a test replaces: sleeping, the clocks (``now`` is seconds since the epoch), chance."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    monotonic: Callable[[], float] = time.perf_counter
    now: Callable[[], float] = time.time
    random: Callable[[], float] = random.random


@dataclass(slots=True, kw_only=True)
class Transport:
    """Sends requests to any number of origins, with at most ``connections`` under way to each.

    ``environment`` is read for proxy variables and SSL_CERT_FILE. ``ca_bundle`` is the path of a
    PEM file of further authorities. ``in_container`` adds a hint to refused loopback connections.
    ``redact`` goes along with every reply, for whoever quotes it. ``http_transport_factory``
    replaces the network. ``requests_by_origin`` counts what was sent.

    Raises InvalidInput when a file of certificates cannot be used.
    """

    connections: int = 64
    environment: Mapping[str, str] = field(default_factory=dict)
    ca_bundle: str | None = None
    in_container: bool = False
    user_agent: str = "ci-judge"
    redact: Callable[[str], str] = str
    effects: Effects = field(default_factory=Effects)
    http_transport_factory: "Callable[[], httpx.AsyncBaseTransport] | None" = None
    requests_by_origin: Counter[str] = field(default_factory=Counter, init=False)
    _wire: "Wire | None" = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.ca_bundle or self.environment.get("SSL_CERT_FILE"):
            self._connected()

    async def send(
        self, request: HttpRequest, *, retry: RetryPolicy, cookies: Cookies | None = None
    ) -> HttpReply | TransportFailure:
        """Send a request until it is answered for good or the attempts are spent.

        An answer of any status comes back as a reply, redirects included: they are not followed.
        """
        waited = 0.0
        for attempt in range(1, retry.retries + 2):
            outcome, again = await self._attempt(request, retry, cookies)
            outcome = replace(outcome, attempts=attempt)
            wait = self._wait(outcome, attempt)
            waited += wait
            if not again or attempt > retry.retries or waited > MAX_TOTAL_WAIT_SECONDS:
                return outcome
            await self.effects.sleep(wait)
        raise AssertionError("the last attempt returns")

    async def aclose(self) -> None:
        """Close every connection."""
        if self._wire is not None:
            await self._wire.aclose()

    async def _attempt(
        self, request: HttpRequest, retry: RetryPolicy, cookies: Cookies | None
    ) -> tuple[HttpReply | TransportFailure, bool]:
        self.requests_by_origin[origin_of(request.url)] += 1
        result = await self._connected().exchange(request, cookies)
        if isinstance(result, HttpReply):
            result = replace(result, redact=self.redact)
            return result, result.status in _TRY_AGAIN or result.status in _SERVER_ERRORS
        return result.failure, result.worth_repeating(harmless=retry.retry_timeouts)

    def _wait(self, outcome: HttpReply | TransportFailure, attempt: int) -> float:
        headers = outcome.headers if isinstance(outcome, HttpReply) else {}
        chance = Chance(now=self.effects.now(), jitter=self.effects.random())
        return wait_seconds(headers, attempt=attempt, chance=chance)

    def _connected(self) -> "Wire":
        if self._wire is None:
            with without_command_line():
                from ci_judge.transport.wire import Wire  # noqa: PLC0415 - httpx loads when used

            self._wire = Wire(
                connections=self.connections,
                environment=self.environment,
                ca_bundle=self.ca_bundle,
                in_container=self.in_container,
                user_agent=self.user_agent,
                monotonic=self.effects.monotonic,
                factory=self.http_transport_factory,
            )
        return self._wire
