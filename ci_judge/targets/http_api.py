"""The HTTP endpoint under test: holds one conversation, reads the answers, judges nothing."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ci_judge.errors import Problem
from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.suite import JsonValue, Message, Scenario
from ci_judge.rules.json_paths import Missing, look_up
from ci_judge.targets.settings import TargetSettings
from ci_judge.targets.templating import (
    BODY_NAMES,
    DEFAULT_BODY,
    HEADER_NAMES,
    TurnValues,
    fill,
    fill_text,
    fill_url,
    unknown_placeholders,
)
from ci_judge.transport import (
    Cookies,
    HttpReply,
    HttpRequest,
    RetryPolicy,
    Transport,
    TransportFailure,
)

EXCERPT_CHARS = 200
DETAIL_CHARS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unusable:
    """Why an HTTP reply is no answer."""

    code: FailureCode
    message: str
    detail: str


class HttpTarget:
    """A ``target`` section with a ``url``. Satisfies ``protocols.Target``.

    ``fresh_uuid`` gives the text of ``{{uuid}}``, one a run; ``port`` that of ``{{port}}``, the
    port that ``serve`` was offered.
    """

    def __init__(
        self,
        settings: TargetSettings,
        *,
        transport: Transport,
        fresh_uuid: Callable[[], str],
        port: int | None = None,
    ) -> None:
        self._settings = settings
        self._transport = transport
        self._fresh_uuid = fresh_uuid
        self._port = port
        self._retry = RetryPolicy(retries=settings.retries, retry_timeouts=False)

    async def converse(
        self, scenario: Scenario, *, run_number: int
    ) -> Conversation | EvidenceFailure:
        """Send each turn with everything said before it. ``run_number`` changes nothing here."""
        del run_number
        said = list(scenario.history)
        replies: list[Reply] = []
        uuid, cookies = self._fresh_uuid(), Cookies()
        for turn in scenario.turns:
            request = self._request(turn, said, uuid)
            answer = await self._transport.send(request, retry=self._retry, cookies=cookies)
            said.append(Message(role="user", content=turn))
            outcome = self._read(answer)
            if isinstance(outcome, EvidenceFailure):
                return _with_transcript(outcome, said)
            replies.append(outcome)
            said.append(Message(role="assistant", content=outcome.value))
        return Conversation(transcript=tuple(said), replies=tuple(replies))

    def _request(self, turn: JsonValue, said: list[Message], uuid: str) -> HttpRequest:
        settings = self._settings
        values = TurnValues(
            message=turn,
            history=[{"role": past.role, "content": past.content} for past in said],
            uuid=uuid,
            port=self._port,
        )
        headers = {name: fill_text(text, values) for name, text in settings.headers.items()}
        return HttpRequest(
            method=settings.method,
            url=fill_url(settings.url, values),
            headers=_with_content_type(headers, settings.method),
            content=_body(settings, values),
            timeout_seconds=settings.timeout,
        )

    def _read(self, answer: HttpReply | TransportFailure) -> Reply | EvidenceFailure:
        if isinstance(answer, TransportFailure):
            return EvidenceFailure(
                code=answer.code, message=answer.message, attempts=answer.attempts
            )
        found = _value_of(answer, self._settings.response_path)
        if isinstance(found, _Unusable):
            return EvidenceFailure(
                code=found.code,
                message=found.message,
                status=answer.status,
                attempts=answer.attempts,
                detail=found.detail,
            )
        return Reply(
            text=found if isinstance(found, str) else _compact(found),
            value=found,
            latency_seconds=answer.latency_seconds,
            status=answer.status,
            attempts=answer.attempts,
        )


def _with_transcript(failure: EvidenceFailure, said: list[Message]) -> EvidenceFailure:
    return EvidenceFailure(
        code=failure.code,
        message=failure.message,
        status=failure.status,
        attempts=failure.attempts,
        detail=failure.detail,
        transcript=tuple(said),
    )


def _body(settings: TargetSettings, values: TurnValues) -> bytes:
    if settings.method == "GET":
        return b""
    template = DEFAULT_BODY if settings.body is None else settings.body
    # ASCII with escapes: half an emoji in a message still makes a legal body.
    return json.dumps(fill(template, values), ensure_ascii=True, allow_nan=False).encode()


def _with_content_type(headers: dict[str, str], method: str) -> dict[str, str]:
    named = {name.lower() for name in headers}
    defaults = {"Accept": "application/json, text/plain;q=0.9, */*;q=0.5"}
    if method != "GET":
        defaults["Content-Type"] = "application/json"
    return {name: text for name, text in defaults.items() if name.lower() not in named} | headers


def _value_of(reply: HttpReply, response_path: str | None) -> JsonValue | _Unusable:
    if 300 <= reply.status < 400:  # noqa: PLR2004 - the 3xx class
        place = reply.headers.get("location", "an unnamed place")
        return _unusable(reply, FailureCode.REDIRECT, f"it redirects to {place}; not followed")
    if not 200 <= reply.status < 300:  # noqa: PLR2004 - the 2xx class
        return _unusable(reply, FailureCode.HTTP_STATUS, "not a success")
    if not reply.body.strip():
        return _unusable(reply, FailureCode.NO_RESPONSE, "the body is empty")
    try:
        return reply.text() if response_path is None else _at_path(reply, response_path)
    except ValueError as error:
        return _unusable(reply, FailureCode.UNREADABLE_REPLY, str(error))


def _at_path(reply: HttpReply, response_path: str) -> JsonValue | _Unusable:
    found = look_up(reply.json(), response_path)
    if isinstance(found, Missing):
        return _unusable(
            reply, FailureCode.NO_RESPONSE, f'response_path "{response_path}": {found}'
        )
    if found.value is None:
        return _unusable(
            reply, FailureCode.NO_RESPONSE, f'response_path "{response_path}" holds null'
        )
    return found.value


def _unusable(reply: HttpReply, code: FailureCode, why: str) -> _Unusable:
    """Name status, content type and the beginning of the body: enough to see what answered."""
    kind = reply.headers.get("content-type", "no content type")
    text = reply.body[: DETAIL_CHARS * 4].decode("utf-8", errors="replace")
    excerpt = " ".join(text[:EXCERPT_CHARS].split())
    body = f': "{excerpt}"' if excerpt else ""
    return _Unusable(
        code=code,
        message=f"HTTP {reply.status} ({kind}), {why}{body}",
        detail=text[:DETAIL_CHARS],
    )


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def template_problems(settings: TargetSettings, *, section: str) -> tuple[Problem, ...]:
    """Find placeholders that nothing will ever fill."""
    templates = (
        ("url", settings.url, BODY_NAMES),
        ("headers", dict(settings.headers), HEADER_NAMES),
        ("body", settings.body, BODY_NAMES),
    )
    return tuple(
        Problem(
            message=f'{section}.{key} holds "{{{{{name}}}}}", which nothing fills',
            hint="there are " + ", ".join(f"{{{{{known}}}}}" for known in sorted(allowed)),
        )
        for key, template, allowed in templates
        for name in unknown_placeholders(template, allowed)
    )
