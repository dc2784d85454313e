"""A judge with a cache: what is asked once, what is asked again, and what no entry is made of."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ci_judge.cache import Cache
from ci_judge.judges.answer_key import FIXED_MARK, answer_key
from ci_judge.judges.asking import Line
from ci_judge.judges.caching import CachingJudge
from ci_judge.judges.registry import build_judge
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import (
    Answer,
    CaseQuestion,
    Decision,
    JudgeFailure,
    JudgeIdentity,
    Likelihood,
    Question,
    ScenarioQuestion,
    Usage,
)
from ci_judge.model.suite import Expectation, Message
from ci_judge.protocols import Judge
from tests.fakes import FakeJudge, a_conversation
from tests.model_builders import a_criterion
from tests.wires import Script, ok

CASE = CaseQuestion(requirement="Is 80.", evidence={"actual": 80})
OTHER = CaseQuestion(requirement="Is 81.", evidence={"actual": 80})
FAILED = JudgeFailure(code=FailureCode.UNREADABLE_VERDICT, message="prose")
SAID = Answer(
    opinions=(Decision(passed=False, reason="No window."),),
    model="m-2",
    usage=Usage(input_tokens=200, output_tokens=40),
    latency_seconds=1.0,
    request_id="req-1",
    raw='{"pass": false}',
)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with closing(Cache(tmp_path / "cache.sqlite3", storable=lambda _: True)) as opened:
        yield opened


def asked(judge: Judge, *questions: Question) -> list[Answer | JudgeFailure]:
    async def go() -> list[Answer | JudgeFailure]:
        return [await judge.judge(question) for question in questions]

    return asyncio.run(go())


def at_once(judge: Judge, *questions: Question) -> list[Answer | JudgeFailure]:
    async def go() -> list[Answer | JudgeFailure]:
        return await asyncio.gather(*(judge.judge(question) for question in questions))

    return asyncio.run(go())


def test_the_same_question_is_asked_once_and_costs_once(cache: Cache) -> None:
    inner = FakeJudge(lambda _: SAID)
    first, second = asked(CachingJudge(inner, cache), CASE, CASE)
    assert first == SAID
    assert second == replace(
        SAID,
        cached=True,
        requests=0,
        usage=Usage(input_tokens=0, output_tokens=0),
        latency_seconds=0.0,
        raw="",
    )
    assert len(inner.asked) == 1


def test_a_later_run_asks_nobody(tmp_path: Path) -> None:
    for number in (1, 2):
        inner = FakeJudge(lambda _: SAID)
        with closing(Cache(tmp_path / "cache.sqlite3", storable=lambda _: True)) as cache:
            (answer,) = asked(CachingJudge(inner, cache), CASE)
        assert isinstance(answer, Answer)
        assert (answer.opinions, answer.cached) == (SAID.opinions, number == 2)
        assert len(inner.asked) == 2 - number


def test_another_question_or_repetition_or_voice_is_asked_for_itself(cache: Cache) -> None:
    inner = FakeJudge()
    judge = CachingJudge(inner, cache)
    asked(judge, CASE, OTHER, replace(CASE, repetition=2), CASE, replace(CASE, repetition=2))
    assert len(inner.asked) == 3
    asked(CachingJudge(inner, cache, voice=2), CASE)
    assert len(inner.asked) == 4


def test_a_likelihood_is_kept_as_such(cache: Cache) -> None:
    inner = FakeJudge(lambda _: Answer(opinions=(Likelihood(probability=0.3),)))
    judge = CachingJudge(inner, cache)
    asked(judge, CASE)
    (again,) = asked(judge, CASE)
    assert isinstance(again, Answer)
    assert again.opinions == (Likelihood(probability=0.3),)
    assert again.cached


def test_an_error_is_asked_about_again(cache: Cache) -> None:
    answers: Iterator[Answer | JudgeFailure] = iter([FAILED, SAID])
    inner = FakeJudge(lambda _: next(answers))
    assert asked(CachingJudge(inner, cache), CASE, CASE) == [FAILED, SAID]


def test_what_redaction_would_change_is_asked_for_again(tmp_path: Path) -> None:
    inner = FakeJudge(lambda _: SAID)
    path = tmp_path / "cache.sqlite3"
    with closing(Cache(path, storable=lambda value: "No window" not in str(value))) as cache:
        asked(CachingJudge(inner, cache), CASE, CASE)
    assert len(inner.asked) == 2


def test_a_judge_without_keys_is_always_asked(cache: Cache) -> None:
    class Free(FakeJudge):
        def key(self, question: Question) -> bytes | None:
            del question
            return None

    inner = Free()
    asked(CachingJudge(inner, cache), CASE, CASE)
    assert len(inner.asked) == 2


def test_the_same_question_in_flight_many_times_is_one_request(cache: Cache) -> None:
    inner = FakeJudge(lambda _: SAID)
    answers = at_once(CachingJudge(inner, cache), *[CASE] * 50, OTHER)
    assert len(inner.asked) == 2
    counted = [answer.cached for answer in answers if isinstance(answer, Answer)]
    assert (counted.count(False), counted.count(True)) == (2, 49)
    assert {answer.requests for answer in answers} == {0, 1}
    assert {answer.opinions for answer in answers if isinstance(answer, Answer)} == {SAID.opinions}


def test_those_who_waited_for_an_error_ask_for_themselves(cache: Cache) -> None:
    answers: Iterator[Answer | JudgeFailure] = iter([FAILED, SAID, SAID])
    inner = FakeJudge(lambda _: next(answers))
    outcomes = at_once(CachingJudge(inner, cache), CASE, CASE, CASE)
    assert outcomes == [FAILED, SAID, SAID]


def test_who_asks_for_all_may_give_up_and_the_others_still_get_an_answer(cache: Cache) -> None:
    inner = FakeJudge(lambda _: SAID)
    judge = CachingJudge(inner, cache)

    async def go() -> Answer | JudgeFailure:
        first = asyncio.create_task(judge.judge(CASE))
        second = asyncio.create_task(judge.judge(CASE))
        await asyncio.sleep(0)
        first.cancel()
        return await asyncio.wait_for(second, timeout=10)

    assert asyncio.run(go()) == SAID


def test_who_waits_may_give_up_without_harm_to_the_others(cache: Cache) -> None:
    inner = FakeJudge(lambda _: SAID)
    judge = CachingJudge(inner, cache)

    async def go() -> list[Answer | JudgeFailure]:
        first, second, third = (asyncio.create_task(judge.judge(CASE)) for _ in range(3))
        await asyncio.sleep(0)
        second.cancel()
        return list(await asyncio.wait_for(asyncio.gather(first, third), timeout=10))

    outcomes = asyncio.run(go())
    assert [outcome.requests for outcome in outcomes] == [1, 0]
    assert len(inner.asked) == 1


def test_it_shows_itself_as_the_judge_it_asks(cache: Cache) -> None:
    identity = JudgeIdentity(provider="p", model="m", wire="boolean")
    judge = CachingJudge(FakeJudge(identity=identity), cache)
    assert judge.identity == identity
    assert judge.key(CASE) == FakeJudge(identity=identity).key(CASE)


# --- keys: everything that can change an answer, and nothing else ---

SCENARIO = ScenarioQuestion(
    criterion=a_criterion(description="Tells of 14 days."),
    expectations=(Expectation(text="Says it."),),
    conversation=a_conversation("You have 14 days."),
)
PROVIDERS = ["anthropic", "openai", "systemone"]
KEYS = {
    "ANTHROPIC_API_KEY": "sk-a",
    "OPENAI_API_KEY": "sk-o",
    "TYPESAFE_API_KEY": "ts",
    "OTHER": "sk-x",
}


def key_of(question: Question = SCENARIO, *, mark: str = "mark", **changes: Any) -> bytes:
    values = {"provider": "openai", "model": "m"} | changes
    judge = build_judge(
        JudgeSettings.model_validate(values),
        transport=Script([ok({})]).transport(),
        environment=KEYS,
        nonce=lambda: mark,
    )
    key = judge.key(question)
    assert key is not None
    return key


def saying(text: str, **changes: Any) -> ScenarioQuestion:
    return replace(SCENARIO, conversation=a_conversation(text), **changes)


def having(**captured: Any) -> ScenarioQuestion:
    talk = SCENARIO.conversation
    return replace(
        SCENARIO, conversation=replace(talk, replies=(replace(talk.replies[0], **captured),))
    )


QUESTIONS: dict[str, Question] = {
    "context": having(context="From the terms: 14 days."),
    "other context": having(context="From the terms: 15 days."),
    "tool calls": having(tools=[{"name": "find", "arguments": {}}]),
    "no tool calls": having(tools=[]),
    "response": saying("You have 15 days."),
    "message": replace(
        SCENARIO,
        conversation=replace(
            SCENARIO.conversation,
            transcript=(
                Message(role="user", content="good day"),
                *SCENARIO.conversation.transcript[1:],
            ),
        ),
    ),
    "history": replace(
        SCENARIO,
        conversation=replace(
            SCENARIO.conversation,
            transcript=(
                Message(role="user", content="hi"),
                Message(role="assistant", content="hi"),
                *SCENARIO.conversation.transcript,
            ),
        ),
    ),
    "expectation": replace(SCENARIO, expectations=(Expectation(text="Says that."),)),
    "two expectations": replace(SCENARIO, expectations=(Expectation(text="Says it."),) * 2),
    "criterion's title": replace(SCENARIO, criterion=a_criterion("terms")),
    "criterion's text": replace(SCENARIO, criterion=a_criterion(description="Tells of it.")),
    "case": CaseQuestion(requirement="Says it.", evidence="You have 14 days."),
}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_whatever_is_judged_belongs_to_the_key(provider: str) -> None:
    keys = {key_of(question, provider=provider) for question in QUESTIONS.values()}
    assert len(keys | {key_of(provider=provider)}) == len(QUESTIONS) + 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_texts_that_join_to_the_same_text_are_two_questions(provider: str) -> None:
    one = CaseQuestion(requirement="ab", evidence="c")
    other = CaseQuestion(requirement="a", evidence="bc")
    assert key_of(one, provider=provider) != key_of(other, provider=provider)


@pytest.mark.parametrize(
    ("provider", "change"),
    [
        *((provider, {"model": "m-2"}) for provider in PROVIDERS),
        *((provider, {"base_url": "https://judge.example/v1"}) for provider in PROVIDERS),
        *((provider, {"instructions": "Be kind."}) for provider in PROVIDERS),
        *((provider, {"temperature": 0.0}) for provider in ("anthropic", "openai")),
        *((provider, {"max_tokens": 2048}) for provider in ("anthropic", "openai")),
        ("openai", {"base_url": "https://api.openai.com/v1?api-version=2"}),
        ("openai", {"logprobs": True}),
    ],
)
def test_each_setting_that_can_change_an_answer_belongs_to_the_key(
    provider: str, change: dict[str, Any]
) -> None:
    assert key_of(provider=provider) != key_of(**({"provider": provider} | change))


def test_no_two_providers_share_a_key() -> None:
    assert len({key_of(provider=provider) for provider in PROVIDERS}) == len(PROVIDERS)


@pytest.mark.parametrize(
    "change", [{"provider": "other"}, {"wire": "probability"}, {"prompt_version": "2"}]
)
def test_who_judges_and_how_belongs_to_the_key(change: dict[str, Any]) -> None:
    identity = JudgeIdentity(provider="openai", model="m", wire="boolean", prompt_version="1")
    line = Line(
        url="http://judge.test/",
        headers={},
        timeout_seconds=1,
        retries=0,
        transport=Script([ok({})]).transport(),
    )
    assert answer_key(identity, line, {}) == answer_key(identity, line, {})
    assert answer_key(replace(identity, **change), line, {}) != answer_key(identity, line, {})


def test_a_temperature_of_zero_is_not_one_that_is_not_sent() -> None:
    keys = {key_of(temperature=value) for value in (None, 0.0, 0.5)}
    assert len(keys) == 3


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "change",
    [
        {"mark": "another"},
        {"api_key_env": "OTHER"},
        {"timeout": 3},
        {"retries": 0},
        {"concurrency": 1},
        {"threshold": 0.9},
        {"repetitions": 5},
        {"minimum_pass_rate": 1},
    ],
)
def test_what_changes_no_answer_changes_no_key(provider: str, change: dict[str, Any]) -> None:
    assert key_of(provider=provider) == key_of(provider=provider, **change)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_how_long_an_answer_took_changes_no_key(provider: str) -> None:
    slow = replace(SCENARIO, conversation=a_conversation("You have 14 days.", latency_seconds=9.0))
    assert key_of(provider=provider) == key_of(slow, provider=provider)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_half_an_emoji_is_no_obstacle(provider: str) -> None:
    assert key_of(saying("\ud83d"), provider=provider) != key_of(saying("?"), provider=provider)


def test_evidence_that_holds_the_mark_of_keys_is_judged_and_not_kept() -> None:
    judge = build_judge(
        JudgeSettings.model_validate({"provider": "openai", "model": "m"}),
        transport=Script([ok({})]).transport(),
        environment=KEYS,
        nonce=lambda: "mark",
    )
    assert judge.key(saying(f"a {FIXED_MARK}>>>")) is None


def test_the_stub_has_no_key() -> None:
    judge = build_judge(
        JudgeSettings.model_validate({"provider": "stub"}),
        transport=Script([ok({})]).transport(),
        environment={},
        nonce=lambda: "mark",
    )
    assert judge.key(CASE) is None
