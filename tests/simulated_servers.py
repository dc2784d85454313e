"""Servers for virtual time: what they let through, refuse and how long they take."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

Clock = Callable[[], float]


@dataclass(kw_only=True)
class Server(httpx.AsyncBaseTransport):
    """Answers everything after ``latency()`` seconds; the base of the others.

    ``answered_at`` and ``refused_at`` hold the times of what it did.
    """

    clock: Clock
    latency: Callable[[], float] = lambda: 0.05
    answered_at: list[float] = field(default_factory=list)
    refused_at: list[float] = field(default_factory=list)
    most_in_flight: int = 0
    _in_flight: int = 0

    def refusal(self) -> httpx.Response | None:
        return None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            refusal = self.refusal()
            await self.work(refused=refusal is not None)
        finally:
            self._in_flight -= 1
        (self.answered_at if refusal is None else self.refused_at).append(self.clock())
        return refusal or httpx.Response(200, content=b"{}", request=request)

    async def work(self, *, refused: bool) -> None:
        await asyncio.sleep(0.01 if refused else self.latency())


@dataclass(kw_only=True)
class TokenBucket(Server):
    """Lets ``rate()`` requests a second through, ``burst`` at once after a rest."""

    rate: Callable[[], float]
    burst: float
    status: int = 429
    says_when: bool = True
    _tokens: float = field(default=math.inf, init=False)
    _filled_at: float = field(default=0.0, init=False)

    def refusal(self) -> httpx.Response | None:
        now, rate = self.clock(), self.rate()
        filled = min(self._tokens + (now - self._filled_at) * rate, self.burst)
        self._tokens, self._filled_at = filled, now
        if filled >= 1:
            self._tokens -= 1
            return None
        wait = (1 - filled) / rate if rate else 1.0
        headers = {"retry-after": str(math.ceil(wait))} if self.says_when else {}
        return httpx.Response(self.status, headers=headers, content=b"{}")


@dataclass(kw_only=True)
class FixedWindow(Server):
    """Lets ``calls`` through in each window of ``seconds``."""

    calls: int
    seconds: float
    _window: int = field(default=-1, init=False)
    _let_through: int = field(default=0, init=False)

    def refusal(self) -> httpx.Response | None:
        window = int(self.clock() // self.seconds)
        if window != self._window:
            self._window, self._let_through = window, 0
        self._let_through += 1
        if self._let_through <= self.calls:
            return None
        wait = (window + 1) * self.seconds - self.clock()
        return httpx.Response(429, headers={"retry-after": str(math.ceil(wait))}, content=b"{}")


@dataclass(kw_only=True)
class Queue(Server):
    """Works on ``workers`` requests at once; the others wait, and that is their latency."""

    workers: int
    _places: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._places = asyncio.Semaphore(self.workers)

    async def work(self, *, refused: bool) -> None:
        async with self._places:
            await super().work(refused=refused)
