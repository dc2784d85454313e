"""The judges of OpenAI and Anthropic against a server that breaks on demand and grades its client.

Waits are real here, because the server measures them; they are fractions of a second.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.judges.preflight import Looked, preflight
from ci_judge.judges.registry import build_judge
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import (
    Answer,
    CaseQuestion,
    Decision,
    JudgeFailure,
    Question,
    ScenarioQuestion,
)
from ci_judge.model.suite import Expectation
from ci_judge.transport import Transport
from tests.fakes import a_conversation
from tests.llmock_server import LlMock, llmock
from tests.model_builders import a_criterion

PROVIDERS = ["openai", "anthropic"]
CASE = CaseQuestion(requirement="The price is 80.", evidence={"actual": 80, "city": "Zürich"})
TWO = ScenarioQuestion(
    criterion=a_criterion(),
    expectations=(Expectation(text="Is polite."), Expectation(text="Names the window.")),
    conversation=a_conversation("You have 14 days."),
)
PASS = '{"pass": true, "reason": "It is 80."}'
FAIL = '{"pass": false, "reason": "It is 79."}'
KEYS = {"OPENAI_API_KEY": "sk-test", "ANTHROPIC_API_KEY": "sk-test"}


@pytest.fixture(scope="module")
def server() -> Iterator[LlMock]:
    with llmock() as running:
        yield running


def settings(server: LlMock, provider: str, **changes: Any) -> JudgeSettings:
    values = {"provider": provider, "model": "gpt-4o", "base_url": server.base_url(provider)}
    return JudgeSettings.model_validate(values | {"retries": 2, "timeout": "20s"} | changes)


def asked(
    server: LlMock, provider: str, *questions: Question, **changes: Any
) -> Sequence[Answer | JudgeFailure]:
    """Ask all questions at once, of one judge."""

    async def ask() -> Sequence[Answer | JudgeFailure]:
        transport = Transport(connections=8)
        judge = build_judge(
            settings(server, provider, **changes),
            transport=transport,
            environment=KEYS,
            nonce=iter(f"mark{number}" for number in range(10_000, 99_999)).__next__,
        )
        try:
            return await asyncio.gather(*map(judge.judge, questions))
        finally:
            await transport.aclose()

    return asyncio.run(ask())


def reply(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "reply", "text": text, "times": None, **more}


def fail(status: int, **more: Any) -> dict[str, Any]:
    return {"type": "fail", "status": status, **more}


def verdicts(answer: Answer | JudgeFailure) -> list[bool]:
    assert isinstance(answer, Answer), answer
    return [opinion.passed for opinion in answer.opinions if isinstance(opinion, Decision)]


# --- what is said ---


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_verdict_is_what_the_server_says_with_its_counts(server: LlMock, provider: str) -> None:
    server.start_over(reply(FAIL))
    (answer,) = asked(server, provider, CASE)
    assert verdicts(answer) == [False]
    assert isinstance(answer, Answer)
    assert answer.model == "gpt-4o"
    assert (answer.usage.input_tokens or 0) > 50
    assert (answer.usage.output_tokens or 0) > 5
    (request,) = server.requests()
    assert request["provider"] == provider
    assert answer.requests == 1


def test_a_schema_is_answered_by_a_verdict_that_fits_it(server: LlMock) -> None:
    server.start_over()
    one, two = asked(server, "openai", CASE, TWO)
    assert verdicts(one) == [True]
    # The server gives the shortest list that the schema allows, which is one item too few.
    assert isinstance(two, JudgeFailure)
    assert two.message == "the reply holds 1 of 2 verdicts"


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("behaviour", "code", "says"),
    [
        (reply("not json {"), FailureCode.UNREADABLE_VERDICT, "does not hold a verdict"),
        (reply('{"pass": "false"}'), FailureCode.UNREADABLE_VERDICT, "must be true or false"),
        (reply(f"{PASS} or {FAIL}"), FailureCode.UNREADABLE_VERDICT, "disagree"),
        (reply(PASS[:20]), FailureCode.UNREADABLE_VERDICT, "not valid JSON"),
        (reply(" "), FailureCode.EMPTY, "the reply"),
        (reply(PASS, finish_reason="content_filter"), FailureCode.REFUSED, "refused"),
        (
            reply(PASS, tool_calls=[{"name": "mark", "arguments": {"pass": True}}]),
            FailureCode.UNREADABLE_VERDICT,
            "tool call ('mark')",
        ),
    ],
    ids=["prose", "text", "both", "half", "empty", "refused", "tool"],
)
def test_a_reply_without_a_verdict_is_an_error_after_one_request(
    server: LlMock, provider: str, behaviour: dict[str, Any], code: FailureCode, says: str
) -> None:
    server.start_over(behaviour)
    (answer,) = asked(server, provider, CASE)
    assert isinstance(answer, JudgeFailure), answer
    assert answer.code is code
    assert says in answer.message
    assert answer.requests == len(server.requests()) == 1
    assert (answer.usage.output_tokens or 0) > 0


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_cut_reply_is_asked_for_again_with_twice_the_room(server: LlMock, provider: str) -> None:
    server.start_over(reply(PASS[:20], finish_reason="length", times=1), reply(PASS))
    (answer,) = asked(server, provider, CASE, max_tokens=100)
    assert verdicts(answer) == [True]
    limit = "max_completion_tokens" if provider == "openai" else "max_tokens"
    assert [request["body"][limit] for request in server.requests()] == [100, 200]


# --- faults ---


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "behaviour",
    [
        fail(429, retry_after=0.3),
        fail(529, retry_after=0),
        fail(503, retry_after=0.1),
        fail(500),
        fail(408),
    ],
    ids=lambda behaviour: str(behaviour["status"]),
)
def test_a_passing_fault_costs_one_request_more_and_the_wait_that_was_asked_for(
    server: LlMock, provider: str, behaviour: dict[str, Any]
) -> None:
    server.start_over(behaviour, reply(FAIL))
    (answer,) = asked(server, provider, CASE)
    assert verdicts(answer) == [False]
    assert isinstance(answer, Answer)
    assert answer.requests == len(server.requests()) == 2
    assert server.findings() == []


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
def test_what_no_retry_can_mend_is_asked_once_and_told(
    server: LlMock, provider: str, status: int
) -> None:
    server.start_over(fail(status, times=None, message="No such luck."))
    (answer,) = asked(server, provider, CASE)
    assert isinstance(answer, JudgeFailure)
    assert answer.code is FailureCode.HTTP_STATUS
    assert answer.status == status
    assert "No such luck." in answer.message
    assert answer.requests == len(server.requests()) == 1
    assert server.findings() == []


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_lasting_fault_ends_in_an_error_after_the_retries(
    server: LlMock, provider: str, status: int
) -> None:
    server.start_over(fail(status, times=None, retry_after=0.01))
    (answer,) = asked(server, provider, CASE)
    assert isinstance(answer, JudgeFailure)
    assert answer.status == status
    assert answer.requests == len(server.requests()) == 3
    assert server.findings() == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_late_answer_is_given_up_and_asked_for_again(server: LlMock, provider: str) -> None:
    server.start_over({"type": "delay", "seconds": 2, "times": 1}, reply(PASS))
    (answer,) = asked(server, provider, CASE, timeout="500ms")
    assert verdicts(answer) == [True]
    assert isinstance(answer, Answer)
    assert answer.requests == 2

    server.start_over({"type": "delay", "seconds": 1, "times": None}, reply(PASS))
    (answer,) = asked(server, provider, CASE, timeout="50ms", retries=1)
    assert isinstance(answer, JudgeFailure)
    assert answer.code is FailureCode.TIMEOUT
    assert answer.requests == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_storm_of_faults_loses_no_verdict_and_counts_every_request(
    server: LlMock, provider: str
) -> None:
    server.start_over(
        fail(429, times=6, retry_after=0.1), fail(500, times=3), fail(529, times=3), reply(FAIL)
    )
    questions = [CaseQuestion(requirement=f"Number {n}.", evidence=n) for n in range(20)]
    answers = asked(server, provider, *questions, retries=6)
    assert [verdicts(answer) for answer in answers] == [[False]] * 20
    assert sum(answer.requests for answer in answers) == len(server.requests()) == 32
    assert server.findings() == []


# --- before anything is sent ---


def looked_at(server: LlMock, provider: str, **changes: Any) -> Looked:
    async def look() -> Looked:
        transport = Transport(connections=2)
        judge = settings(server, provider, **changes)
        try:
            return await preflight((judge,), transport=transport, environment=KEYS)
        finally:
            await transport.aclose()

    return asyncio.run(look())


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_server_that_shows_no_model_by_itself_is_no_obstacle(
    server: LlMock, provider: str
) -> None:
    server.start_over()
    assert looked_at(server, provider).requests == 1
    (request,) = server.requests()
    assert request["method"] == "GET"
    assert request["path"].endswith("/v1/models/gpt-4o")
    assert request["status"] == 404


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_busy_server_is_no_obstacle_and_not_asked_again(
    server: LlMock, provider: str, status: int
) -> None:
    server.start_over(fail(status, times=None))
    assert looked_at(server, provider).requests == len(server.requests()) == 1


@pytest.mark.parametrize(
    ("provider", "status", "message", "says"),
    [
        ("openai", 401, "Wrong key.", "does not take the key in OPENAI_API_KEY"),
        ("anthropic", 401, "invalid x-api-key", "does not take the key in ANTHROPIC_API_KEY"),
        ("openai", 404, "The model `gpt-4o` does not exist.", "has no model 'gpt-4o'"),
        ("anthropic", 404, "model: gpt-4o", "has no model 'gpt-4o'"),
    ],
)
def test_a_wrong_key_or_model_stops_everything(
    server: LlMock, provider: str, status: int, message: str, says: str
) -> None:
    server.start_over(fail(status, message=message))
    with pytest.raises(InvalidInput) as caught:
        looked_at(server, provider)
    (problem,) = caught.value.problems
    assert problem.message.startswith(f"the judge '{provider}' {says}: {server.url}")
    assert f"answered {status}" in problem.message
    assert message in problem.message
    assert len(server.requests()) == 1
