"""The network for tests: a scripted one inside the process, and raw servers on the loopback."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from ci_judge.transport import Effects, HttpRequest, Transport

Step = httpx.Response | Exception
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class VirtualTime:
    """Clocks that only a sleep moves. ``slept`` holds every wait; jitter is none."""

    time: float = 1_700_000_000.0
    slept: list[float] = field(default_factory=list)

    def effects(self) -> Effects:
        return Effects(
            sleep=self._sleep,
            monotonic=lambda: self.time,
            now=lambda: self.time,
            random=lambda: 0.0,
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


class Script:
    """Answers each request with the next step (the last one for ever); keeps the requests."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self._steps = list(steps)
        self.requests: list[httpx.Request] = []
        self.time = VirtualTime()

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests]

    def transport(self, **changes: Any) -> Transport:
        return Transport(
            effects=self.time.effects(),
            http_transport_factory=lambda: httpx.MockTransport(self._answer),
            **changes,
        )

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        if isinstance(step, Exception):
            raise step
        return httpx.Response(step.status_code, headers=step.headers, content=step.content)


def ok(value: Any, **headers: str) -> httpx.Response:
    return httpx.Response(200, json=value, headers=headers)


def a_request(url: str = "https://api.example/chat", **changes: Any) -> HttpRequest:
    values: dict[str, Any] = {"method": "POST", "timeout_seconds": 5.0, "content": b"{}"} | changes
    return HttpRequest(url=url, **values)


@asynccontextmanager
async def talking(talk: Talk, **options: Any) -> AsyncIterator[int]:
    """Run a raw server on the loopback that handles each connection with ``talk``."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, **options)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def read_request(reader: asyncio.StreamReader) -> bytes:
    """Read one request; raises IncompleteReadError at the end of the connection."""
    head = await reader.readuntil(b"\r\n\r\n")
    lengths = [
        int(line.partition(b":")[2])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length:")
    ]
    return head + await reader.readexactly(lengths[0] if lengths else 0)


def plain_answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body
