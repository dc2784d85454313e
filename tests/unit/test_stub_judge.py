"""The judge without a model: phrases, values, and an honest "I cannot tell"."""

import asyncio
import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.judges.comparison import first_difference
from ci_judge.judges.stub import StubJudge
from ci_judge.model.evidence import Conversation, FailureCode
from ci_judge.model.judging import Answer, CaseQuestion, JudgeFailure, ScenarioQuestion
from ci_judge.model.suite import Expectation
from tests.fakes import a_conversation
from tests.model_builders import a_criterion


def judged(question: Any) -> Answer | JudgeFailure:
    return asyncio.run(StubJudge().judge(question))


def passes(question: Any) -> list[bool]:
    answer = judged(question)
    assert isinstance(answer, Answer), answer
    return [bool(getattr(opinion, "passed", None)) for opinion in answer.opinions]


def about(response: str, *phrases: tuple[str, ...]) -> ScenarioQuestion:
    return ScenarioQuestion(
        criterion=a_criterion(),
        expectations=tuple(Expectation(text="…", phrases=p) for p in phrases),
        conversation=a_conversation(response),
    )


def case(evidence: Any, requirement: str = "It is right.") -> CaseQuestion:
    return CaseQuestion(requirement=requirement, evidence=evidence)


def test_each_expectation_is_judged_by_its_own_phrases() -> None:
    question = about("You have 14 DAYS, in full.", ("14 days", "full"), ("14 days", "partly"))
    assert passes(question) == [True, False]
    answer = judged(question)
    assert isinstance(answer, Answer)
    assert [getattr(o, "reason", "") for o in answer.opinions] == [
        'holds "14 days", "full"',
        'does not hold "partly"',
    ]


def test_an_expectation_without_a_phrase_is_never_decided() -> None:
    answer = judged(about("You have 14 days.", ("14 days",), ()))
    assert isinstance(answer, JudgeFailure)
    assert answer.code is FailureCode.NEEDS_A_JUDGE
    assert answer.message == "this needs a judge of meaning: expectation 2 quotes no phrase"
    assert answer.requests == 0


def test_it_says_what_it_is() -> None:
    assert StubJudge().identity.notice == "phrase check, not a judge of meaning"


def test_a_case_with_both_values_is_a_comparison() -> None:
    assert passes(case({"actual": 80.00000000001, "expected": 80})) == [True]
    assert passes(case({"actual": None, "expected": None})) == [True]
    answer = judged(case({"actual": {"price": 85.0}, "expected": {"price": 80}}))
    assert isinstance(answer, Answer)
    assert getattr(answer.opinions[0], "reason", "") == "actual.price is 85.0, expected 80"


def test_the_comparison_wins_over_phrases() -> None:
    evidence = {"actual": "14 days", "expected": "15 days"}
    assert passes(case(evidence, 'Says "14 days".')) == [False]


@pytest.mark.parametrize(
    ("evidence", "passed"),
    [
        ({"actual": "You have 14 days."}, True),
        ({"reply": ["a", {"text": "you have\n14 days"}]}, True),
        ({"reply": "you have 14\\n days"}, False),
        ("14 days", True),
        ({"actual": "114 days"}, False),
        (None, False),
    ],
)
def test_other_evidence_is_searched_for_the_phrases(evidence: Any, passed: bool) -> None:  # noqa: FBT001 - a parameter
    assert passes(case(evidence, 'States the "14 days" window.')) == [passed]


@pytest.mark.parametrize("requirement", ["Is polite.", 'Has a 5" screen.', 'Says "" here.'])
def test_a_case_with_nothing_to_check_is_an_error(requirement: str) -> None:
    answer = judged(case({"actual": 1}, requirement))
    assert isinstance(answer, JudgeFailure)
    assert answer.code is FailureCode.NEEDS_A_JUDGE


@pytest.mark.parametrize(
    ("actual", "expected", "difference"),
    [
        (1.0, 1.0 + 1e-10, None),
        (1.0, 1.0 + 1e-8, "actual is 1.0, expected 1.00000001"),
        (10**400, 10**400, None),
        (10**400, 1.5, "actual is 1000000000"),
        (True, 1, "actual is true, expected 1"),
        (0, False, "actual is 0, expected false"),
        ("1", 1, 'actual is "1", expected 1'),
        (None, 0, "actual is null, expected 0"),
        ([1, 2], [2, 1], "actual[0] is 1, expected 2"),
        ([1], [1, 2], "actual has 1 elements, expected 2"),
        ([], {}, "actual is [], expected {}"),
        ({"a": 1}, {"a": 1, "b": 2}, "actual.b is missing, expected 2"),
        ({"a": 1, "b": 2}, {"a": 1}, "actual.b is 2, expected missing"),
        ({"b": [{"c": 0.1 + 0.2}], "a": 1}, {"a": 1, "b": [{"c": 0.3}]}, None),
        ({"a": [1, {"b": True}]}, {"a": [1, {"b": 1}]}, "actual.a[1].b is true, expected 1"),
    ],
)
def test_values_are_compared_by_meaning(actual: Any, expected: Any, difference: str | None) -> None:
    found = first_difference(actual, expected)
    assert found == difference or (difference and (found or "").startswith(difference))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_every_value_equals_its_copy_and_no_list_around_it(value: Any) -> None:
    assert first_difference(copy.deepcopy(value), value) is None
    assert first_difference([value], value) is not None


def test_deep_values_do_not_overflow() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    assert first_difference(deep, deep) is None


def test_a_phrase_may_stand_in_any_answer_as_for_every_other_judge() -> None:
    first, last = a_conversation("You have 14 days."), a_conversation("No.")
    conversation = Conversation(
        transcript=(*first.transcript, *last.transcript), replies=(*first.replies, *last.replies)
    )
    question = ScenarioQuestion(
        criterion=a_criterion(),
        expectations=(Expectation(text="…", phrases=("14 days",)),),
        conversation=conversation,
    )
    assert passes(question) == [True]


def test_a_case_that_returns_nothing_is_asked_about_its_return() -> None:
    answer = judged(case(None))
    assert isinstance(answer, JudgeFailure)
    assert "is a return missing?" in answer.message
