"""The judges of OpenAI, Azure and Anthropic against a server that damages what it says."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.judges.preflight import preflight
from ci_judge.judges.registry import build_judge
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import Answer, CaseQuestion, Decision, JudgeFailure
from ci_judge.transport import Transport
from tests.aimock_server import AiMock, aimock
from tests.wires import VirtualTime

KEY = "key-of-the-counterpart"
PASS, FAIL = ('{"pass": true, "reason": "Yes."}', '{"pass": false, "reason": "No."}')
REPLIES = {
    "plain": {"content": FAIL},
    "thinks": {"content": FAIL, "reasoning": f"At first I would say {PASS}"},
    "calls": {"toolCalls": [{"name": "mark", "arguments": '{"pass": true}'}]},
}
CASE = CaseQuestion(requirement="The price is 80.", evidence={"actual": 80})
BASES = {
    "openai": ("openai", "/v1"),
    "azure": ("openai", "/openai/deployments/plain?api-version=2024-10-21"),
    "anthropic": ("anthropic", ""),
}
PATHS = {
    "openai": "/v1/chat/completions",
    "azure": "/openai/deployments/plain/chat/completions?api-version=2024-10-21",
    "anthropic": "/v1/messages",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AiMock]:
    with aimock(tmp_path_factory.mktemp("aimock"), REPLIES, key=KEY) as running:
        yield running


def settings(server: AiMock, kind: str, **changes: Any) -> JudgeSettings:
    provider, path = BASES[kind]
    values = {"provider": provider, "model": "plain", "base_url": server.url + path}
    return JudgeSettings.model_validate(values | {"retries": 2, "timeout": "20s"} | changes)


def asked(
    server: AiMock, kind: str, *, key: str = KEY, **changes: Any
) -> tuple[Answer | JudgeFailure, list[str]]:
    """Ask once; give the answer and the paths that the server saw."""

    async def ask() -> Answer | JudgeFailure:
        transport = Transport(connections=2, effects=VirtualTime().effects())
        judge = build_judge(
            settings(server, kind, api_key=key, **changes),
            transport=transport,
            environment={},
            nonce=lambda: "mark12345678",
        )
        try:
            return await judge.judge(CASE)
        finally:
            await transport.aclose()

    server.asked()
    answer = asyncio.run(ask())
    return answer, server.asked()


@pytest.mark.parametrize("kind", BASES)
def test_the_key_and_the_address_are_those_that_the_server_knows(server: AiMock, kind: str) -> None:
    server.damage()
    answer, paths = asked(server, kind)
    assert isinstance(answer, Answer), answer
    assert answer.opinions == (Decision(passed=False, reason="No."),)
    assert answer.request_id
    assert paths == [PATHS[kind]]


@pytest.mark.parametrize("kind", BASES)
def test_a_wrong_key_is_told_by_the_judge_and_before(server: AiMock, kind: str) -> None:
    server.damage()
    answer, _ = asked(server, kind, key="another")
    assert isinstance(answer, JudgeFailure)
    assert answer.status == 401
    assert answer.requests == 1

    async def look() -> None:
        transport = Transport(connections=2)
        judge = settings(server, kind, api_key="another")
        try:
            await preflight((judge,), transport=transport, environment={})
        finally:
            await transport.aclose()

    with pytest.raises(InvalidInput, match=r"does not take the key in judge\.api_key"):
        asyncio.run(look())


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_what_the_model_thinks_is_not_what_it_says(server: AiMock, kind: str) -> None:
    server.damage()
    answer, _ = asked(server, kind, model="thinks")
    assert isinstance(answer, Answer), answer
    assert answer.opinions == (Decision(passed=False, reason="No."),)


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_tool_call_is_no_verdict(server: AiMock, kind: str) -> None:
    server.damage()
    answer, paths = asked(server, kind, model="calls")
    assert isinstance(answer, JudgeFailure)
    assert "tool call ('mark')" in answer.message
    assert len(paths) == 1


def test_log_probabilities_that_do_not_come_are_no_verdict(server: AiMock) -> None:
    server.damage()
    answer, paths = asked(server, "openai", logprobs=True)
    assert isinstance(answer, JudgeFailure)
    assert answer.code is FailureCode.UNREADABLE_VERDICT
    assert "no log-probabilities, which judge.logprobs asks for" in answer.message
    assert len(paths) == 1


@pytest.mark.parametrize("kind", BASES)
@pytest.mark.parametrize(
    ("damage", "code", "requests"),
    [
        ({"malformedRate": 1}, FailureCode.UNREADABLE_VERDICT, 1),
        ({"disconnectRate": 1}, FailureCode.CONNECTION_LOST, 3),
        ({"dropRate": 1}, FailureCode.HTTP_STATUS, 3),
        ({"rateLimitRate": 1}, FailureCode.HTTP_STATUS, 3),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else str(value),
)
def test_damage_that_lasts_is_an_error_after_the_right_number_of_requests(
    server: AiMock, kind: str, damage: dict[str, float], code: FailureCode, requests: int
) -> None:
    server.damage(**damage)
    answer, _ = asked(server, kind)
    server.damage()
    assert isinstance(answer, JudgeFailure)
    assert answer.code is code
    assert answer.requests == requests
