"""Lets requests to one origin through: a fixed number at once, or as many as the origin bears."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from ci_judge.rules.pacing import Answer, Pace, Refusal, answered, refused, sent, wait_seconds
from ci_judge.transport.exchange import HttpReply, TransportFailure
from ci_judge.transport.waits import MAX_WAIT_SECONDS, asked_seconds

Outcome = HttpReply | TransportFailure
_NO_ROOM = frozenset({429, 503, 529})
_TROUBLE = frozenset({408, *range(500, 600)})


class Gate(Protocol):
    """What every request to an origin passes, retries included.

    ``enter`` waits for its turn; ``begin`` and ``end`` frame what is really sent, in between;
    ``leave`` makes room for the next, whatever happened.
    """

    @property
    def allowed(self) -> int:
        """How many may be in flight just now."""

    async def enter(self) -> None: ...
    def begin(self) -> float: ...
    def end(self, outcome: Outcome, *, sent_at: float) -> None: ...
    def leave(self) -> None: ...


class FixedGate:
    """Lets the same number through whatever the origin says."""

    def __init__(self, limit: int) -> None:
        self.allowed = limit
        self._places = asyncio.Semaphore(limit)

    async def enter(self) -> None:
        await self._places.acquire()

    def begin(self) -> float:
        return 0.0

    def end(self, outcome: Outcome, *, sent_at: float) -> None:
        pass

    def leave(self) -> None:
        self._places.release()


class AdaptiveGate:
    """Lets through what the rules of pacing allow, first come, first served."""

    def __init__(
        self,
        *,
        monotonic: Callable[[], float],
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._monotonic = monotonic
        self._now = now
        self._sleep = sleep
        self._pace = Pace()
        self._in_flight = 0
        self._turn = asyncio.Lock()  # it is fair: whoever holds it is the first in the queue
        self._ended = asyncio.Event()

    @property
    def allowed(self) -> int:
        return self._pace.in_flight

    async def enter(self) -> None:
        async with self._turn:
            await self._until_allowed()
            self._in_flight += 1

    def begin(self) -> float:
        """Book a request as sent; returns when."""
        now = self._monotonic()
        self._pace = sent(self._pace, now=now)
        return now

    def end(self, outcome: Outcome, *, sent_at: float) -> None:
        """Learn from what came of it."""
        now = self._monotonic()
        if isinstance(outcome, HttpReply) and _is_refusal(outcome):
            asked = asked_seconds(outcome.headers, now=self._now())
            asked = None if asked is None else min(asked, MAX_WAIT_SECONDS)
            event = Refusal(sent_at=sent_at, now=now, asked_seconds=asked)
            self._pace = refused(self._pace, event)
        elif isinstance(outcome, HttpReply) and outcome.status not in _TROUBLE:
            answer = Answer(sent_at=sent_at, now=now, in_flight=self._in_flight)
            self._pace = answered(self._pace, answer)

    def leave(self) -> None:
        self._in_flight -= 1
        self._ended.set()

    async def _until_allowed(self) -> None:
        while True:
            now = self._monotonic()
            wait = wait_seconds(self._pace, in_flight=self._in_flight, now=now)
            if wait == 0:
                return
            if wait is None:
                self._ended.clear()
                await self._ended.wait()
            else:
                await self._sleep(wait)


def _is_refusal(reply: HttpReply) -> bool:
    told = "retry-after" in reply.headers or "retry-after-ms" in reply.headers
    return reply.status in _NO_ROOM or (told and reply.status in _TROUBLE)
