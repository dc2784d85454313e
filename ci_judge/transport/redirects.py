"""Redirects, followed where a target's section asks for it, with no secret into strange hands."""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urljoin

from ci_judge.model.evidence import FailureCode
from ci_judge.transport.client import Transport
from ci_judge.transport.cookies import Cookies
from ci_judge.transport.exchange import HttpReply, HttpRequest, RetryPolicy, TransportFailure
from ci_judge.transport.places import origin_of, place_of, split

MOST_REDIRECTS = 10

_FOLLOWED = frozenset({301, 302, 303, 307, 308})
_AS_GET = frozenset({301, 302, 303})
_HARMLESS = frozenset({"accept", "accept-language", "content-type", "traceparent"})
_OF_BODIES = frozenset({"content-type", "content-length", "content-encoding"})


async def send_following(
    transport: Transport, request: HttpRequest, *, retry: RetryPolicy, cookies: Cookies
) -> HttpReply | TransportFailure:
    """Send a request and follow where it is redirected to, at most ``MOST_REDIRECTS`` times.

    ``timeout_seconds`` bounds all exchanges together. Latency and sight of the reply run from the
    first of them; attempts are those of all. Methods change as the Fetch standard says: 303 to
    GET, 301 and 302 from POST to GET. Another origin gets neither cookies nor configured headers,
    and no body that holds a secret.
    """
    attempts, seconds = 0, 0.0
    for _ in range(MOST_REDIRECTS + 1):
        reply = await transport.send(request, retry=retry, cookies=cookies)
        attempts += reply.attempts
        if isinstance(reply, TransportFailure):
            return replace(reply, attempts=attempts)
        place = reply.headers.get("location", "").strip()
        if reply.status not in _FOLLOWED or not place:
            return _counted(reply, attempts=attempts, seconds=seconds)
        seconds += reply.latency_seconds
        following = _redirected(request, reply, place, transport)
        if isinstance(following, str):
            return _refused(following, attempts)
        left = following.timeout_seconds - reply.latency_seconds
        if left <= 0:
            return _too_late(request, attempts)
        request = replace(following, timeout_seconds=left)
    message = f"{place_of(request.url)} redirects more than {MOST_REDIRECTS} times"
    return _refused(message, attempts)


def _counted(reply: HttpReply, *, attempts: int, seconds: float) -> HttpReply:
    seen = reply.sighted_seconds
    return replace(
        reply,
        attempts=attempts,
        latency_seconds=seconds + reply.latency_seconds,
        sighted_seconds=None if seen is None else seconds + seen,
    )


def _refused(message: str, attempts: int) -> TransportFailure:
    return TransportFailure(code=FailureCode.REDIRECT, message=message, attempts=attempts)


def _too_late(request: HttpRequest, attempts: int) -> TransportFailure:
    message = f"{place_of(request.url)} used up the time with redirects"
    return TransportFailure(code=FailureCode.TIMEOUT, message=message, attempts=attempts)


def _redirected(
    request: HttpRequest, reply: HttpReply, place: str, transport: Transport
) -> HttpRequest | str:
    """Return the next request, or why there is none."""
    url = _joined(request.url, place)
    parts = split(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return f"{place_of(request.url)} redirects to what is no http or https address"
    following = replace(_changed(request, reply.status), url=url)
    if origin_of(url) == origin_of(request.url):
        return replace(following, url=_signed_in(url, request.url))
    secret = following.content.decode("utf-8", "replace")
    if transport.redact(secret) != secret:
        return (
            f"{place_of(request.url)} redirects to {place_of(url)}, "
            "which must not get the secrets that are in the body"
        )
    return replace(following, headers=_only(following.headers, _HARMLESS))


def _joined(base: str, place: str) -> str:
    try:
        return urljoin(base, place)
    except ValueError:
        return ""


def _changed(request: HttpRequest, status: int) -> HttpRequest:
    """Turn it into a GET where the status asks for that."""
    safe = request.method in {"GET", "HEAD"}
    if status not in _AS_GET or safe or (status != 303 and request.method != "POST"):  # noqa: PLR2004 - "See Other"
        return request
    names = frozenset(name.lower() for name in request.headers) - _OF_BODIES
    return replace(request, method="GET", content=b"", headers=_only(request.headers, names))


def _only(headers: Mapping[str, str], names: frozenset[str]) -> dict[str, str]:
    return {name: text for name, text in headers.items() if name.lower() in names}


def _signed_in(url: str, before: str) -> str:
    """Keep the credentials of an URL on their own origin."""
    user, at, _ = split(before).netloc.rpartition("@")
    parts = split(url)
    if not at or "@" in parts.netloc:
        return url
    return parts._replace(netloc=f"{user}@{parts.netloc}").geturl()
