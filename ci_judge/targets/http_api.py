"""The HTTP endpoint under test: holds one conversation, reads the answers, judges nothing."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ci_judge.cache import digest
from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.suite import JsonValue, Message, Scenario
from ci_judge.targets.capture import captured
from ci_judge.targets.failure_words import failure_words
from ci_judge.targets.http_replies import TargetAnswer, Unusable, read_answer, sights_of_text
from ci_judge.targets.http_requests import turn_request, with_defaults
from ci_judge.targets.settings import TargetSettings
from ci_judge.targets.templating import TurnValues
from ci_judge.targets.tracing import TRACEPARENT, HexId, Trace, sent_trace_id
from ci_judge.targets.usage import answer_cost
from ci_judge.transport import (
    Cookies,
    HttpReply,
    HttpRequest,
    RetryPolicy,
    Transport,
    TransportFailure,
    send_following,
)

_NOT_SENT = frozenset({"timeout", "retries", "command", "env", "trace", "ca_bundle"})
"""Settings that change neither what is asked nor what is read out of the reply."""


@dataclass(slots=True, kw_only=True)
class _Talk:
    """One conversation while it is held."""

    said: list[Message]
    uuid: str
    trace: Trace | None
    cookies: Cookies = field(default_factory=Cookies)
    replies: list[Reply] = field(default_factory=list)
    session: JsonValue = None
    trace_id: str | None = None

    def failed(self, failure: EvidenceFailure) -> EvidenceFailure:
        """Add what had been said, and the requests that it took."""
        earlier = sum(reply.attempts for reply in self.replies)
        return replace(
            failure,
            attempts=failure.attempts + earlier,
            transcript=tuple(self.said),
            trace_id=self.trace_id,
        )


class HttpTarget:
    """A ``target`` section with a ``url``. Satisfies ``protocols.Target``.

    ``fresh_uuid`` gives the text of ``{{uuid}}``, one a run; ``port`` that of ``{{port}}``, the
    port that ``serve`` was offered. ``hex_id`` makes the ids of traces; without it none is sent.
    """

    def __init__(
        self,
        settings: TargetSettings,
        *,
        transport: Transport,
        fresh_uuid: Callable[[], str],
        port: int | None = None,
        hex_id: HexId | None = None,
    ) -> None:
        self._settings = settings
        self._transport = transport
        self._fresh_uuid = fresh_uuid
        self._port = port
        self._hex_id = hex_id if settings.trace else None
        self._retry = RetryPolicy(retries=settings.retries, retry_timeouts=False)

    async def converse(
        self, scenario: Scenario, *, run_number: int
    ) -> Conversation | EvidenceFailure:
        """Send each turn with everything said before it. ``run_number`` changes nothing here."""
        del run_number
        talk = _Talk(
            said=list(scenario.history),
            uuid=self._fresh_uuid(),
            trace=Trace(self._hex_id) if self._hex_id else None,
        )
        for number, turn in enumerate(scenario.turns, start=1):
            failure = await self._take_turn(talk, turn, more=number < len(scenario.turns))
            if failure is not None:
                return talk.failed(replace(failure, priced=self._settings.usage is not None))
        return Conversation(
            transcript=tuple(talk.said), replies=tuple(talk.replies), trace_id=talk.trace_id
        )

    def key(self, scenario: Scenario) -> bytes | None:
        """Digest the templates and what they are filled with.

        The uuid and the port of a served target, fresh in every run, stand in them as placeholders.
        """
        return digest(
            self._settings.model_dump(mode="json", exclude=set(_NOT_SENT)),
            [[past.role, past.content] for past in scenario.history],
            scenario.turns,
        )

    async def _take_turn(
        self, talk: _Talk, turn: JsonValue, *, more: bool
    ) -> EvidenceFailure | None:
        """Say one thing and hear the answer; ``more`` says that the conversation goes on."""
        request = self._request(turn, talk)
        talk.trace_id = talk.trace_id or sent_trace_id(request.headers)
        reply = await self._send(request, talk.cookies)
        talk.said.append(Message(role="user", content=turn))
        if isinstance(reply, TransportFailure):
            message = failure_words(reply, self._settings)
            return EvidenceFailure(code=reply.code, message=message, attempts=reply.attempts)
        answer = read_answer(self._settings, reply, port=self._port)
        if isinstance(answer, Unusable):
            return _failure(answer, reply)
        self._hear(talk, answer, reply)
        lost = more and self._lacks_session(talk)
        return _without_session(self._settings, reply) if lost else None

    def _hear(self, talk: _Talk, answer: TargetAnswer, reply: HttpReply) -> None:
        session = captured(self._settings.capture, answer.told).session
        talk.session = talk.session if session is None else session
        talk.replies.append(self._reply(answer, reply))
        talk.said.append(Message(role="assistant", content=answer.value))

    def _request(self, turn: JsonValue, talk: _Talk) -> HttpRequest:
        values = TurnValues(
            message=turn,
            history=[{"role": past.role, "content": past.content} for past in talk.said],
            uuid=talk.uuid,
            port=self._port,
            session=talk.session,
        )
        request = turn_request(self._settings, values)
        traced = {} if talk.trace is None else {TRACEPARENT: talk.trace.header()}
        return replace(
            request,
            headers=with_defaults(traced, dict(request.headers)),
            new_sight=sights_of_text(self._settings),
        )

    async def _send(self, request: HttpRequest, cookies: Cookies) -> HttpReply | TransportFailure:
        if self._settings.follow_redirects:
            return await send_following(
                self._transport, request, retry=self._retry, cookies=cookies
            )
        return await self._transport.send(request, retry=self._retry, cookies=cookies)

    def _reply(self, answer: TargetAnswer, reply: HttpReply) -> Reply:
        more = captured(self._settings.capture, answer.told)
        return Reply(
            text=answer.value if isinstance(answer.value, str) else _compact(answer.value),
            value=answer.value,
            latency_seconds=reply.latency_seconds,
            status=reply.status,
            attempts=reply.attempts,
            priced=self._settings.usage is not None,
            cost_usd=answer_cost(self._settings.usage, answer.told, reply.attempts),
            context=more.context,
            tools=more.tools,
            first_token_seconds=self._first_token(answer, reply),
        )

    def _first_token(self, answer: TargetAnswer, reply: HttpReply) -> float | None:
        """Say when the first text was there: at the end, if in a last line without an end."""
        streamed = sights_of_text(self._settings) is not None
        if reply.sighted_seconds is None and streamed and answer.value:
            return reply.latency_seconds
        return reply.sighted_seconds

    def _lacks_session(self, talk: _Talk) -> bool:
        capture = self._settings.capture
        return capture is not None and capture.session is not None and talk.session is None


def _failure(answer: Unusable, reply: HttpReply) -> EvidenceFailure:
    return EvidenceFailure(
        code=answer.code,
        message=answer.message,
        status=reply.status,
        attempts=reply.attempts,
        detail=answer.detail,
    )


def _without_session(settings: TargetSettings, reply: HttpReply) -> EvidenceFailure:
    """Book a conversation that cannot go on: the next turn would begin another one.

    The answer that came is among the replies, so its requests are counted there.
    """
    path = settings.capture.session if settings.capture else None
    return EvidenceFailure(
        code=FailureCode.NO_RESPONSE,
        message=f'HTTP {reply.status}, but nothing at capture.session "{path}": '
        "the next turn cannot be sent to the same session",
        status=reply.status,
        attempts=0,
    )


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
