"""Failures of real sockets, told apart, and connections reused. Every wait is bounded."""

import asyncio
import gzip
import itertools
import socket
import ssl
import struct
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ci_judge.model.evidence import FailureCode
from ci_judge.transport import HttpReply, RetryPolicy, Transport, TransportFailure
from tests.tools import tool
from tests.wires import Talk, VirtualTime, a_request, plain_answer, read_request, talking

Outcome = HttpReply | TransportFailure
BODY = b'{"reply": "hello"}'
_LIMIT_SECONDS = 20


def bounded(work: Awaitable[Any]) -> Any:
    async def within() -> Any:
        async with asyncio.timeout(_LIMIT_SECONDS):
            return await work

    return asyncio.run(within())


def asked(talk: Talk, *, retries: int = 0, timeout_seconds: float = 5.0, **server: Any) -> Outcome:
    """Send one request to a raw server and return how it ended."""

    async def exchange() -> Outcome:
        async with talking(talk, **server) as port:
            transport = Transport(effects=VirtualTime().effects())
            request = a_request(f"http://127.0.0.1:{port}/chat", timeout_seconds=timeout_seconds)
            try:
                return await transport.send(request, retry=RetryPolicy(retries=retries))
            finally:
                await transport.aclose()

    outcome: Outcome = bounded(exchange())
    return outcome


def failed(outcome: Outcome) -> TransportFailure:
    assert isinstance(outcome, TransportFailure), outcome
    assert "127.0.0.1:" in outcome.message
    return outcome


async def ordinary(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        await read_request(reader)
        writer.write(plain_answer(BODY))
        await writer.drain()


def saying(*pieces: bytes) -> Talk:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return talk


def test_a_body_that_drips_ends_at_the_timeout() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        for _ in range(2000):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.01)

    outcome = failed(asked(drip, timeout_seconds=0.3, retries=2))
    assert outcome.code is FailureCode.TIMEOUT
    assert outcome.attempts == 1
    assert "within 0.3 s" in outcome.message


