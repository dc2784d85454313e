"""Retries, waits, cookies and counting, on a scripted network in virtual time."""

import asyncio
from email.utils import formatdate
from typing import Any

import httpx
import pytest

from ci_judge.errors import InvalidInput
from ci_judge.model.evidence import FailureCode
from ci_judge.transport import Cookies, HttpReply, RetryPolicy, Transport, TransportFailure
from tests.wires import Script, Step, a_request, ok


def answer(status: int, **headers: str) -> httpx.Response:
    return httpx.Response(
        status, json={}, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


def send(
    script: Script, *, retries: int = 2, retry_timeouts: bool = False, **request: Any
) -> HttpReply | TransportFailure:
    policy = RetryPolicy(retries=retries, retry_timeouts=retry_timeouts)
    return asyncio.run(script.transport().send(a_request(**request), retry=policy))


def attempts(*steps: Step, **options: Any) -> int:
    script = Script(steps)
    outcome = send(script, **options)
    assert outcome.attempts == len(script.requests)
    return outcome.attempts


HUNG_UP = httpx.RemoteProtocolError("Server disconnected without sending a response.")


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_a_server_in_trouble_is_asked_again(status: int) -> None:
    assert attempts(answer(status), ok({})) == 2
    assert attempts(answer(status)) == 3
    assert attempts(answer(status), retries=0) == 1


@pytest.mark.parametrize("status", [200, 204, 301, 307, 400, 401, 403, 404, 409, 422])
def test_any_other_answer_is_final(status: int) -> None:
    script = Script([answer(status, location="https://elsewhere.example/")])
    reply = send(script)
    assert isinstance(reply, HttpReply)
    assert reply.status == status
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    "error",
    [HUNG_UP, httpx.ConnectError("no"), httpx.ReadError(""), httpx.WriteError("")],
)
def test_what_was_not_answered_at_all_is_sent_again(error: Exception) -> None:
    assert attempts(error, ok({})) == 2


def test_a_timeout_is_sent_again_only_where_that_is_harmless() -> None:
    late = httpx.ReadTimeout("")
    assert attempts(late, ok({})) == 1
    assert attempts(late, ok({}), retry_timeouts=True) == 2


def test_words_that_are_no_http_are_final() -> None:
    outcome = send(Script([httpx.RemoteProtocolError("illegal status line: b'SSH-2.0'")]))
    assert isinstance(outcome, TransportFailure)
    assert outcome.code is FailureCode.UNREADABLE_REPLY
    assert "SSH-2.0" in outcome.message


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"retry_after": "1"}, 1.0),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after": formatdate(1_700_000_002, usegmt=True)}, 2.0),
        ({"retry_after": "9999999999"}, 30.0),
        ({"retry_after": "-5"}, 0.25),
        ({}, 0.25),
    ],
)
def test_the_wait_is_what_the_server_asks_and_no_part_of_the_latency(
    headers: dict[str, str], waited: float
) -> None:
    script = Script([answer(429, **headers), ok({})])
    reply = send(script)
    assert script.time.slept == [waited]
    assert isinstance(reply, HttpReply)
    assert reply.latency_seconds == 0.0


def test_all_waits_together_are_bounded() -> None:
    script = Script([answer(503, retry_after="30")])
    outcome = send(script, retries=10)
    assert script.time.slept == [30.0] * 4
    assert outcome.attempts == 5


def test_no_wait_follows_the_last_attempt() -> None:
    script = Script([answer(503)])
    send(script, retries=1)
    assert len(script.time.slept) == 1


def test_requests_are_counted_by_origin() -> None:
    script = Script([answer(500), ok({})])
    transport = script.transport()

    async def both() -> None:
        policy = RetryPolicy(retries=2)
        await transport.send(a_request("https://user:pw@a.example/x"), retry=policy)
        await transport.send(a_request("http://b.example:81/y"), retry=policy)

    asyncio.run(both())
    assert transport.requests_by_origin == {"https://a.example:443": 2, "http://b.example:81": 1}


def test_what_is_sent_is_what_was_asked_for() -> None:
    script = Script([ok({"a": 1}, **{"X-Id": "7"})])
    headers = {"Content-Type": "application/json", "X-Name": "Zoë", "Accept": "text/plain"}
    reply = send(script, headers=headers, content="{é}".encode(), method="PUT")
    (request,) = script.requests
    assert request.method == "PUT"
    assert request.content == "{é}".encode()
    assert request.headers.raw.count((b"x-name", "Zoë".encode())) == 1
    assert request.headers["accept"] == "text/plain"
    assert request.headers["accept-encoding"] == "gzip, deflate"
    assert request.headers["user-agent"] == "ci-judge"
    assert request.headers["content-length"] == "4"
    assert isinstance(reply, HttpReply)
    assert reply.json() == {"a": 1}
    assert reply.headers["x-id"] == "7"


def test_credentials_of_a_url_sign_in_and_show_nowhere() -> None:
    script = Script([httpx.ConnectError("no")])
    outcome = send(script, url="https://me:s%40crét@api.example/chat", retries=0)
    assert script.requests[0].headers["authorization"] == "Basic bWU6c0BjcsOpdA=="
    assert isinstance(outcome, TransportFailure)
    assert "api.example:443" in outcome.message
    assert "s@cr" not in outcome.message
    assert "s%40" not in outcome.message


