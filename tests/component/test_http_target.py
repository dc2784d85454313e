"""The HTTP target: what is sent, what is read, and what is no answer at all."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode
from ci_judge.model.suite import Message, Scenario
from ci_judge.targets.http_api import HttpTarget
from ci_judge.targets.settings import TargetSettings
from ci_judge.targets.template_problems import template_problems
from ci_judge.transport import Transport
from tests.model_builders import a_scenario

Handler = Callable[[httpx.Request], httpx.Response]


class Endpoint:
    """Answers by a function and keeps every request."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self._handler(request)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests]


def replying(*values: Any) -> Endpoint:
    answers = iter(values)
    return Endpoint(lambda _: httpx.Response(200, json=next(answers)))


def a_target(**changes: Any) -> TargetSettings:
    values: dict[str, Any] = {
        "url": "http://bot.test/chat",
        "response_path": "reply",
        "retries": 0,
    } | changes
    return TargetSettings.model_validate(values)


def converse(
    endpoint: Endpoint, settings: TargetSettings, scenario: Scenario
) -> Conversation | EvidenceFailure:
    async def go() -> Conversation | EvidenceFailure:
        uuids = iter(f"uuid-{number}" for number in range(1, 100))
        transport = Transport(http_transport_factory=lambda: httpx.MockTransport(endpoint))
        target = HttpTarget(
            settings, transport=transport, fresh_uuid=lambda: next(uuids), port=8123
        )
        try:
            return await target.converse(scenario, run_number=1)
        finally:
            await transport.aclose()

    return asyncio.run(go())


def failure(
    response: httpx.Response, scenario: Scenario | None = None, **changes: Any
) -> EvidenceFailure:
    endpoint = Endpoint(lambda _: response)
    result = converse(endpoint, a_target(**changes), scenario or a_scenario())
    assert isinstance(result, EvidenceFailure)
    return result


def test_each_turn_is_sent_with_all_that_was_said_before() -> None:
    endpoint = replying({"reply": "14 days."}, {"reply": "Still 14 days."})
    scenario = a_scenario(
        turns=("Refunds?", "Even for me?"),
        history=(
            Message(role="user", content="hi"),
            Message(role="assistant", content="hello"),
        ),
    )
    result = converse(endpoint, a_target(), scenario)
    past = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    assert endpoint.bodies == [
        {"message": "Refunds?", "history": past},
        {
            "message": "Even for me?",
            "history": [
                *past,
                {"role": "user", "content": "Refunds?"},
                {"role": "assistant", "content": "14 days."},
            ],
        },
    ]
    assert isinstance(result, Conversation)
    assert [reply.text for reply in result.replies] == ["14 days.", "Still 14 days."]
    assert [message.role for message in result.transcript] == ["user", "assistant"] * 3


def test_configured_request_is_filled_in_every_place() -> None:
    endpoint = replying("ok")
    settings = a_target(
        url="http://bot.test:{{port}}/ask?q={{message}}",
        method="PUT",
        headers={"X-Session": "s-{{uuid}}", "content-type": "application/vnd.chat+json"},
        body={"text": "Q: {{message}}", "turns": "{{history}}", "id": "{{uuid}}", "n": 3},
        response_path=None,
    )
    converse(endpoint, settings, a_scenario(turns=('a "b"\n{{uuid}}',)))
    (request,) = endpoint.requests
    assert request.method == "PUT"
    assert request.url.port == 8123
    assert request.url.params["q"] == 'a "b"\n{{uuid}}'
    assert request.headers["x-session"] == "s-uuid-1"
    assert request.headers.get_list("content-type") == ["application/vnd.chat+json"]
    assert endpoint.bodies == [{"text": 'Q: a "b"\n{{uuid}}', "turns": [], "id": "uuid-1", "n": 3}]


