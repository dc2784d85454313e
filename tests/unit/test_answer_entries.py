"""Answers that come out of the cache are strict about what a verdict is."""

import json
from typing import Any

import pytest

from ci_judge.judges.answer_entries import answer_entry, read_answer
from ci_judge.model.judging import Answer, Decision, Likelihood, Opinion, Usage

GOOD: dict[str, Any] = {
    "opinions": [{"pass": True, "reason": "fine"}],
    "model": "m-2",
    "request_id": "r",
}


@pytest.mark.parametrize(
    "opinions",
    [
        (Decision(passed=True, reason="Ja, \u202e\ud83d."),),
        (Decision(passed=False, reason=""), Decision(passed=True, reason="b")),
        (Likelihood(probability=0.1, reason="why"), Likelihood(probability=1.0)),
    ],
)
def test_what_was_said_comes_back_and_costs_nothing(opinions: tuple[Opinion, ...]) -> None:
    answer = Answer(
        opinions=opinions,
        model="m-2",
        usage=Usage(input_tokens=200, output_tokens=40),
        latency_seconds=1.5,
        request_id="req-1",
        requests=2,
        raw='{"pass": true}',
    )
    entry = json.loads(json.dumps(answer_entry(answer)))
    assert read_answer(entry, items=len(opinions)) == Answer(
        opinions=opinions,
        model="m-2",
        usage=Usage(input_tokens=0, output_tokens=0),
        request_id="req-1",
        requests=0,
        cached=True,
    )


def opinion(value: Any) -> dict[str, Any]:
    return GOOD | {"opinions": [value]}


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        {},
        GOOD | {"opinions": []},
        GOOD | {"opinions": GOOD["opinions"] * 2},
        GOOD | {"opinions": "pass"},
        opinion({"pass": "false", "reason": ""}),
        opinion({"pass": 1, "reason": ""}),
        opinion({"pass": None, "reason": ""}),
        opinion({"pass": True}),
        opinion({"pass": True, "reason": None}),
        opinion({"p": True, "reason": ""}),
        opinion({"p": 1.5, "reason": ""}),
        opinion({"p": -0.1, "reason": ""}),
        opinion({"p": "0.9", "reason": ""}),
        opinion({"reason": ""}),
        opinion("pass"),
    ],
)
def test_anything_else_is_no_answer(entry: Any) -> None:
    assert read_answer(GOOD, items=1) is not None
    assert read_answer(entry, items=1) is None


def test_what_is_not_text_is_left_out() -> None:
    answer = read_answer(GOOD | {"model": 7, "request_id": ["r"]}, items=1)
    assert answer is not None
    assert (answer.model, answer.request_id) == (None, None)
