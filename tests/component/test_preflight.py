"""The look at a judge before anything is spent: what stops a run, and what does not."""

import asyncio
from typing import Any, ClassVar

import httpx
import pytest

from ci_judge.errors import CannotStart, CiJudgeError, InvalidInput
from ci_judge.judges.preflight import Looked, preflight
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.judging import Usage
from ci_judge.transport import Cookies, HttpReply, HttpRequest, RetryPolicy, Transport
from tests.wires import Script, Step

KEYS = {"OPENAI_API_KEY": "sk-o", "ANTHROPIC_API_KEY": "sk-a", "TYPESAFE_API_KEY": "sk-t"}
MODELS = {"openai": "gpt-x", "anthropic": "claude-x", "systemone": "jev-1.13.0"}
FREE = Looked(requests=1, usage=Usage(input_tokens=0, output_tokens=0))


def judge(provider: str = "openai", **changes: Any) -> JudgeSettings:
    return JudgeSettings.model_validate(
        {"provider": provider, "model": MODELS.get(provider)} | changes
    )


def looked(*judges: JudgeSettings, steps: tuple[Step, ...]) -> tuple[Looked, Script]:
    script = Script(steps)
    transport = script.transport()
    return asyncio.run(preflight(judges, transport=transport, environment=KEYS)), script


def stopped(*judges: JudgeSettings, steps: tuple[Step, ...]) -> tuple[CiJudgeError, Script]:
    script = Script(steps)
    with pytest.raises(CiJudgeError) as caught:
        asyncio.run(preflight(judges, transport=script.transport(), environment=KEYS))
    assert all("\n" not in str(problem) for problem in caught.value.problems)
    return caught.value, script


def answer(status: int, message: str = "", **more: str) -> httpx.Response:
    return httpx.Response(status, json={"error": {"message": message} | more})


DECISION = httpx.Response(
    200,
    json={
        "model": "jev-1.13.0",
        "answers": {"passes": {"type": "noul", "noul": 0.9}},
        "usage": {"input_tokens": 31, "output_tokens": 1},
    },
)


@pytest.mark.parametrize(
    ("provider", "changes", "url"),
    [
        ("openai", {}, "https://api.openai.com/v1/models/gpt-x"),
        ("openai", {"base_url": "https://j.example"}, "https://j.example/v1/models/gpt-x"),
        (
            "openai",
            {"base_url": "https://j.example/api/v1/chat/completions", "model": "a/b:free"},
            "https://j.example/api/v1/models/a%2Fb:free",
        ),
        (
            "openai",
            {"base_url": "https://me.openai.azure.com/openai/deployments/d?api-version=1"},
            "https://me.openai.azure.com/openai/deployments/d/models/gpt-x?api-version=1",
        ),
        ("anthropic", {}, "https://api.anthropic.com/v1/models/claude-x"),
        (
            "anthropic",
            {"base_url": "https://j.example/anthropic/v1/messages"},
            "https://j.example/anthropic/v1/models/claude-x",
        ),
    ],
)
def test_the_model_is_looked_up_for_nothing(
    provider: str, changes: dict[str, Any], url: str
) -> None:
    found, script = looked(judge(provider, **changes), steps=(httpx.Response(200, json={}),))
    assert found == FREE
    (request,) = script.requests
    assert request.method == "GET"
    assert str(request.url) == url
    assert "sk-" in " ".join(request.headers.values())


def test_a_decision_service_is_asked_a_tiny_question_that_is_counted() -> None:
    found, script = looked(judge("systemone"), steps=(DECISION,))
    usage = Usage(input_tokens=31, output_tokens=1)
    assert found == Looked(requests=1, usage=usage, cost_usd=31 * 0.042 / 1_000_000)
    (body,) = script.bodies
    assert body["model"] == "jev-1.13.0"
    assert len(script.requests[0].content) < 500