@pytest.mark.parametrize(
    "message",
    [
        'says "yes"',
        "two\nlines\tand a tab",
        r"C:\new\table",
        "\x01 and \u2028",
        "family \U0001f468\u200d\U0001f469\u200d\U0001f467",
        "half an emoji \ud83d",
        "x" * 100_000,
    ],
)
def test_any_message_arrives_as_it_was_written(message: str) -> None:
    endpoint = replying({"reply": "ok"})
    converse(endpoint, a_target(), a_scenario(turns=(message,)))
    assert endpoint.bodies[0]["message"] == message
    assert endpoint.requests[0].headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("", ""),
        (False, "false"),
        (0, "0"),
        (3.5, "3.5"),
        ({"a": 1, "é": [None]}, '{"a":1,"é":[null]}'),
        (["x"], '["x"]'),
    ],
)
def test_any_value_but_null_at_the_path_is_an_answer(value: Any, text: str) -> None:
    result = converse(replying({"reply": value}), a_target(), a_scenario())
    assert isinstance(result, Conversation)
    assert result.response == text
    assert result.replies[0].value == value


def test_without_a_path_the_whole_body_is_the_answer() -> None:
    endpoint = Endpoint(lambda _: httpx.Response(200, text="You have 14 days."))
    result = converse(endpoint, a_target(response_path=None), a_scenario())
    assert isinstance(result, Conversation)
    assert result.response == "You have 14 days."


@pytest.mark.parametrize(
    ("response", "code", "words"),
    [
        (httpx.Response(401, json={"error": "no"}), FailureCode.HTTP_STATUS, "HTTP 401"),
        (httpx.Response(500, text="boom"), FailureCode.HTTP_STATUS, "boom"),
        (
            httpx.Response(302, headers={"location": "https://login.test/"}),
            FailureCode.REDIRECT,
            "https://login.test/",
        ),
        (httpx.Response(204), FailureCode.NO_RESPONSE, "HTTP 204"),
        (
            httpx.Response(200, text="", headers={"content-type": "application/json"}),
            FailureCode.NO_RESPONSE,
            "empty",
        ),
        (
            httpx.Response(200, html="<html>Log in</html>"),
            FailureCode.UNREADABLE_REPLY,
            "text/html",
        ),
        (
            httpx.Response(
                200, text='data: {"reply": "a"}\n\n', headers={"content-type": "text/event-stream"}
            ),
            FailureCode.UNREADABLE_REPLY,
            "text/event-stream",
        ),
        (
            httpx.Response(200, text='{"reply": "a"} trailing'),
            FailureCode.UNREADABLE_REPLY,
            "trailing",
        ),
        (httpx.Response(200, json={"reply": None}), FailureCode.NO_RESPONSE, "holds null"),
        (
            httpx.Response(200, json={"answer": "x", "id": 7}),
            FailureCode.NO_RESPONSE,
            "answer (text), id (number)",
        ),
    ],
)
def test_what_is_no_answer_is_an_error_that_says_what_came(
    response: httpx.Response, code: FailureCode, words: str
) -> None:
    failed = failure(response)
    assert failed.code is code
    assert failed.status == response.status_code
    assert words in failed.message
    assert "\n" not in failed.message


def test_a_failure_in_a_later_turn_keeps_what_was_said() -> None:
    answers = iter([httpx.Response(200, json={"reply": "14 days."}), httpx.Response(400)])
    endpoint = Endpoint(lambda _: next(answers))
    result = converse(endpoint, a_target(), a_scenario(turns=("one", "two")))
    assert isinstance(result, EvidenceFailure)
    assert [message.content for message in result.transcript] == ["one", "14 days.", "two"]
    assert result.attempts == 2


def test_a_refused_connection_is_told_apart_from_an_answer() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("[Errno 111] Connection refused", request=request)

    result = converse(Endpoint(refuse), a_target(), a_scenario())
    assert isinstance(result, EvidenceFailure)
    assert result.status is None
    assert "bot.test" in result.message


