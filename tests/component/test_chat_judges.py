"""OpenAI's and Anthropic's wire, from the question to the verdict or a clear failure."""

import asyncio
import json
import math
import re
from typing import Any

import httpx
import pytest

from ci_judge.errors import InvalidInput
from ci_judge.judges.habits import Habits
from ci_judge.judges.registry import build_judge
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import (
    Answer,
    CaseQuestion,
    Decision,
    JudgeFailure,
    Likelihood,
    Question,
    ScenarioQuestion,
    Usage,
)
from ci_judge.model.suite import Expectation
from ci_judge.protocols import Judge
from ci_judge.transport import Transport
from tests.fakes import a_conversation
from tests.model_builders import a_criterion
from tests.wires import Script, Step

PASS = '{"pass": true, "reason": "States the window."}'
FAIL = '{"pass": false, "reason": "No window."}'
CASE = CaseQuestion(requirement="Is 80.", evidence={"actual": 80})
PROVIDERS = ["openai", "anthropic"]
KEYS = {"OPENAI_API_KEY": "sk-o \n", "ANTHROPIC_API_KEY": "sk-a"}


def built(provider: str, script: Script, **changes: Any) -> Judge:
    values = {"provider": provider, "model": "judge-model", "retries": 1} | changes
    nonces = iter(range(10_000, 99_999))
    return build_judge(
        JudgeSettings.model_validate(values),
        transport=script.transport(),
        environment=KEYS,
        nonce=lambda: f"mark{next(nonces)}",
    )


def judged(
    provider: str, *steps: Step, question: Question = CASE, **changes: Any
) -> tuple[Answer | JudgeFailure, Script]:
    script = Script(steps)
    judge = built(provider, script, **changes)
    return asyncio.run(judge.judge(question)), script


def chat(content: Any, finish: str | None = "stop", **message: Any) -> httpx.Response:
    logprobs = message.pop("logprobs", None)
    choice = {"message": {"role": "assistant", "content": content, **message}}
    body = {
        "model": "judge-model-2026-01-01",
        "choices": [choice | {"finish_reason": finish, "logprobs": logprobs}],
        "usage": {"prompt_tokens": 200, "completion_tokens": 40},
    }
    return httpx.Response(200, json=body, headers={"x-request-id": "req-1"})


def message(*blocks: Any, stop: str = "end_turn", **more: Any) -> httpx.Response:
    body = {
        "model": "judge-model-2026-01-01",
        "content": [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks],
        "stop_reason": stop,
        "usage": {"input_tokens": 150, "cache_read_input_tokens": 50, "output_tokens": 40},
    }
    return httpx.Response(200, json=body | more, headers={"request-id": "req-1"})


def saying(provider: str, words: str) -> httpx.Response:
    return chat(words) if provider == "openai" else message(words)


def routed(choice_error: dict[str, Any]) -> httpx.Response:
    """Give what a router passes on when the model behind it fails half-way."""
    body = json.loads(chat("", "error").content)
    body["choices"][0]["error"] = choice_error
    return httpx.Response(200, json=body)


def refusal(status: int, text: str) -> httpx.Response:
    return httpx.Response(
        status, json={"error": {"message": text, "type": "invalid_request_error"}}
    )


def decision(answer: Answer | JudgeFailure) -> Decision:
    assert isinstance(answer, Answer), answer
    (opinion,) = answer.opinions
    assert isinstance(opinion, Decision)
    return opinion


def failure(answer: Answer | JudgeFailure) -> JudgeFailure:
    assert isinstance(answer, JudgeFailure), answer
    assert "\n" not in answer.message
    return answer


# --- the plain way ---


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_verdict_comes_with_all_that_is_known_about_it(provider: str) -> None:
    answer, script = judged(provider, saying(provider, FAIL))
    assert decision(answer) == Decision(passed=False, reason="No window.")
    assert isinstance(answer, Answer)
    assert answer.model == "judge-model-2026-01-01"
    assert answer.usage == Usage(input_tokens=200, output_tokens=40)
    assert answer.request_id == "req-1"
    assert answer.requests == len(script.requests) == 1
    assert answer.raw == FAIL


