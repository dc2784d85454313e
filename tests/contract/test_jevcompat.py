"""Our System One judge against a reference server that nobody here wrote, and its faults."""

import asyncio
import json
import subprocess
import urllib.request
from collections.abc import Sequence
from typing import Any

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.judges.preflight import Looked, preflight
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
)
from ci_judge.model.suite import Expectation
from ci_judge.transport import Transport
from tests.fakes import a_conversation
from tests.model_builders import a_criterion
from tests.systemone_server import READY_SECONDS, mock
from tests.tools import tool

CASE = CaseQuestion(requirement="The price is 80.", evidence={"actual": 80, "city": "Zürich"})
TWO = ScenarioQuestion(
    criterion=a_criterion(),
    expectations=(Expectation(text="Is polite."), Expectation(text="Names the window.")),
    conversation=a_conversation("You have 14 days."),
)

# Faults in what a judge of ours neither sends nor reads: the verdict must be what the server says.
HARMLESS = frozenset(
    {
        "plain-content-type",
        "text-errors",
        "models-404",
        "auth-rejects-header",
        "reject-array-state",
        "strict-ids",
        "nfd-keys",
        "forbid-extra",
        "string-only-text",
        "noul-two-sided",
        "noul-needs-instructions",
        "no-null-description",
        "cap-64",
        "cap-5-levels",
        "accept-map-score",
        "extra-answer",
        "unprefixed-extra",
        "choice-no-confidence",
        "choice-key-case",
        "choice-sum",
        "choice-second",
        "score-no-legend",
        "legend-1-based",
        "score-keys-1-based",
        "score-sum",
        "score-argmax",
        "confidence-over",
        "confidence-margin",
        "500-on-unknown-type",
        "accept-boolean",
        "validation-400",
        "error-flat",
        "id-leaks",
        "batch-leaks",
        "order-leaks",
        "auth-x-api-key",
        "auth-plain",
        "auth-invalid-403-text",
        "float-usage",
    }
)
# Each of these must end as this failure, whose message holds this text.
BROKEN: dict[str, tuple[FailureCode, str]] = {
    "wrong-route": (FailureCode.HTTP_STATUS, "404"),
    "xssi-200": (FailureCode.UNREADABLE_VERDICT, "not JSON"),
    "first-question-only": (FailureCode.UNREADABLE_VERDICT, "passes_2"),
    "boolean-type": (FailureCode.UNREADABLE_VERDICT, "'noul'"),
    "nan": (FailureCode.UNREADABLE_VERDICT, "NaN"),
    "noul-range": (FailureCode.UNREADABLE_VERDICT, "no likelihood"),
}
OF_ITS_OWN = frozenset({"reject-jev-latest", "no-usage"})


def judged(
    base_url: str, *questions: Question, key: str | None = None, **changes: Any
) -> Sequence[Answer | JudgeFailure]:
    values = {"provider": "systemone", "model": "jev-1.13.0", "base_url": base_url} | changes

    async def ask() -> Sequence[Answer | JudgeFailure]:
        transport = Transport(connections=4)
        judge = build_judge(
            JudgeSettings.model_validate(values | {"retries": 0, "timeout": "20s"}),
            transport=transport,
            environment={"TYPESAFE_API_KEY": key} if key else {},
            nonce=lambda: "unused",
        )
        try:
            return [await judge.judge(question) for question in questions]
        finally:
            await transport.aclose()

    return asyncio.run(ask())


def said_by_the_server(base_url: str) -> dict[str, Any]:
    """Ask about CASE with another client and a body written by hand."""
    body = {
        "model": "jev-1.13.0",
        "state": {"requirement": CASE.requirement, "evidence": CASE.evidence},
        "questions": {"passes": {"type": "noul", "instructions": DEFAULT_INSTRUCTIONS}},
    }
    request = urllib.request.Request(  # noqa: S310 - the loopback
        f"{base_url}/v1/systemone",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=20) as reply:
        said: dict[str, Any] = json.load(reply)
        return said


def likelihoods(answer: Answer | JudgeFailure) -> list[float]:
    assert isinstance(answer, Answer), answer
    return [o.probability for o in answer.opinions if isinstance(o, Likelihood)]


@pytest.mark.parametrize("faults", [(), sorted(HARMLESS)], ids=["none", "harmless"])
def test_the_verdict_is_what_the_server_says(faults: tuple[str, ...]) -> None:
    with mock(*faults) as base_url:
        said = said_by_the_server(base_url)
        case, scenario = judged(base_url, CASE, TWO)
    assert likelihoods(case) == [said["answers"]["passes"]["noul"]]
    assert len(likelihoods(scenario)) == 2
    assert isinstance(case, Answer)
    assert case.model == said["model"]
    assert case.usage.input_tokens == said["usage"]["input_tokens"]
    assert case.request_id == "req_mock"


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_answer_is_a_failure_that_says_what_broke(fault: str) -> None:
    code, says = BROKEN[fault]
    with mock(fault) as base_url:
        _, scenario = judged(base_url, CASE, TWO)
    assert isinstance(scenario, JudgeFailure)
    assert scenario.code is code
    assert says in scenario.message
    assert scenario.requests == 1


