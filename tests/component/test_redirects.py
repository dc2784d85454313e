"""Redirects: followed only where that is asked for, never for ever, and no secret goes abroad."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode
from ci_judge.targets.http_api import HttpTarget
from ci_judge.targets.settings import TargetSettings
from ci_judge.transport import Transport
from tests.model_builders import a_scenario
from tests.wires import VirtualTime

Handler = Callable[[httpx.Request], httpx.Response]
SECRET = "s3cr3t-s3cr3t"
HEADERS = {
    "Authorization": f"Bearer {SECRET}",
    "Cookie": "own=1",
    "X-Tenant": "shop",
    "Accept-Language": "de",
}


class Web:
    """Redirects by path to what ``places`` says, and answers everything else."""

    def __init__(self, places: dict[str, str], *, status: int = 307, cookie: str = "") -> None:
        self._places = places
        self._status = status
        self._headers = {"set-cookie": cookie} if cookie else {}
        self.time = VirtualTime()
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.time.time += 1.0
        place = self._places.get(request.url.path)
        if place is None:
            return httpx.Response(200, json={"reply": "14 days."})
        return httpx.Response(self._status, headers={"location": place} | self._headers)

    @property
    def asked(self) -> list[tuple[str, str]]:
        return [(request.method, str(request.url)) for request in self.requests]


def held(
    web: Web, *, turns: tuple[str, ...] = ("Refunds?",), **changes: Any
) -> Conversation | EvidenceFailure:
    values = {
        "url": "https://bot.test/old",
        "headers": HEADERS,
        "response_path": "reply",
        "follow_redirects": True,
        "retries": 0,
    }
    transport = Transport(
        effects=web.time.effects(),
        redact=lambda text: text.replace(SECRET, "***"),
        http_transport_factory=lambda: httpx.MockTransport(web),
    )
    target = HttpTarget(
        TargetSettings.model_validate(values | changes),
        transport=transport,
        fresh_uuid=lambda: "u",
        hex_id=lambda size: "ab" * size,
    )
    return asyncio.run(target.converse(a_scenario(turns=turns), run_number=1))


def failure(web: Web, **changes: Any) -> EvidenceFailure:
    failed = held(web, **changes)
    assert isinstance(failed, EvidenceFailure), failed
    return failed


def answered(web: Web, **changes: Any) -> Conversation:
    talk = held(web, **changes)
    assert isinstance(talk, Conversation), talk
    return talk


def test_unless_it_is_asked_for_no_redirect_is_followed() -> None:
    web = Web({"/old": "/new"})
    failed = failure(web, follow_redirects=False)
    assert failed.code is FailureCode.REDIRECT
    assert "redirects to /new" in failed.message
    assert len(web.requests) == 1


@pytest.mark.parametrize(
    ("status", "method", "then"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "POST", "GET"),
        (307, "POST", "POST"),
        (308, "POST", "POST"),
        (301, "PUT", "PUT"),
        (303, "PUT", "GET"),
        (302, "GET", "GET"),
    ],
)
def test_methods_change_as_the_fetch_standard_says(status: int, method: str, then: str) -> None:
    web = Web({"/old": "/new"}, status=status)
    answered(web, method=method)
    assert web.asked == [(method, "https://bot.test/old"), (then, "https://bot.test/new")]
    kept = then == method and method != "GET"
    assert bool(web.requests[1].content) is kept
    assert ("content-type" in web.requests[1].headers) is kept


def test_the_same_origin_gets_the_same_headers() -> None:
    web = Web({"/old": "https://bot.test:443/new"})
    answered(web)
    first, second = web.requests
    for name in (*HEADERS, "traceparent", "content-type"):
        assert second.headers[name] == first.headers[name]


@pytest.mark.parametrize(
    "place",
    [
        "https://elsewhere.test/new",
        "//elsewhere.test/new",
        "http://bot.test/new",
        "https://bot.test:8443/new",
        "https://bot.test.elsewhere.test/new",
    ],
)
def test_another_origin_gets_no_configured_header(place: str) -> None:
    web = Web({"/old": place})
    answered(web)
    headers = web.requests[1].headers
    assert not {"authorization", "cookie", "x-tenant"} & set(headers)
    assert headers["accept-language"] == "de"
    assert headers["content-type"] == "application/json"
    assert headers["traceparent"] == web.requests[0].headers["traceparent"]
    assert SECRET not in str(headers)


def test_credentials_of_the_url_stay_with_their_origin() -> None:
    url = f"https://me:{SECRET}@bot.test/old"
    web = Web({"/old": "https://bot.test/new"})
    answered(web, url=url, headers={})
    assert web.requests[1].headers["authorization"] == web.requests[0].headers["authorization"]
    web = Web({"/old": "https://elsewhere.test/new"})
    answered(web, url=url, headers={})
    assert "authorization" not in web.requests[1].headers


def test_headers_that_were_dropped_do_not_come_back() -> None:
    web = Web({"/old": "https://elsewhere.test/mid", "/mid": "https://bot.test/new"})
    answered(web)
    assert "authorization" not in web.requests[2].headers


def test_a_secret_in_the_body_goes_to_no_other_origin() -> None:
    body = {"m": "{{message}}", "key": SECRET}
    web = Web({"/old": "https://elsewhere.test/new"})
    failed = failure(web, body=body)
    assert failed.code is FailureCode.REDIRECT
    assert "must not get the secrets" in failed.message
    assert SECRET not in failed.message
    assert len(web.requests) == 1
    answered(Web({"/old": "/new"}), body=body)
    answered(Web({"/old": "https://elsewhere.test/new"}, status=303), body=body)


def test_a_cookie_that_is_set_on_the_way_stays_with_its_own_host() -> None:
    web = Web({"/old": "/mid", "/mid": "https://elsewhere.test/new"}, cookie="s=1")
    answered(web, headers={})
    assert [request.headers.get("cookie") for request in web.requests] == [None, "s=1", None]


def test_cookies_last_for_the_whole_conversation() -> None:
    web = Web({"/old": "/new"}, cookie="s=1")
    answered(web, turns=("one", "two"), headers={})
    assert [request.headers.get("cookie") for request in web.requests] == [
        None,
        "s=1",
        "s=1",
        "s=1",
    ]


@pytest.mark.parametrize("places", [{"/old": "/old"}, {"/old": "/b", "/b": "/old"}])
def test_a_loop_ends(places: dict[str, str]) -> None:
    web = Web(places)
    failed = failure(web, timeout=60)
    assert failed.code is FailureCode.REDIRECT
    assert failed.message == "bot.test:443 redirects more than 10 times"
    assert failed.attempts == len(web.requests) == 11


def test_the_timeout_bounds_all_of_it() -> None:
    web = Web({"/old": "/old"})
    failed = failure(web, timeout=3)
    assert failed.code is FailureCode.TIMEOUT
    assert len(web.requests) == 3


def test_latency_and_requests_are_those_of_all_exchanges() -> None:
    (reply,) = answered(Web({"/old": "/mid", "/mid": "/new"})).replies
    assert (reply.latency_seconds, reply.attempts) == (3.0, 3)


@pytest.mark.parametrize("place", ["ftp://bot.test/x", "javascript:alert(1)", "http://[::1"])
def test_what_is_no_web_address_is_not_followed(place: str) -> None:
    web = Web({"/old": place})
    failed = failure(web)
    assert failed.code is FailureCode.REDIRECT
    assert len(web.requests) == 1


def test_a_redirect_to_nowhere_is_an_error_that_says_so() -> None:
    failed = failure(Web({"/old": ""}))
    assert failed.code is FailureCode.REDIRECT
    assert "HTTP 307" in failed.message