def test_openai_is_asked_in_its_own_form() -> None:
    _, script = judged("openai", chat(PASS), base_url="https://judge.example/v1/")
    (request,) = script.requests
    assert str(request.url) == "https://judge.example/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-o"
    assert "api-key" not in request.headers
    (body,) = script.bodies
    assert body.keys() == {"model", "messages", "max_completion_tokens", "response_format"}
    assert [m["role"] for m in body["messages"]] == ["system", "user"]
    assert body["max_completion_tokens"] == 1024
    schema = body["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["required"] == ["pass", "reason"]


def test_azure_gets_its_version_and_its_header() -> None:
    base_url = "https://me.example/openai/deployments/d1?api-version=2024-10-21"
    _, script = judged("openai", chat(PASS), base_url=base_url)
    (request,) = script.requests
    assert request.url.path == "/openai/deployments/d1/chat/completions"
    assert request.url.params["api-version"] == "2024-10-21"
    assert request.headers["api-key"] == "sk-o"
    assert "authorization" not in request.headers


def test_azure_gets_a_short_lived_token_as_a_token() -> None:
    base_url = "https://me.openai.azure.com/openai/v1"
    _, script = judged("openai", chat(PASS), base_url=base_url, api_key="eyJ0eXAi.eyJhdWQi.c2ln")
    (request,) = script.requests
    assert request.headers["authorization"] == "Bearer eyJ0eXAi.eyJhdWQi.c2ln"
    assert "api-key" not in request.headers


def test_anthropic_is_asked_in_its_own_form() -> None:
    _, script = judged("anthropic", message(PASS), instructions="Be kind.")
    (request,) = script.requests
    assert str(request.url) == "https://api.anthropic.com/v1/messages"
    assert request.headers["x-api-key"] == "sk-a"
    assert request.headers["anthropic-version"] == "2023-06-01"
    (body,) = script.bodies
    assert body.keys() == {"model", "max_tokens", "system", "messages", "output_config"}
    assert "Be kind." in body["system"]
    assert [m["role"] for m in body["messages"]] == ["user"]
    assert body["output_config"]["format"]["type"] == "json_schema"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_temperature_is_sent_only_when_it_is_set(provider: str) -> None:
    _, script = judged(provider, saying(provider, PASS), temperature=0)
    assert script.bodies[0]["temperature"] == 0
    _, script = judged(provider, saying(provider, PASS))
    assert "temperature" not in script.bodies[0]
    assert built(provider, script).identity.temperature is None


@pytest.mark.parametrize("provider", PROVIDERS)
def test_several_expectations_are_one_request(provider: str) -> None:
    question = ScenarioQuestion(
        criterion=a_criterion(),
        expectations=(Expectation(text="Is polite."), Expectation(text="Names the window.")),
        conversation=a_conversation("Hello \ud83d."),
    )
    answer, script = judged(
        provider, saying(provider, f'{{"items": [{PASS}, {FAIL}]}}'), question=question
    )
    assert isinstance(answer, Answer)
    assert [getattr(o, "passed", None) for o in answer.opinions] == [True, False]
    (request,) = script.requests
    assert "Hello \ufffd." in request.content.decode("utf-8")
    one, _ = judged(provider, saying(provider, PASS), question=question)
    assert failure(one).code is UNREADABLE


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_request_has_a_mark_of_its_own(provider: str) -> None:
    script = Script([saying(provider, FAIL)])
    judge = built(provider, script)
    for _ in range(2):
        asyncio.run(judge.judge(CASE))
    first, second = (request.content for request in script.requests)
    assert b"<<<evidence mark10000>>>" in first
    assert b"<<<evidence mark10001>>>" in second


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_identity_names_the_prompt(provider: str) -> None:
    identity = built(provider, Script([])).identity
    assert (identity.provider, identity.model) == (provider, "judge-model")
    assert (identity.wire, identity.prompt_version) == ("boolean", "1")


def test_a_missing_key_stops_before_any_request() -> None:
    with pytest.raises(InvalidInput, match="OPENAI_API_KEY"):
        build_judge(
            JudgeSettings.model_validate({"provider": "openai", "model": "m"}),
            transport=Script([]).transport(),
            environment={},
            nonce=lambda: "x",
        )


# --- replies that are no verdict ---

CALL = {"id": "1", "function": {"name": "verdict", "arguments": PASS}}
UNREADABLE = FailureCode.UNREADABLE_VERDICT
SILENCES: dict[str, tuple[str, httpx.Response, FailureCode, str]] = {
    "refusal": ("openai", chat(None, refusal="I cannot."), FailureCode.REFUSED, "I cannot"),
    "content filter": ("openai", chat("", "content_filter"), FailureCode.REFUSED, "content_filter"),
    "tool call": ("openai", chat(None, "tool_calls", tool_calls=[CALL]),
                  UNREADABLE, "tool call ('verdict')"),
    "old function call": ("openai", chat(None, "function_call", function_call={"name": "f"}),
                          UNREADABLE, "tool call"),
    "empty": ("openai", chat(""), FailureCode.EMPTY, "empty"),
    "reasoning only": ("openai", chat("", reasoning_content=PASS), FailureCode.EMPTY, "empty"),
    "no choices": ("openai", httpx.Response(200, json={"choices": []}), FailureCode.EMPTY, "no c"),
    "error with 200": ("openai", httpx.Response(200, json={"error": {"message": "Down."}}),
                       UNREADABLE, "Down."),
    "error in a choice": (
        "openai", routed({"code": 502, "message": "Upstream is down."}), UNREADABLE, "Upstream is",
    ),
    "several choices": (
        "openai",
        httpx.Response(200, json={"choices": [{"message": {"content": t}} for t in (PASS, FAIL)]}),
        UNREADABLE, "2 choices"),
    "odd shapes": ("openai", httpx.Response(200, json={"choices": [None]}), FailureCode.EMPTY, ""),
    "no json": ("openai", httpx.Response(200, text="<html>login</html>"),
                UNREADABLE, "not JSON"),
    "a list": ("openai", httpx.Response(200, json=[]), UNREADABLE, "no JSON object"),
    "prose": ("openai", chat("I would pass on this."), UNREADABLE, "verdict"),
    "anthropic refusal": (
        "anthropic", message(stop="refusal", stop_details={"category": "cyber"}),
        FailureCode.REFUSED, "refused to answer (cyber)"),
    "thinking only": (
        "anthropic", message({"type": "thinking", "thinking": PASS}, {"type": "redacted_thinking"}),
        FailureCode.EMPTY, "thinking, redacted_thinking"),
    "tool use": (
        "anthropic", message({"type": "tool_use", "name": "verdict", "input": json.loads(PASS)}),
        UNREADABLE, "tool call ('verdict')"),
    "context": ("anthropic", message(PASS, stop="model_context_window_exceeded"),
                FailureCode.TOO_LARGE, "context"),
    "no content": ("anthropic", message(), FailureCode.EMPTY, "no text"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("provider", "reply", "code", "says"), SILENCES.values(), ids=SILENCES.keys()
)
def test_a_reply_without_a_verdict_names_its_cause_and_is_not_asked_again(
    provider: str, reply: httpx.Response, code: FailureCode, says: str
) -> None:
    answer, script = judged(provider, reply)
    assert failure(answer).code is code
    assert says in failure(answer).message
    assert failure(answer).requests == len(script.requests) == 1


def test_thinking_is_skipped_and_texts_are_joined() -> None:
    thought = {"type": "thinking", "thinking": f"At first {PASS} would do."}
    answer, _ = judged("anthropic", message(thought, {"type": "redacted_thinking"}, FAIL))
    assert decision(answer).passed is False
    answer, _ = judged("anthropic", message(PASS[:14], PASS[14:]))
    assert decision(answer).passed is True
    parts = [
        {"type": "text", "text": PASS[:14]},
        {"type": "text", "text": PASS[14:]},
        {"type": "x"},
    ]
    answer, _ = judged("openai", chat(parts))
    assert decision(answer).passed is True


# --- likelihoods ---


def weighed(words: str, p_true: float) -> httpx.Response:
    """Give a reply whose verdict stands in a token of its own, with the other word beside it."""
    before, word, after = re.split("(true|false)", words, maxsplit=1)
    listed = [
        {"token": "true", "logprob": math.log(p_true)},
        {"token": "false", "logprob": math.log(1 - p_true)},
    ]
    tokens = [
        {"token": before, "logprob": -0.1, "top_logprobs": []},
        {"token": word, "logprob": listed[word == "false"]["logprob"], "top_logprobs": listed},
        {"token": after, "logprob": -0.1, "top_logprobs": []},
    ]
    return chat(words, logprobs={"content": tokens})


def test_log_probabilities_make_a_probability_judge() -> None:
    script = Script([weighed(PASS, 0.8), weighed(FAIL, 0.3)])
    judge = built("openai", script, logprobs=True)
    assert judge.identity.wire == "probability"
    for p, reason in ((0.8, "States the window."), (0.3, "No window.")):
        answer = asyncio.run(judge.judge(CASE))
        assert isinstance(answer, Answer), answer
        (opinion,) = answer.opinions
        assert isinstance(opinion, Likelihood)
        assert opinion.probability == pytest.approx(p)
        assert opinion.reason == reason
    assert script.bodies[0]["logprobs"] is True
    assert script.bodies[0]["top_logprobs"] == 5
    assert built("openai", script).identity.wire == "boolean"


def test_without_log_probabilities_there_is_no_verdict() -> None:
    answer, script = judged("openai", chat(PASS), logprobs=True)
    assert failure(answer).code is FailureCode.UNREADABLE_VERDICT
    assert "holds no log-probabilities" in failure(answer).message
    assert len(script.requests) == 1


# --- asking better ---


def cut(provider: str) -> httpx.Response:
    return chat(None, "length") if provider == "openai" else message(PASS, stop="max_tokens")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_cut_reply_is_asked_for_once_more_with_twice_the_room(provider: str) -> None:
    limit = "max_completion_tokens" if provider == "openai" else "max_tokens"
    answer, script = judged(provider, cut(provider), saying(provider, PASS), max_tokens=100)
    assert decision(answer).passed is True
    assert [body[limit] for body in script.bodies] == [100, 200]
    assert isinstance(answer, Answer)
    assert answer.requests == 2
    assert answer.usage == Usage(input_tokens=400, output_tokens=80)

    answer, script = judged(provider, cut(provider), max_tokens=100)
    assert failure(answer).code is FailureCode.TRUNCATED
    assert "token limit" in failure(answer).message
    assert failure(answer).requests == len(script.requests) == 2


def test_the_doubled_limit_is_not_kept() -> None:
    script = Script([cut("openai"), chat(PASS)])
    judge = built("openai", script, max_tokens=100)
    for _ in range(2):
        asyncio.run(judge.judge(CASE))
    assert [body["max_completion_tokens"] for body in script.bodies] == [100, 200, 100]


@pytest.mark.parametrize(
    ("provider", "complaint", "field"),
    [
        ("openai", "response_format json_schema is not supported", "response_format"),
        ("anthropic", "output_config: Extra inputs are not permitted", "output_config"),
    ],
)
def test_a_refused_schema_is_left_out_and_remembered(
    provider: str, complaint: str, field: str
) -> None:
    script = Script([refusal(400, complaint), saying(provider, PASS)])
    judge = built(provider, script)
    for _ in range(2):
        assert decision(asyncio.run(judge.judge(CASE))).passed is True
    assert [field in body for body in script.bodies] == [True, False, False]


def test_a_server_that_knows_the_old_name_of_the_limit_alone_is_asked_with_it() -> None:
    complaint = "Unrecognized request argument supplied: max_completion_tokens"
    script = Script([refusal(400, complaint), chat(PASS)])
    judge = built("openai", script)
    for _ in range(2):
        assert decision(asyncio.run(judge.judge(CASE))).passed is True
    assert ["max_tokens" in body for body in script.bodies] == [False, True, True]
    assert ["max_completion_tokens" in body for body in script.bodies] == [True, False, False]


def test_judges_of_one_server_and_model_share_what_it_does_not_take() -> None:
    complaints = [refusal(400, "response_format?"), refusal(400, "max_completion_tokens?")]
    script = Script([*complaints, chat(PASS)])
    habits, transport = Habits(), script.transport()
    for model in ("judge-model", "judge-model", "another"):
        judge = build_judge(
            JudgeSettings.model_validate({"provider": "openai", "model": model}),
            transport=transport,
            environment=KEYS,
            nonce=lambda: "mark12345678",
            habits=habits,
        )
        assert decision(asyncio.run(judge.judge(CASE))).passed is True
    assert ["response_format" in body for body in script.bodies] == [True, *[False] * 3, True]
    assert ["max_tokens" in body for body in script.bodies] == [False, False, True, True, False]


def test_questions_at_the_same_time_learn_from_each_other() -> None:
    bodies: list[dict[str, Any]] = []

    def picky(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        bodies.append(body)
        if "max_completion_tokens" in body:
            return refusal(400, "max_completion_tokens?")
        return refusal(400, "response_format?") if "response_format" in body else chat(PASS)

    judge = build_judge(
        JudgeSettings.model_validate({"provider": "openai", "model": "judge-model"}),
        transport=Transport(http_transport_factory=lambda: httpx.MockTransport(picky)),
        environment=KEYS,
        nonce=lambda: "mark12345678",
    )

    async def ask_all() -> list[Answer | JudgeFailure]:
        return await asyncio.gather(*(judge.judge(CASE) for _ in range(5)))

    assert all(decision(answer).passed for answer in asyncio.run(ask_all()))
    asked = len(bodies)
    assert 7 <= asked <= 15
    assert decision(asyncio.run(judge.judge(CASE))).passed is True
    assert len(bodies) == asked + 1


def test_a_server_that_refuses_everything_is_asked_a_bounded_number_of_times() -> None:
    answer, script = judged("openai", refusal(400, "max_tokens and response_format: no"))
    assert failure(answer).code is FailureCode.HTTP_STATUS
    assert failure(answer).requests == len(script.requests) == 3


def test_refused_log_probabilities_are_final_and_say_what_to_do() -> None:
    complaint = "logprobs are not supported with this model"
    answer, script = judged("openai", refusal(400, complaint), logprobs=True)
    assert complaint in failure(answer).message
    assert "unset judge.logprobs" in failure(answer).message
    assert len(script.requests) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refused_temperature_is_final_and_says_what_to_do(provider: str) -> None:
    complaint = "Unsupported value: 'temperature' does not support 0."
    answer, script = judged(provider, refusal(400, complaint), temperature=0)
    assert complaint in failure(answer).message
    assert "unset judge.temperature" in failure(answer).message
    assert len(script.requests) == 1


# --- servers in trouble ---


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_final_status_is_one_sentence_with_the_address(status: int) -> None:
    answer, script = judged("openai", refusal(status, "No such thing."))
    assert failure(answer).code is FailureCode.HTTP_STATUS
    assert failure(answer).status == status
    said = f"https://api.openai.com/v1/chat/completions answered {status}: "
    assert failure(answer).message.startswith(f"{said}invalid_request_error: No such thing.")
    assert "sk-o" not in failure(answer).message
    assert len(script.requests) == 1


def test_an_overloaded_server_is_asked_again_and_each_request_is_counted() -> None:
    busy = httpx.Response(529, json={"error": {"type": "overloaded_error", "message": "Busy"}})
    answer, script = judged("anthropic", busy, message(PASS))
    assert decision(answer).passed is True
    assert isinstance(answer, Answer)
    assert answer.requests == len(script.requests) == 2
    assert answer.usage.input_tokens == 200


def test_a_wait_beyond_measure_is_named() -> None:
    busy = httpx.Response(429, json={}, headers={"retry-after": "9999999999"})
    answer, script = judged("openai", busy)
    assert "9999999999" in failure(answer).message
    assert failure(answer).requests == 2
    assert script.time.slept == [30.0]


def test_a_redirect_is_not_followed_and_named() -> None:
    moved = httpx.Response(307, headers={"location": "https://elsewhere.example/x"})
    answer, script = judged("openai", moved)
    assert failure(answer).code is FailureCode.REDIRECT
    assert "https://elsewhere.example/x" in failure(answer).message
    assert len(script.requests) == 1


def test_a_judge_that_is_not_reached_is_a_transport_failure() -> None:
    answer, _ = judged("openai", httpx.ReadTimeout("late"))
    assert failure(answer).code is FailureCode.TIMEOUT
    assert failure(answer).message.startswith("the judge was not reached: api.openai.com:443")
    assert failure(answer).requests == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_pinned_prompt_is_the_one_that_is_sent_and_named(provider: str) -> None:
    judge = built(provider, Script([]), prompt_version="1")
    assert judge.identity.prompt_version == "1"