def test_a_model_that_is_not_served_is_told() -> None:
    with mock("reject-jev-latest") as base_url:
        (alias,) = judged(base_url, CASE, model=None)
        (pinned,) = judged(base_url, CASE)
    assert isinstance(alias, JudgeFailure)
    assert alias.status == 404
    assert "Model not served: jev-latest" in alias.message
    assert likelihoods(pinned)


def test_usage_that_is_not_told_is_unknown() -> None:
    with mock("no-usage") as base_url:
        (answer,) = judged(base_url, CASE)
    assert isinstance(answer, Answer)
    assert answer.usage.input_tokens is None


@pytest.mark.parametrize(
    ("faults", "key", "says"),
    [
        ((), None, "Must supply an API key!"),
        ((), "wrong", "Cannot authenticate"),
        (("auth-plain",), None, "answered 401: Unauthorized"),
        (("auth-invalid-403-text",), "wrong", "bad key"),
        (("auth-x-api-key",), "right", "Must supply an API key!"),
        (("text-errors",), "wrong", "Cannot authenticate"),
        ((), "right", None),
    ],
)
def test_the_key_is_sent_and_its_refusal_is_told(
    faults: tuple[str, ...], key: str | None, says: str | None
) -> None:
    with mock(*faults, key="right") as base_url:
        (answer,) = judged(base_url, CASE, key=key)
    if says is None:
        assert likelihoods(answer)
        return
    assert isinstance(answer, JudgeFailure)
    assert answer.status in {401, 403}
    assert says in answer.message
    assert "right" not in answer.message.replace("is the key right?", "")


@pytest.mark.parametrize("fault", ["validation-400", "error-flat", "text-errors"])
def test_every_shape_of_refusal_is_one_sentence(fault: str) -> None:
    with mock(fault) as base_url:
        (answer,) = judged(base_url, CASE, model="jev-0")
    assert isinstance(answer, JudgeFailure)
    assert answer.status == 400
    assert "Unknown model: jev-0" in answer.message


def test_a_server_that_takes_no_key_is_told() -> None:
    with mock("auth-rejects-header") as base_url:
        (answer,) = judged(base_url, CASE, key="any")
    assert isinstance(answer, JudgeFailure)
    assert "takes no key" in answer.message


def looked_at(
    base_url: str, *, key: str | None = "right", model: str | None = "jev-1.13.0"
) -> Looked:
    values = {"provider": "systemone", "model": model, "base_url": base_url, "api_key": key}

    async def look() -> Looked:
        transport = Transport(connections=1)
        judge = JudgeSettings.model_validate(values)
        try:
            return await preflight((judge,), transport=transport, environment={})
        finally:
            await transport.aclose()

    return asyncio.run(look())


def test_a_look_before_anything_is_sent_finds_a_wrong_key_or_model() -> None:
    with mock(key="right") as base_url:
        looked = looked_at(base_url)
        assert looked.requests == 1
        assert 0 < (looked.usage.input_tokens or 0) < 200
        with pytest.raises(InvalidInput, match=r"the key in judge\.api_key: .* Cannot authentic"):
            looked_at(base_url, key="wrong")
        with pytest.raises(InvalidInput, match="needs a key in TYPESAFE_API_KEY: "):
            looked_at(base_url, key=None)
        with pytest.raises(InvalidInput, match=r"no model 'jev-0': .* Unknown model: jev-0"):
            looked_at(base_url, model="jev-0")
    with (
        mock("reject-jev-latest") as base_url,
        pytest.raises(InvalidInput, match="no model 'jev-latest': "),
    ):
        looked_at(base_url, model=None)
    with (
        mock("wrong-route") as base_url,
        pytest.raises(InvalidInput, match=r"does not answer questions there: .* answered 404"),
    ):
        looked_at(base_url)


def test_a_server_with_faults_is_no_obstacle_to_the_look() -> None:
    with mock(*sorted(HARMLESS - {"auth-rejects-header"})) as base_url:
        assert looked_at(base_url).requests == 1
    for fault in sorted(BROKEN.keys() - {"wrong-route"}):
        with mock(fault) as base_url:
            assert looked_at(base_url).requests == 1


def test_every_fault_of_the_server_is_covered() -> None:
    listed = subprocess.run(
        [tool("jevcompat"), "mock", "--list-faults"],
        check=True,
        capture_output=True,
        text=True,
        timeout=READY_SECONDS,
    )
    faults = {line.split()[0] for line in listed.stdout.splitlines() if line.strip()}
    assert faults == HARMLESS | BROKEN.keys() | OF_ITS_OWN