@pytest.mark.parametrize("url", ["ftp://a.example/", "//a.example", "http://", "http://[::1", ""])
def test_an_address_that_is_none_is_a_failure_without_a_request(url: str) -> None:
    script = Script([ok({})])
    outcome = send(script, url=url)
    assert isinstance(outcome, TransportFailure)
    assert "address" in outcome.message
    assert script.requests == []


def test_a_header_that_http_forbids_is_not_quoted() -> None:
    script = Script([httpx.LocalProtocolError("Illegal header value b'hush'")])
    outcome = send(script)
    assert isinstance(outcome, TransportFailure)
    assert "header" in outcome.message
    assert "hush" not in outcome.message
    assert outcome.attempts == 1


def test_a_run_keeps_its_cookies_and_shares_them_with_no_other() -> None:
    script = Script([ok({}, **{"Set-Cookie": "session=one; Path=/"}), ok({})])
    transport, first, second = script.transport(), Cookies(), Cookies()
    policy = RetryPolicy(retries=0)

    async def talk() -> None:
        for cookies in (first, first, second, None):
            await transport.send(a_request(), retry=policy, cookies=cookies)
        own = a_request(headers={"Cookie": "lang=de"})
        await transport.send(own, retry=policy, cookies=first)

    asyncio.run(talk())
    sent = [request.headers.get("cookie") for request in script.requests]
    assert sent == [None, "session=one", None, None, "lang=de; session=one"]


def test_a_cookie_stays_with_its_host() -> None:
    script = Script([ok({}, **{"Set-Cookie": "session=one"}), ok({})])
    transport, cookies = script.transport(), Cookies()

    async def talk() -> None:
        for url in ("https://a.example/", "https://b.example/"):
            await transport.send(a_request(url), retry=RetryPolicy(retries=0), cookies=cookies)

    asyncio.run(talk())
    assert "cookie" not in script.requests[1].headers


@pytest.mark.parametrize("named", ["ca_bundle", "SSL_CERT_FILE"])
def test_a_bundle_that_cannot_be_used_is_an_error_before_any_request(
    named: str, tmp_path: Any
) -> None:
    absent, empty = tmp_path / "absent.pem", tmp_path / "empty.pem"
    empty.write_text("no certificate")
    for path in (absent, empty):
        chosen: dict[str, Any] = (
            {"ca_bundle": str(path)}
            if named == "ca_bundle"
            else {"environment": {"SSL_CERT_FILE": str(path)}}
        )
        with pytest.raises(InvalidInput, match=f"{named} names '.*{path.name}'"):
            Transport(**chosen)


def test_at_most_the_given_number_of_exchanges_is_under_way() -> None:
    busy, most = 0, 0

    async def slow(request: httpx.Request) -> httpx.Response:
        nonlocal busy, most
        busy, most = busy + 1, max(most, busy + 1)
        await asyncio.sleep(0)
        busy -= 1
        return httpx.Response(200, request=request)

    pools: list[httpx.MockTransport] = []

    def opened() -> httpx.MockTransport:
        pools.append(httpx.MockTransport(slow))
        return pools[-1]

    transport = Transport(connections=10, http_transport_factory=opened)

    async def many() -> None:
        sends = (transport.send(a_request(), retry=RetryPolicy(retries=0)) for _ in range(100))
        await asyncio.gather(*sends)
        await transport.aclose()

    asyncio.run(many())
    assert most == 10
    assert len(pools) == 3


def test_one_exchange_after_another_opens_one_pool() -> None:
    pools = 0

    def opened() -> httpx.MockTransport:
        nonlocal pools
        pools += 1
        return httpx.MockTransport(lambda _: httpx.Response(200))

    transport = Transport(http_transport_factory=opened)

    async def one_by_one() -> None:
        for _ in range(10):
            await transport.send(a_request(), retry=RetryPolicy(retries=0))

    asyncio.run(one_by_one())
    assert pools == 1


def grouped(*errors: Exception) -> Exception:
    return ExceptionGroup("all attempts failed", list(errors))


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (
            grouped(OverflowError("connect(): port must be 0-65535.")),
            FailureCode.INTERNAL,
            "api.example:443 could not be made (OverflowError: connect(): port must be 0-65535.)",
        ),
        (
            grouped(grouped(httpx.ConnectError("no"))),
            FailureCode.CONNECTION_REFUSED,
            "could not connect",
        ),
        (RuntimeError("Bearer hush"), FailureCode.INTERNAL, "could not be made (RuntimeError)"),
        (httpx.InvalidURL("hush"), FailureCode.INTERNAL, "could not be made (InvalidURL)"),
    ],
)
def test_nothing_that_the_http_library_raises_gets_out(
    error: Exception, code: FailureCode, words: str
) -> None:
    outcome = send(Script([error]), retries=0)
    assert isinstance(outcome, TransportFailure)
    assert outcome.code is code
    assert words in outcome.message
    assert "hush" not in outcome.message


def test_a_cancelled_exchange_is_no_failure_of_the_request() -> None:
    class Stuck(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await asyncio.get_running_loop().create_future()
            raise AssertionError(request)

    async def cancelled() -> bool:
        transport = Transport(http_transport_factory=Stuck)
        sending = asyncio.create_task(transport.send(a_request(), retry=RetryPolicy(retries=0)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        sending.cancel()
        await asyncio.wait({sending}, timeout=5)
        return sending.cancelled()

    assert asyncio.run(cancelled())
