"""The judges of OpenAI and Anthropic against a real model: few requests, the wire alone.

Nobody could say beforehand what the model says, so nothing depends on it.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from ci_judge.judges.preflight import preflight
from ci_judge.judges.registry import build_judge
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import Answer, CaseQuestion, Decision, JudgeFailure, Likelihood
from ci_judge.transport import Transport
from tests.llama_server import llama

CASE = CaseQuestion(requirement="The price is 80.", evidence={"actual": 80})


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with llama() as url:
        yield url


def asked(base_url: str, provider: str, **changes: Any) -> Answer | JudgeFailure:
    values = {"provider": provider, "model": "smollm2", "base_url": base_url, "temperature": 0}

    async def ask() -> Answer | JudgeFailure:
        transport = Transport(connections=1)
        judge = build_judge(
            JudgeSettings.model_validate(values | {"max_tokens": 100, "retries": 0} | changes),
            transport=transport,
            environment={},
            nonce=lambda: "the-same-in-every-request",  # the server knows the prompt by then
        )
        try:
            return await judge.judge(CASE)
        finally:
            await transport.aclose()

    return asyncio.run(ask())


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_model_s_verdict_is_read_with_its_counts(base_url: str, provider: str) -> None:
    answer = asked(base_url, provider)
    assert isinstance(answer, Answer), answer
    (opinion,) = answer.opinions
    assert isinstance(opinion, Decision)
    assert answer.model == "smollm2"
    assert 100 < (answer.usage.input_tokens or 0) < 3_000
    assert 5 < (answer.usage.output_tokens or 0) <= 100


def test_the_likelihood_comes_from_the_model(base_url: str) -> None:
    answer = asked(base_url, "openai", logprobs=True)
    assert isinstance(answer, Answer), answer
    (opinion,) = answer.opinions
    assert isinstance(opinion, Likelihood)
    assert 0 < opinion.probability < 1


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_reply_that_does_not_fit_is_cut_and_said_to_be(base_url: str, provider: str) -> None:
    answer = asked(base_url, provider, max_tokens=2)
    assert isinstance(answer, JudgeFailure), answer
    assert answer.code is FailureCode.TRUNCATED
    assert answer.requests == 2
    assert answer.usage.output_tokens == 2 + 4


def test_the_server_is_no_obstacle_to_a_look(base_url: str) -> None:
    async def look() -> int:
        transport = Transport(connections=1)
        values = {"provider": "openai", "model": "smollm2", "base_url": base_url}
        judge = JudgeSettings.model_validate(values)
        try:
            return (await preflight((judge,), transport=transport, environment={})).requests
        finally:
            await transport.aclose()

    assert asyncio.run(look()) == 1