@pytest.mark.parametrize(
    ("provider", "reply", "says"),
    [
        ("openai", answer(401, "Incorrect API key provided."), "the key in OPENAI_API_KEY: "),
        ("anthropic", answer(401, "invalid x-api-key"), "the key in ANTHROPIC_API_KEY: "),
        ("systemone", answer(403, "Must supply an API key!"), "the key in TYPESAFE_API_KEY: "),
        ("openai", answer(404, "The model `gpt-x` does not exist."), "has no model 'gpt-x': "),
        ("openai", answer(404, 'model "GPT-X" not found, try pulling it first'), "no model"),
        ("anthropic", answer(404, "model: claude-x"), "has no model 'claude-x': "),
        ("systemone", answer(400, "Unknown model: jev-1.13.0"), "has no model 'jev-1.13.0': "),
    ],
)
def test_a_refused_key_or_model_is_invalid_input(
    provider: str, reply: httpx.Response, says: str
) -> None:
    error, script = stopped(judge(provider), steps=(reply,))
    assert isinstance(error, InvalidInput)
    (problem,) = error.problems
    assert problem.message.startswith(f"the judge '{provider}' ")
    assert says in problem.message
    assert problem.hint == "judge.preflight: false leaves this look out"
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        answer(403, "You have insufficient permissions. Missing scopes: api.model.read"),
        answer(404, "Not Found"),
        answer(404, "No route /v1/models/gpt-x"),
        answer(404, "Cannot GET /v1/models/gpt-x"),
        answer(404, "gpt-x-mini is not here"),
        answer(400, "Bad request"),
        answer(405, "Method not allowed"),
        answer(429, "Slow down"),
        answer(500, "Oops"),
        answer(529, "Busy"),
        httpx.Response(301, headers={"location": "https://elsewhere.example/"}),
        httpx.Response(200, text="<html>hello</html>"),
        httpx.ReadError("reset"),
    ],
    ids=lambda reply: str(getattr(reply, "status_code", "closed")),
)
def test_what_says_nothing_for_certain_is_no_obstacle(reply: Step) -> None:
    found, script = looked(judge(), steps=(reply,))
    assert found == FREE
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    ("fault", "requests", "says"),
    [
        (httpx.ConnectError("refused"), 4, "the judge was not reached: could not connect to"),
        (httpx.ReadTimeout("late"), 1, "the judge was not reached: api.openai.com:443 gave no"),
    ],
)
def test_a_judge_that_is_not_there_cannot_be_started_with(
    fault: Exception, requests: int, says: str
) -> None:
    error, script = stopped(judge(), steps=(fault,))
    assert isinstance(error, CannotStart)
    assert error.problems[0].message.startswith(says)
    assert len(script.requests) == requests
    error, script = stopped(judge(retries=0), steps=(fault,))
    assert len(script.requests) == 1


def test_a_judge_that_comes_a_moment_later_is_there() -> None:
    steps = (httpx.ConnectError("x"), httpx.ConnectError("x"), httpx.Response(200, json={}))
    found, script = looked(judge(), steps=steps)
    assert found.requests == 2
    assert len(script.requests) == 3


class Noting(Transport):
    """Answers everything and keeps how long it would have waited."""

    waits: ClassVar[list[float]] = []

    async def send(
        self, request: HttpRequest, *, retry: RetryPolicy, cookies: Cookies | None = None
    ) -> HttpReply:
        del retry, cookies
        self.waits.append(request.timeout_seconds)
        return HttpReply(status=200, headers={}, body=b"{}", latency_seconds=0.0)


def test_a_slow_answer_is_not_waited_for_as_long_as_a_judgement() -> None:
    judges = (judge(timeout="10m"), judge("anthropic", timeout="3s"))
    asyncio.run(preflight(judges, transport=Noting(), environment=KEYS))
    assert sorted(Noting.waits) == [3, 15]


def test_every_judge_of_a_panel_is_looked_at_once_and_every_problem_told() -> None:
    members = (
        judge(),
        judge(instructions="Be strict."),
        judge("anthropic"),
        judge("anthropic", preflight=False, model="other"),
        judge("stub"),
    )
    found, script = looked(*members, steps=(httpx.Response(200, json={}),))
    assert found.requests == 2
    assert {request.url.host for request in script.requests} == {
        "api.openai.com",
        "api.anthropic.com",
    }
    error, _ = stopped(*members, steps=(answer(401, "No."),))
    assert len(error.problems) == 2
    error, _ = stopped(*members, steps=(answer(401, "No."), httpx.ConnectError("refused")))
    assert isinstance(error, InvalidInput)
    assert len(error.problems) == 2


def test_nobody_is_looked_at_where_that_is_switched_off() -> None:
    assert looked(judge(preflight=False), judge("stub"), steps=())[0] == Looked()
