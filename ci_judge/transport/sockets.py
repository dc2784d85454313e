"""Sockets for httpcore straight on asyncio: its own go through anyio, at twice the cost."""

import asyncio
import socket
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore

from ci_judge.transport.reuse import note_new_connection

_MOST_BUFFERED = 256 * 1024
_MOST_UNSENT = 64 * 1024
_HAPPY_EYEBALLS_SECONDS = 0.25


class _Pipe(asyncio.Protocol):
    """What came in and was not read yet, and whether more may be written."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.transport: asyncio.Transport | None = None
        self.ended = False
        self.error: Exception | None = None
        self.lost = asyncio.get_running_loop().create_future()
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._held = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if len(self.buffer) > _MOST_BUFFERED and not self._held and self.transport is not None:
            self._held = True
            self.transport.pause_reading()
        _wake(self._reader)

    def eof_received(self) -> None:
        self.ended = True
        _wake(self._reader)

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended = True
        self.error = exc
        _wake(self._reader)
        _wake(self._writer)
        if not self.lost.done():
            self.lost.set_result(None)

    def pause_writing(self) -> None:
        self._writer = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        _wake(self._writer)
        self._writer = None

    async def read(self, most: int) -> bytes:
        if not self.buffer and not self.ended:
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        data = bytes(self.buffer[:most])
        del self.buffer[:most]
        if self._held and not self.buffer and self.transport is not None:
            self._held = False
            self.transport.resume_reading()
        if not data and self.error is not None:
            raise self.error
        return data

    async def write(self, data: bytearray) -> None:
        if self.transport is None or self.transport.is_closing():
            raise self.error or ConnectionResetError("the connection is closed")
        self.transport.write(data)
        if self._writer is not None:
            await self._writer


def _wake(waiting: "asyncio.Future[None] | None") -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(None)


class Stream(httpcore.AsyncNetworkStream):
    """One connection, plain or encrypted.

    Head and body of a request are written one after the other; they leave together, with the read
    that follows: half the system calls, and half the packets.
    """

    def __init__(self, pipe: _Pipe) -> None:
        self._pipe = pipe
        self._unsent = bytearray()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        with _told(httpcore.ReadError, httpcore.ReadTimeout):
            async with asyncio.timeout(timeout):
                await self._flush()
                return await self._pipe.read(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self._unsent += buffer
        if len(self._unsent) < _MOST_UNSENT:
            return
        with _told(httpcore.WriteError, httpcore.WriteTimeout):
            async with asyncio.timeout(timeout):
                await self._flush()

    async def _flush(self) -> None:
        if self._unsent:
            unsent, self._unsent = self._unsent, bytearray()
            await self._pipe.write(unsent)

    async def aclose(self) -> None:
        if self._pipe.transport is not None:
            self._pipe.transport.abort()
            await asyncio.shield(self._pipe.lost)

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
    ) -> "Stream":
        pipe = self._pipe
        if pipe.transport is None:
            raise httpcore.ConnectError("the connection is closed")
        try:
            with _told(httpcore.ConnectError, httpcore.ConnectTimeout):
                async with asyncio.timeout(timeout):
                    encrypted = await asyncio.get_running_loop().start_tls(
                        pipe.transport, pipe, ssl_context, server_hostname=server_hostname
                    )
        except BaseException:
            pipe.transport.abort()
            raise
        pipe.transport = encrypted
        return Stream(pipe)

    def get_extra_info(self, info: str) -> Any:
        """Answer what httpcore asks; ``is_readable`` of an idle connection means it has ended."""
        if info == "is_readable":
            return self._pipe.ended or bool(self._pipe.buffer)
        names = {"ssl_object": "ssl_object", "client_addr": "sockname", "server_addr": "peername"}
        if info in names and self._pipe.transport is not None:
            return self._pipe.transport.get_extra_info(names[info])
        return None


class Backend(httpcore.AsyncNetworkBackend):
    """Opens connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Stream:
        note_new_connection()
        del socket_options  # asyncio sets TCP_NODELAY, and nothing else is asked for
        with _told(httpcore.ConnectError, httpcore.ConnectTimeout):
            async with asyncio.timeout(timeout):
                return Stream(await _connected(host, port, local_address))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def _connected(host: str, port: int, local_address: str | None) -> _Pipe:
    try:
        _, pipe = await asyncio.get_running_loop().create_connection(
            _Pipe,
            host,
            port,
            local_addr=None if local_address is None else (local_address, 0),
            happy_eyeballs_delay=_HAPPY_EYEBALLS_SECONDS,
        )
    except UnicodeError as error:  # of a name that DNS cannot hold
        raise socket.gaierror(socket.EAI_NONAME, str(error)) from error
    return pipe


@contextmanager
def _told(error: type[Exception], late: type[Exception]) -> Iterator[None]:
    """Raise what httpcore expects for what asyncio raises."""
    try:
        yield
    except TimeoutError as cause:
        raise late(str(cause)) from cause
    except (OSError, ssl.SSLError) as cause:
        raise error(str(cause)) from cause
