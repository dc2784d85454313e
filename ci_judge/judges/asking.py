"""One question to a judge's server: JSON out, JSON back, or the reason why there is none."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ci_judge.judges.error_body import error_sentence
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import JudgeFailure
from ci_judge.transport import (
    HttpReply,
    HttpRequest,
    RetryPolicy,
    Transport,
    TransportFailure,
    shown_url,
)
from ci_judge.visible_text import one_line

_SURROGATES = re.compile("[\ud800-\udfff]")
_REQUEST_IDS = ("x-typesafe-request-id", "request-id", "x-request-id", "apim-request-id")
_HINTS = {
    401: "is the key right?",
    403: "often means that the key is missing or may not use this model",
    404: "is {section}.base_url or {section}.model right?",
}
_RAW_CHARS = 4000
_UNSENT = frozenset({FailureCode.BUDGET, FailureCode.ORIGIN_DOWN})
_SUCCESS = range(200, 300)
_REDIRECTS = range(300, 400)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who is asked, and which section of the configuration says so, in the words of messages.

    ``more_room`` is what to do about a reply that is cut at the token limit.
    """

    name: str = "the judge"
    section: str = "judge"
    more_room: str = "raise judge.max_tokens"


THE_JUDGE = Asked()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The way to one judge's server."""

    url: str
    headers: Mapping[str, str]
    timeout_seconds: float
    retries: int
    transport: Transport
    asked: Asked = THE_JUDGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A successful answer: its JSON object, and what is known about the exchange."""

    body: dict[str, Any]
    reply: HttpReply
    asked: Asked = THE_JUDGE

    @property
    def request_id(self) -> str | None:
        headers = self.reply.headers
        return next((headers[name] for name in _REQUEST_IDS if name in headers), None)

    @property
    def model(self) -> str | None:
        """The model that answered, in the server's words."""
        model = self.body.get("model")
        return model if isinstance(model, str) and model else None


async def ask(line: Line, body: Mapping[str, Any]) -> Said | JudgeFailure:
    """Send one question. Timeouts are tried again: asking has no side effect but its cost."""
    headers = {"content-type": "application/json", **line.headers}
    return await _exchanged(line, "POST", headers, json_bytes(body))


async def look(line: Line) -> Said | JudgeFailure:
    """Fetch what a judge's server shows without judging."""
    return await _exchanged(line, "GET", {"accept": "application/json", **line.headers}, b"")


async def _exchanged(
    line: Line, method: str, headers: Mapping[str, str], content: bytes
) -> Said | JudgeFailure:
    request = HttpRequest(
        method=method,
        url=line.url,
        timeout_seconds=line.timeout_seconds,
        headers=headers,
        content=content,
    )
    policy = RetryPolicy(retries=line.retries, retry_timeouts=True)
    reply = await line.transport.send(request, retry=policy)
    if isinstance(reply, TransportFailure):
        how = "asked" if reply.code in _UNSENT else "reached"
        message = f"{line.asked.name} was not {how}: {reply.message}"
        return JudgeFailure(code=reply.code, message=message, requests=reply.attempts)
    return _understood(line, reply)


def json_bytes(value: Any) -> bytes:
    """Return compact JSON in UTF-8; half an emoji, which UTF-8 cannot hold, becomes U+FFFD."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _SURROGATES.sub("\ufffd", text).encode("utf-8")


def _understood(line: Line, reply: HttpReply) -> Said | JudgeFailure:
    if reply.status in _REDIRECTS:
        return _redirected(line, reply)
    if reply.status not in _SUCCESS:
        return _refused(line, reply)
    try:
        body = reply.json()
    except ValueError as error:
        return _unreadable(line, reply, str(error))
    if not isinstance(body, dict):
        return _unreadable(line, reply, "the body is no JSON object")
    return Said(body=body, reply=reply, asked=line.asked)


def _redirected(line: Line, reply: HttpReply) -> JudgeFailure:
    place = one_line(reply.redact(reply.headers.get("location", "nowhere")), limit=200)
    message = (
        f"{shown_url(line.url)} answered {reply.status}, a redirect to {place};"
        " redirects are not followed, so that a key never goes elsewhere"
    )
    return _failure(FailureCode.REDIRECT, message, reply)


def _refused(line: Line, reply: HttpReply) -> JudgeFailure:
    parts = [f"{shown_url(line.url)} answered {reply.status}"]
    said = error_sentence(reply)
    if said:
        parts.append(f": {said}")
    asked = reply.headers.get("retry-after") or reply.headers.get("retry-after-ms")
    if asked:
        parts.append(f" (it asked to wait: {one_line(reply.redact(asked), limit=40)})")
    if reply.status in _HINTS:
        hint = _HINTS[reply.status].format_map({"section": line.asked.section})
        parts.append(f" ({hint})")
    return _failure(FailureCode.HTTP_STATUS, "".join(parts), reply)


def _unreadable(line: Line, reply: HttpReply, why: str) -> JudgeFailure:
    message = f"the answer of {shown_url(line.url)} cannot be read: {why}"
    return _failure(FailureCode.UNREADABLE_VERDICT, message, reply)


def _failure(code: FailureCode, message: str, reply: HttpReply) -> JudgeFailure:
    return JudgeFailure(
        code=code,
        message=message,
        status=reply.status,
        requests=reply.attempts,
        raw=reply.shown()[:_RAW_CHARS],
    )