def test_headers_that_drip_and_silence_end_at_the_timeout() -> None:
    async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for byte in itertools.islice(itertools.cycle(b"HTTP/1.1 200 OK\r\nX: y\r\n"), 2000):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.01)

    async def silence(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    for talk in (drip, silence):
        assert failed(asked(talk, timeout_seconds=0.2)).code is FailureCode.TIMEOUT


def test_a_timeout_of_one_exchange_leaves_the_others_alone() -> None:
    async def by_turns(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            request = await read_request(reader)
            if b"/hang" in request:
                await reader.read()
                return
            writer.write(plain_answer(BODY))
            await writer.drain()

    async def mixed() -> list[Outcome]:
        async with talking(by_turns) as port:
            transport = Transport(connections=8)
            base = f"http://127.0.0.1:{port}"
            paths = ["/hang", "/chat"] * 20
            requests = [
                a_request(base + path, timeout_seconds=0.3 if path == "/hang" else 15)
                for path in paths
            ]
            policy = RetryPolicy(retries=0)
            outcomes = await asyncio.gather(*(transport.send(r, retry=policy) for r in requests))
            await transport.aclose()
            return outcomes

    outcomes = bounded(mixed())
    assert all(isinstance(outcome, TransportFailure) for outcome in outcomes[::2])
    assert all(isinstance(outcome, HttpReply) for outcome in outcomes[1::2])


def test_a_closed_connection_before_the_first_byte_is_tried_again() -> None:
    outcome = failed(asked(saying(), retries=2))
    assert outcome.code is FailureCode.CONNECTION_LOST
    assert outcome.attempts == 3
    assert "before answering" in outcome.message


def test_a_reset_before_the_first_byte_is_tried_again() -> None:
    async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    outcome = failed(asked(reset, retries=1))
    assert outcome.code is FailureCode.CONNECTION_LOST
    assert outcome.attempts == 2


@pytest.mark.parametrize(
    "start",
    [
        b'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"reply": "hal',
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ],
)
def test_half_an_answer_is_a_failure_and_is_not_asked_for_again(start: bytes) -> None:
    outcome = failed(asked(saying(start), retries=2))
    assert outcome.code is FailureCode.CONNECTION_LOST
    assert outcome.attempts == 1
    assert "in the middle" in outcome.message


def test_words_that_are_no_http_are_told() -> None:
    outcome = failed(asked(saying(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")))
    assert outcome.code is FailureCode.UNREADABLE_REPLY
    assert "did not answer in HTTP" in outcome.message


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def sent_alone(url: str, *, retries: int = 0, **options: Any) -> Outcome:
    async def exchange() -> Outcome:
        transport = Transport(effects=VirtualTime().effects(), **options)
        outcome = await transport.send(a_request(url), retry=RetryPolicy(retries=retries))
        await transport.aclose()
        return outcome

    outcome: Outcome = bounded(exchange())
    return outcome


@pytest.mark.parametrize("in_container", [True, False])
def test_nobody_listening_is_a_refusal_with_a_hint_in_a_container(in_container: bool) -> None:  # noqa: FBT001 - a parameter
    outcome = sent_alone(f"http://127.0.0.1:{free_port()}/", retries=2, in_container=in_container)
    assert failed(outcome).code is FailureCode.CONNECTION_REFUSED
    assert outcome.attempts == 3
    assert "is it running?" in failed(outcome).message
    assert ("container" in failed(outcome).message) is in_container


def test_a_port_that_does_not_exist_is_a_failure_in_words() -> None:
    outcome = sent_alone("http://127.0.0.1:87655/x")
    assert isinstance(outcome, TransportFailure)
    assert "127.0.0.1:87655" in outcome.message


def test_a_name_that_is_too_long_to_exist_is_told() -> None:
    outcome = sent_alone(f"http://{'a' * 70}.invalid:81/")
    assert isinstance(outcome, TransportFailure)
    assert outcome.code is FailureCode.NAME_NOT_FOUND
    assert "aaaa.invalid'" in outcome.message


def test_a_proxy_that_refuses_is_named_with_its_variable() -> None:
    port = free_port()
    environment = {"HTTP_PROXY": f"http://user:hush@127.0.0.1:{port}"}
    outcome = sent_alone("http://shop.example/chat", environment=environment)
    assert failed(outcome).code is FailureCode.CONNECTION_REFUSED
    assert f"127.0.0.1:{port} (HTTP_PROXY)" in failed(outcome).message
    assert "shop.example:80" in failed(outcome).message
    assert "hush" not in failed(outcome).message


def test_a_proxy_is_used_unless_the_host_is_exempt() -> None:
    seen: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await read_request(reader))
        writer.write(plain_answer(BODY))
        await writer.drain()

    async def exchange() -> tuple[Outcome, Outcome]:
        async with talking(proxy) as proxy_port, talking(ordinary) as port:
            environment = {"http_proxy": f"http://me:pw@127.0.0.1:{proxy_port}"}
            transport = Transport(environment=environment)
            policy = RetryPolicy(retries=0)
            far = await transport.send(a_request("http://shop.example/chat"), retry=policy)
            near = await transport.send(a_request(f"http://127.0.0.1:{port}/"), retry=policy)
            await transport.aclose()
            return far, near

    far, near = bounded(exchange())
    assert isinstance(far, HttpReply)
    assert isinstance(near, HttpReply)
    (request,) = seen
    assert request.startswith(b"POST http://shop.example/chat HTTP/1.1")
    assert b"proxy-authorization: basic" in request.lower()


def test_a_proxy_that_will_not_connect_is_told() -> None:
    async def exchange() -> Outcome:
        refusal = plain_answer(b"", status="407 Proxy Authentication Required")
        async with talking(saying(refusal)) as port:
            transport = Transport(environment={"HTTPS_PROXY": f"http://127.0.0.1:{port}"})
            outcome = await transport.send(
                a_request("https://shop.example/chat"), retry=RetryPolicy(retries=0)
            )
            await transport.aclose()
            return outcome

    outcome = failed(bounded(exchange()))
    assert "407" in outcome.message
    assert "(HTTPS_PROXY)" in outcome.message


def test_a_proxy_of_another_kind_is_told_without_a_request() -> None:
    outcome = sent_alone("http://a.example/", environment={"ALL_PROXY": "socks5://u:hush@p:1"})
    assert isinstance(outcome, TransportFailure)
    assert outcome.message == "ALL_PROXY names a proxy that speaks neither http nor https"


MEGABYTE = 1024 * 1024


@pytest.mark.parametrize(
    "pieces",
    [
        (f"HTTP/1.1 200 OK\r\nContent-Length: {50 * MEGABYTE}\r\n\r\n".encode(), b"x" * 1000),
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", *([b"x" * MEGABYTE] * 12)),
        (plain_answer(gzip.compress(b"\0" * 200 * MEGABYTE), "Content-Encoding: gzip"),),
    ],
    ids=["announced", "endless", "bomb"],
)
def test_more_than_the_limit_is_not_read(pieces: tuple[bytes, ...]) -> None:
    outcome = failed(asked(saying(*pieces), retries=2))
    assert outcome.code is FailureCode.TOO_LARGE
    assert outcome.attempts == 1
    assert "10 MiB" in outcome.message


def test_compressed_answers_are_read() -> None:
    reply = asked(saying(plain_answer(gzip.compress(BODY), "Content-Encoding: gzip")))
    assert isinstance(reply, HttpReply)
    assert reply.json() == {"reply": "hello"}


def test_an_encoding_that_nobody_asked_for_is_named() -> None:
    outcome = failed(asked(saying(plain_answer(b"\x0b\x02\x80", "Content-Encoding: br"))))
    assert outcome.code is FailureCode.UNREADABLE_REPLY
    assert "'br'" in outcome.message


def counting_connections(talk: Talk) -> tuple[Talk, Callable[[], int]]:
    opened = 0

    async def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened
        opened += 1
        await talk(reader, writer)

    return counted, lambda: opened


def test_connections_are_reused() -> None:
    talk, opened = counting_connections(ordinary)

    async def many() -> int:
        async with talking(talk) as port:
            transport = Transport(connections=16)
            waiting = iter(range(400))

            async def worker() -> None:
                for _ in waiting:
                    request = a_request(f"http://127.0.0.1:{port}/")
                    reply = await transport.send(request, retry=RetryPolicy(retries=0))
                    assert isinstance(reply, HttpReply), reply

            await asyncio.gather(*(worker() for _ in range(16)))
            await transport.aclose()
            return opened()

    assert bounded(many()) <= 16


def test_a_connection_dropped_between_two_requests_costs_no_run() -> None:
    async def two_each(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            await read_request(reader)
            writer.write(plain_answer(BODY))
            await writer.drain()

    async def ten() -> list[Outcome]:
        async with talking(two_each) as port:
            transport = Transport(effects=VirtualTime().effects())
            outcomes = []
            for _ in range(10):
                request = a_request(f"http://127.0.0.1:{port}/")
                outcomes.append(await transport.send(request, retry=RetryPolicy(retries=2)))
            await transport.aclose()
            return outcomes

    outcomes = bounded(ten())
    assert all(isinstance(outcome, HttpReply) for outcome in outcomes)
    assert sum(outcome.attempts for outcome in outcomes) <= 15


def certificate(folder: Path) -> tuple[Path, Path]:
    key, pem = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(pem),
        ],
        check=True,
        capture_output=True,
        timeout=30,
    )  # fmt: skip
    return key, pem


def test_a_private_certificate_is_refused_until_it_is_trusted(tmp_path: Path) -> None:
    key, pem = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, key)

    async def exchange() -> list[Outcome]:
        async with talking(ordinary, ssl=context) as port:
            outcomes = []
            for transport in (
                Transport(),
                Transport(ca_bundle=str(pem)),
                Transport(environment={"SSL_CERT_FILE": str(pem)}),
            ):
                request = a_request(f"https://127.0.0.1:{port}/")
                outcomes.append(await transport.send(request, retry=RetryPolicy(retries=2)))
                await transport.aclose()
            return outcomes

    stranger, added, replaced = bounded(exchange())
    assert failed(stranger).code is FailureCode.TLS
    assert stranger.attempts == 1
    assert "name its PEM file in SSL_CERT_FILE" in stranger.message
    assert isinstance(added, HttpReply)
    assert isinstance(replaced, HttpReply)


def test_https_to_a_plain_server_is_told() -> None:
    async def exchange() -> Outcome:
        async with talking(saying_first(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
            transport = Transport()
            request = a_request(f"https://127.0.0.1:{port}/")
            outcome = await transport.send(request, retry=RetryPolicy(retries=0))
            await transport.aclose()
            return outcome

    outcome = failed(bounded(exchange()))
    assert outcome.code is FailureCode.TLS
    assert "plain http" in outcome.message


def saying_first(words: bytes) -> Talk:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(words)
        await writer.drain()

    return talk


def test_a_cancelled_exchange_frees_its_slot() -> None:
    reached = asyncio.Event()

    async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await read_request(reader)
        if b"/hang" in request:
            reached.set()
            await reader.read()
            return
        writer.write(plain_answer(BODY))
        await writer.drain()

    async def exchange() -> Outcome:
        async with talking(silence) as port:
            transport = Transport(connections=1)
            policy = RetryPolicy(retries=0)
            base = f"http://127.0.0.1:{port}"
            hanging = asyncio.create_task(transport.send(a_request(base + "/hang"), retry=policy))
            await reached.wait()
            hanging.cancel()
            await asyncio.gather(hanging, return_exceptions=True)
            outcome = await transport.send(a_request(base + "/"), retry=policy)
            await transport.aclose()
            return outcome

    assert isinstance(bounded(exchange()), HttpReply)