def test_cookies_last_for_a_conversation_and_no_longer() -> None:
    endpoint = Endpoint(
        lambda _: httpx.Response(200, json={"reply": "x"}, headers={"set-cookie": "sid=1; Path=/"})
    )

    async def go() -> None:
        transport = Transport(http_transport_factory=lambda: httpx.MockTransport(endpoint))
        target = HttpTarget(a_target(), transport=transport, fresh_uuid=lambda: "u")
        for number in (1, 2):
            await target.converse(a_scenario(turns=("one", "two")), run_number=number)
        await transport.aclose()

    asyncio.run(go())
    assert [r.headers.get("cookie") for r in endpoint.requests] == [None, "sid=1", None, "sid=1"]


def test_a_get_request_has_no_body() -> None:
    endpoint = replying({"reply": "x"})
    converse(endpoint, a_target(method="GET", url="http://bot.test/?q={{message}}"), a_scenario())
    assert endpoint.requests[0].content == b""
    assert "content-type" not in endpoint.requests[0].headers


def test_placeholders_that_nothing_fills_are_found_before_anything_is_sent() -> None:
    settings = a_target(
        url="http://bot.test/{{mesage}}", headers={"X": "{{message}}"}, body={"a": "{{uid}}"}
    )
    messages = [problem.message for problem in template_problems(settings, section="target")]
    assert messages == [
        'target.url holds "{{mesage}}", which nothing fills',
        'target.headers holds "{{message}}", which nothing fills',
        'target.body holds "{{uid}}", which nothing fills',
    ]


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "check body"),
        (401, "check headers"),
        (403, "check headers"),
        (404, "check the path of url"),
        (405, "check method"),
        (415, "Content-Type"),
        (422, "check body"),
        (418, "not a success"),
        (500, "its own log"),
    ],
)
def test_a_refusal_names_the_request_and_what_to_check(status: int, advice: str) -> None:
    settings = a_target(url="http://me:hush@bot.test:{{port}}/chat/{{uuid}}?key=hush", method="PUT")
    result = converse(Endpoint(lambda _: httpx.Response(status)), settings, a_scenario())
    assert isinstance(result, EvidenceFailure)
    named = f"HTTP {status} (no content type) from PUT http://bot.test:8123/chat/{{{{uuid}}}}?…: "
    assert result.message.startswith(named)
    assert advice in result.message
    assert "hush" not in result.message


@pytest.mark.parametrize(
    ("changes", "offered"),
    [
        ({"url": "http://127.0.0.1:8123/"}, True),
        ({"url": "http://bot.test/"}, False),
        (
            {
                "url": "http://localhost:{{port}}/",
                "serve": {"command": "bot", "ready_url": "http://localhost:{{port}}/"},
            },
            False,
        ),
    ],
)
def test_a_refused_connection_asks_whether_it_runs_and_offers_to_start_what_is_near(
    changes: dict[str, Any],
    offered: bool,  # noqa: FBT001 - a parameter
) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request) from ConnectionRefusedError(111, "no")

    result = converse(Endpoint(refuse), a_target(**changes), a_scenario())
    assert isinstance(result, EvidenceFailure)
    assert "is it running?" in result.message
    assert ("target.serve can start it" in result.message) is offered


def test_a_reply_that_is_no_json_offers_to_take_it_as_text() -> None:
    result = converse(
        Endpoint(lambda _: httpx.Response(200, text="Hello!")), a_target(), a_scenario()
    )
    assert isinstance(result, EvidenceFailure)
    assert "remove response_path" in result.message


def test_a_placeholder_that_looks_like_a_variable_is_answered_with_its_syntax() -> None:
    settings = a_target(headers={"Authorization": "Bearer {{CHAT_TOKEN}}"})
    (problem,) = template_problems(settings, section="target")
    assert "a variable is written ${CHAT_TOKEN}" in str(problem)
