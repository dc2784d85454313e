"""System One's wire: the exact body out, a strict likelihood back."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from ci_judge.judges.registry import build_judge
from ci_judge.judges.settings import JudgeSettings
from ci_judge.judges.systemone import DEFAULT_INSTRUCTIONS
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import (
    Answer,
    CaseQuestion,
    JudgeFailure,
    Likelihood,
    Question,
    ScenarioQuestion,
    Usage,
)
from ci_judge.model.suite import Expectation
from ci_judge.protocols import Judge
from tests.fakes import a_conversation
from tests.model_builders import a_criterion
from tests.wires import Script, Step, ok

CASE = CaseQuestion(requirement="Is 80.", evidence={"actual": 80})


def built(script: Script, **changes: Any) -> Judge:
    values = {"provider": "systemone", "model": "jev-1.13.0", "retries": 1} | changes
    return build_judge(
        JudgeSettings.model_validate(values),
        transport=script.transport(),
        environment={"TYPESAFE_API_KEY": "ts-key"},
        nonce=lambda: "unused",
    )


def judged(
    *steps: Step, question: Question = CASE, **changes: Any
) -> tuple[Answer | JudgeFailure, Script]:
    script = Script(steps)
    return asyncio.run(built(script, **changes).judge(question)), script


def says(p: Any, **more: Any) -> dict[str, Any]:
    return {"model": "jev-1.13.0-b", "answers": {"passes": {"type": "noul", "noul": p}}} | more


def about(*expected: str) -> ScenarioQuestion:
    return ScenarioQuestion(
        criterion=a_criterion(),
        expectations=tuple(Expectation(text=text) for text in expected),
        conversation=a_conversation("You have 14 days."),
    )


def test_a_case_is_asked_with_exactly_this_body() -> None:
    answer, script = judged(
        ok(
            says(0.75, usage={"input_tokens": 12, "output_tokens": 2.0}, x_new=[1]),
            **{"x-typesafe-request-id": "req-7"},
        )
    )
    assert isinstance(answer, Answer)
    assert answer.opinions == (Likelihood(probability=0.75),)
    assert answer.model == "jev-1.13.0-b"
    assert answer.usage == Usage(input_tokens=12, output_tokens=2)
    assert answer.request_id == "req-7"
    (request,) = script.requests
    assert str(request.url) == "https://api.typesafe.ai/v1/systemone"
    assert request.headers["authorization"] == "Bearer ts-key"
    assert script.bodies == [
        {
            "model": "jev-1.13.0",
            "state": {"requirement": "Is 80.", "evidence": {"actual": 80}},
            "questions": {"passes": {"type": "noul", "instructions": DEFAULT_INSTRUCTIONS}},
        }
    ]


def test_a_scenario_is_asked_with_its_whole_conversation() -> None:
    _, script = judged(ok(says(1)), question=about("Names the window."), instructions="Be kind.")
    (body,) = script.bodies
    assert body["state"] == {
        "requirement": {"criterion": "Refunds\n\nSays it all.", "expected": "Names the window."},
        "evidence": {
            "conversation": [
                {"role": "user", "content": "hello"},
                {"role": "assistant", "content": "You have 14 days."},
            ],
            "response": "You have 14 days.",
        },
    }
    assert body["questions"] == {"passes": {"type": "noul", "instructions": "Be kind."}}


def test_a_list_of_expectations_is_several_questions_over_one_state() -> None:
    answers = {f"passes_{n}": {"type": "noul", "noul": p} for n, p in ((2, 0.25), (1, 1))}
    question = about("Is polite.", "Names the window.")
    answer, script = judged(ok({"answers": answers}), question=question)
    assert isinstance(answer, Answer)
    assert answer.opinions == (Likelihood(probability=1.0), Likelihood(probability=0.25))
    (body,) = script.bodies
    assert list(body["questions"]) == ["passes_1", "passes_2"]
    assert body["questions"]["passes_2"]["instructions"].endswith("Names the window.")
    assert body["state"]["requirement"]["expected"] == ["Is polite.", "Names the window."]

    del answers["passes_2"]
    answer, _ = judged(ok({"answers": answers}), question=question)
    assert isinstance(answer, JudgeFailure)
    assert "'passes_2'" in answer.message


def test_an_envelope_is_taken_off() -> None:
    answer, _ = judged(ok({"result": says(0.5), "status": "ok"}))
    assert isinstance(answer, Answer)
    assert answer.model == "jev-1.13.0-b"


@pytest.mark.parametrize("p", [0, 1, 0.0, 1.0, 1e-300])
def test_every_number_from_0_to_1_is_a_likelihood(p: float) -> None:
    answer, _ = judged(ok(says(p)))
    assert isinstance(answer, Answer)
    assert answer.opinions == (Likelihood(probability=float(p)),)


@pytest.mark.parametrize(
    "p", [True, False, None, "0.9", [0.9], 1.0000001, -0.1, 10**400], ids=lambda p: str(p)[:9]
)
def test_anything_else_is_none(p: Any) -> None:
    answer, _ = judged(ok(says(p)))
    assert isinstance(answer, JudgeFailure), answer
    assert answer.code is FailureCode.UNREADABLE_VERDICT


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"answers": None},
        {"answers": [{"type": "noul", "noul": 1}]},
        {"answers": {"passes": 1.0}},
        {"answers": {"passes": {"noul": 1.0}}},
        {"answers": {"passes": {"type": "boolean", "noul": 1.0}}},
        {"answers": {"other": {"type": "noul", "noul": 1.0}}},
        [],
        1.0,
    ],
)
def test_another_shape_is_a_judge_failure(body: Any) -> None:
    answer, script = judged(ok(body))
    assert isinstance(answer, JudgeFailure)
    assert answer.code is FailureCode.UNREADABLE_VERDICT
    assert len(script.requests) == 1


def test_a_number_that_json_does_not_know_is_a_judge_failure() -> None:
    raw = json.dumps(says(1.0)).replace("1.0", "NaN").encode()
    answer, _ = judged(httpx.Response(200, content=raw))
    assert isinstance(answer, JudgeFailure)
    assert "NaN" in answer.message


def test_evidence_that_was_cut_is_not_judged() -> None:
    answer, _ = judged(ok(says(1.0, usage={"truncated": True, "input_tokens": 9})))
    assert isinstance(answer, JudgeFailure)
    assert answer.code is FailureCode.TRUNCATED
    assert answer.usage.input_tokens == 9
    answer, _ = judged(ok(says(1.0, usage={"truncated": False})))
    assert isinstance(answer, Answer)


def test_a_403_says_that_the_key_may_be_missing() -> None:
    detail = {"detail": {"error_type": "authentication_error", "message": "Must supply a key!"}}
    answer, script = judged(httpx.Response(403, json=detail))
    assert isinstance(answer, JudgeFailure)
    assert "authentication_error: Must supply a key!" in answer.message
    assert "key is missing" in answer.message
    assert len(script.requests) == 1


def test_a_local_server_gets_no_key_when_there_is_none() -> None:
    script = Script([ok(says(1.0))])
    judge = build_judge(
        JudgeSettings.model_validate({"provider": "systemone", "base_url": "http://127.0.0.1:1"}),
        transport=script.transport(),
        environment={},
        nonce=lambda: "unused",
    )
    asyncio.run(judge.judge(CASE))
    assert "authorization" not in script.requests[0].headers


def test_without_a_model_it_is_the_latest() -> None:
    identity = built(Script([]), model=None).identity
    assert identity.model == "jev-latest"
    assert identity.wire == "probability"
    assert identity.prompt_version is None


def test_a_criterions_own_instructions_follow_the_others() -> None:
    question = replace(about("Is kind."), criterion=a_criterion(instructions="Kind is brief."))
    _, script = judged(ok(says(0.5)), question=question)
    (sent,) = script.bodies[0]["questions"].values()
    assert sent["instructions"] == f"{DEFAULT_INSTRUCTIONS} Kind is brief."
    _, script = judged(ok(says(0.5)), question=question, instructions="Be strict.")
    (sent,) = script.bodies[0]["questions"].values()
    assert sent["instructions"] == "Be strict. Kind is brief."
