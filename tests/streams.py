"""Streamed replies inside the process: their pieces arrive when a virtual clock says so."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx

from ci_judge.transport import Transport
from tests.wires import VirtualTime

Arrival = tuple[float, bytes]
"""How many seconds after the piece before, and what."""


class Arrivals(httpx.AsyncByteStream):
    """A body whose pieces move the clock; ``broken`` ends it as a lost connection does."""

    def __init__(self, pieces: Sequence[Arrival], time: VirtualTime, *, broken: bool) -> None:
        self._pieces = pieces
        self._time = time
        self._broken = broken

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for seconds, piece in self._pieces:
            self._time.time += seconds
            yield piece
        if self._broken:
            raise httpx.RemoteProtocolError("peer closed connection without sending complete body")


class StreamingBot:
    """Answers each request with the next list of pieces (the last one for ever)."""

    def __init__(
        self,
        *replies: Sequence[Arrival],
        headers: dict[str, str] | None = None,
        broken: bool = False,
    ) -> None:
        self._replies = list(replies)
        self._headers = {"content-type": "text/event-stream"} if headers is None else headers
        self._broken = broken
        self.time = VirtualTime()
        self.requests: list[httpx.Request] = []

    def transport(self, **changes: Any) -> Transport:
        return Transport(
            effects=self.time.effects(),
            http_transport_factory=lambda: httpx.MockTransport(self._answer),
            **changes,
        )

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        pieces = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        stream = Arrivals(pieces, self.time, broken=self._broken)
        return httpx.Response(200, headers=self._headers, stream=stream)
