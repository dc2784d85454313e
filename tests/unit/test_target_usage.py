"""What an answer says of its own cost, and the check that limits it."""

from typing import Any

import pytest

from ci_judge.check_tools import check_tools
from ci_judge.model.evidence import Conversation, EvidenceFailure, Reply
from ci_judge.model.suite import Check, CheckKind
from ci_judge.rules.checks import evaluate_checks
from ci_judge.targets.settings import UsageSettings
from ci_judge.targets.told import told_by
from ci_judge.targets.usage import answer_cost

PATHS = {
    "input_path": "usage.in",
    "output_path": "usage.out",
    "input_price": 2,
    "output_price": 8,
}


def usage(**settings: Any) -> UsageSettings:
    return UsageSettings.model_validate(settings)


def test_without_prices_nothing_is_known() -> None:
    assert answer_cost(None, told_by({"usage": {"in": 1}}), 1) is None


def test_tokens_and_requests_add_up() -> None:
    document = {"usage": {"in": 1000, "out": 500}}
    assert answer_cost(usage(**PATHS, per_request=0.5), told_by(document), 2) == pytest.approx(
        1.006
    )
    assert answer_cost(usage(per_request=0.5), told_by(None), 3) == 1.5


@pytest.mark.parametrize(
    "document",
    [
        None,
        {},
        {"usage": {"in": 1000}},
        {"usage": {"in": "1000", "out": 1}},
        {"usage": {"in": True, "out": 1}},
        {"usage": {"in": -1, "out": 1}},
        {"usage": {"in": float("inf"), "out": 1}},
        {"usage": {"in": None, "out": 1}},
    ],
)
def test_a_count_that_is_not_there_makes_it_unknown(document: Any) -> None:
    assert answer_cost(usage(**PATHS), told_by(document), 1) is None


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"input_path": "a"},
        {"output_price": 1},
        {"per_request": -1},
        {"input_path": "a", "input_price": float("nan")},
    ],
)
def test_prices_that_say_nothing_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="UsageSettings"):
        usage(**settings)


def limited(limit: float, *costs: float | None) -> Any:
    replies = tuple(
        Reply(text="x", value="x", latency_seconds=0.1, priced=True, cost_usd=cost)
        for cost in costs
    )
    talk = Conversation(transcript=(), replies=replies)
    return evaluate_checks((Check(kind=CheckKind.MAX_COST, operand=limit),), talk, check_tools())


def test_all_answers_of_a_run_share_the_limit() -> None:
    assert limited(0.3, 0.1, 0.2)[0].passed
    (over,) = limited(0.002, 0.0015, 0.00151)
    assert (over.passed, over.wanted, over.found) == (False, "at most 0.002 USD", "0.00301 USD")


def test_an_unknown_cost_is_an_error_and_no_verdict() -> None:
    failure = limited(1, 0.1, None)
    assert isinstance(failure, EvidenceFailure)
    assert "max_cost could not be decided" in failure.message
