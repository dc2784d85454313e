"""The HTTP endpoint under test: holds one conversation, reads the answers, judges nothing."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ci_judge.cache import digest
from ci_judge.errors import Problem
from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.suite import JsonValue, Message, Scenario
from ci_judge.rules.json_paths import Found, look_up
from ci_judge.targets.capture import captured
from ci_judge.targets.failure_words import (
    content_type_of,
    failure_words,
    status_code_of,
    status_words,
)
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
from ci_judge.targets.usage import answer_cost
from ci_judge.transport import (
    Cookies,
    HttpReply,
    HttpRequest,
    RetryPolicy,
    Transport,
    TransportFailure,
)

_NOT_SENT = frozenset({"timeout", "retries", "command", "env"})
"""Settings that change neither a request nor what is read out of the reply."""

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
                priced = self._settings.usage is not None
                return replace(_in_context(outcome, said, replies), priced=priced)
            replies.append(outcome)
            said.append(Message(role="assistant", content=outcome.value))
        return Conversation(transcript=tuple(said), replies=tuple(replies))

    def key(self, scenario: Scenario) -> bytes | None:
        """Digest the templates and what they are filled with.

        The uuid and the port of a served target, fresh in every run, stand in them as placeholders.
        """
        return digest(
            self._settings.model_dump(mode="json", exclude=set(_NOT_SENT)),
            [[past.role, past.content] for past in scenario.history],
            scenario.turns,
        )

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
            url=fill_url(settings.address, values),
            headers=_with_content_type(headers, settings.method),
            content=_body(settings, values),
            timeout_seconds=settings.timeout,
        )

    def _read(self, answer: HttpReply | TransportFailure) -> Reply | EvidenceFailure:
        if isinstance(answer, TransportFailure):
            message = failure_words(answer, self._settings)
            return EvidenceFailure(code=answer.code, message=message, attempts=answer.attempts)
        found = self._value_of(answer)
        if isinstance(found, _Unusable):
            return EvidenceFailure(
                code=found.code,
                message=found.message,
                status=answer.status,
                attempts=answer.attempts,
                detail=found.detail,
            )
        document = _document(answer)
        more = captured(self._settings.capture, document)
        return Reply(
            text=found if isinstance(found, str) else _compact(found),
            value=found,
            latency_seconds=answer.latency_seconds,
            status=answer.status,
            attempts=answer.attempts,
            priced=self._settings.usage is not None,
            cost_usd=answer_cost(self._settings.usage, document, answer.attempts),
            context=more.context,
            tools=more.tools,
        )

    def _value_of(self, reply: HttpReply) -> JsonValue | _Unusable:
        code = status_code_of(reply)
        if code is not None:
            message = status_words(reply, self._settings, port=self._port)
            return _unusable(reply, code, message)
        if not reply.body.strip():
            return _unusable(reply, FailureCode.NO_RESPONSE, _answered(reply, "the body is empty"))
        path = self._settings.response_path
        try:
            return reply.text() if path is None else _at_path(reply, path)
        except ValueError as error:
            message = _answered(reply, f"{error}; to take the reply as text, remove response_path")
            return _unusable(reply, FailureCode.UNREADABLE_REPLY, message)


def _document(answer: HttpReply) -> JsonValue:
    """Return the body as JSON, None when it is none: usage and what is captured stand in it."""
    try:
        return answer.json()
    except ValueError:
        return None


def _in_context(
    failure: EvidenceFailure, said: list[Message], replies: list[Reply]
) -> EvidenceFailure:
    """Add what had been said, and the requests that it took."""
    earlier = sum(reply.attempts for reply in replies)
    return replace(failure, attempts=failure.attempts + earlier, transcript=tuple(said))


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


def _at_path(reply: HttpReply, response_path: str) -> JsonValue | _Unusable:
    found = look_up(reply.json(), response_path)
    if isinstance(found, Found) and found.value is not None:
        return found.value
    what = " holds null" if isinstance(found, Found) else f": {found}"
    message = _answered(reply, f'response_path "{response_path}"{what}')
    return _unusable(reply, FailureCode.NO_RESPONSE, message)


def _answered(reply: HttpReply, why: str) -> str:
    return f"HTTP {reply.status} ({content_type_of(reply)}), {why}"


def _unusable(reply: HttpReply, code: FailureCode, message: str) -> _Unusable:
    """Add the beginning of the body: enough to see what answered."""
    text = reply.shown()
    excerpt = " ".join(text[:EXCERPT_CHARS].split())
    body = f'; the body: "{excerpt}"' if excerpt else ""
    return _Unusable(code=code, message=f"{message}{body}", detail=text[:DETAIL_CHARS])


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def template_problems(settings: TargetSettings, *, section: str) -> tuple[Problem, ...]:
    """Find placeholders that nothing will ever fill."""
    templates = (
        ("url", settings.address, BODY_NAMES),
        ("headers", dict(settings.headers), HEADER_NAMES),
        ("body", settings.body, BODY_NAMES),
    )
    return tuple(
        Problem(
            message=f'{section}.{key} holds "{{{{{name}}}}}", which nothing fills',
            hint=_placeholder_hint(name, allowed),
        )
        for key, template, allowed in templates
        for name in unknown_placeholders(template, allowed)
    )


def _placeholder_hint(name: str, allowed: frozenset[str]) -> str:
    known = "there are " + ", ".join(f"{{{{{each}}}}}" for each in sorted(allowed))
    return f"a variable is written ${{{name}}}; {known}" if name.isupper() else known
