"""Checks: what holds, what was found instead, and what could not be decided."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.judging import CheckResult
from ci_judge.model.suite import Check, CheckKind, Expectation, JsonValue, Message
from ci_judge.rules.checks import (
    CheckTools,
    Undecided,
    evaluate_checks,
    json_equal,
    phrase_results,
)


def search(pattern: str, text: str) -> bool | Undecided:
    """Stand in for a pattern engine: substring, and one pattern that never ends."""
    return Undecided(message="too slow") if pattern == "slow" else pattern in text


def violation(schema: JsonValue, value: JsonValue) -> str | Undecided | None:
    """Stand in for JSON Schema: the schema names the keys that the value must have."""
    if schema == "broken":
        return Undecided(message="no such reference")
    missing = [key for key in schema if key not in value]
    return f"lacks {missing}" if missing else None


TOOLS = CheckTools(search=search, violation=violation)


def reply(answer: JsonValue, seconds: float = 0.5) -> Reply:
    text = answer if isinstance(answer, str) else "shown as text"
    return Reply(text=text, value=answer, latency_seconds=seconds)


def conversation(*replies: Reply | JsonValue) -> Conversation:
    made = tuple(each if isinstance(each, Reply) else reply(each) for each in replies)
    return Conversation(transcript=(Message(role="user", content="hi"),), replies=made)


def check(kind: str, operand: JsonValue) -> Check:
    return Check(kind=CheckKind(kind), operand=operand)


def evaluated(kind: str, operand: JsonValue, *replies: Reply | JsonValue) -> CheckResult:
    results = evaluate_checks([check(kind, operand)], conversation(*replies), TOOLS)
    assert isinstance(results, tuple)
    (result,) = results
    return result


@pytest.mark.parametrize(
    ("kind", "operand", "replies"),
    [
        ("contains", "14 DAYS", ["within 14\u00a0days"]),
        ("contains", "14 days", ["114 dayses"]),
        ("contains", "14 days", ["14 days", "and more"]),
        ("contains", "cafe\u0301", ["CAFÉ"]),
        ("not_contains", "40 days", ["14 days", "14 days"]),
        ("regex", "14", ["no", "14 days", "no"]),
        ("equals", "OK", ["no", "OK"]),
        ("equals", {"a": [1, True]}, [{"a": [1.0, True]}]),
        ("equals", {"a": 1}, ['{"a": 1}']),
        ("equals", 42, ["42"]),
        ("equals", None, ["null"]),
        ("equals", False, [False]),
        ("json_path", {"path": "a.0", "equals": None}, [{"a": [None]}]),
        ("json_path", {"path": "a", "equals": "x"}, ['{"a": "x"}']),
        ("json_path", {"path": "a", "equals": 0}, ["not this one", {"a": 0}]),
        ("json_schema", ["a"], ['{"a": 1}']),
        ("max_chars", 5, ["12345", ""]),
        ("max_latency", 3.0, [Reply(text="", value="", latency_seconds=3.0)]),
    ],
)
def test_holds(kind: str, operand: JsonValue, replies: Sequence[JsonValue]) -> None:
    result = evaluated(kind, operand, *replies)
    assert (result.passed, result.found) == (True, "")


@pytest.mark.parametrize(
    ("kind", "operand", "replies", "found"),
    [
        ("contains", "14 days", ["a fortnight"], '"a fortnight"'),
        ("contains", "14 days", ["14", "days"], '"days"'),
        ("contains", "14 days", [""], "an empty answer"),
        ("not_contains", "40 days", ["You get 40 Days!"], '"You get 40 Days!"'),
        ("not_contains", "40 days", ["40 days", "14"], 'answer 1 of 2: "40 days"'),
        ("not_contains", "40 days", ["14", "140\u00a0days"], 'answer 2 of 2: "140 days"'),
        ("not_contains", "straße", ["STRASSE"], '"STRASSE"'),
        ("regex", "14", ["no", "none"], '"none"'),
        ("equals", "OK", ["OK", "ok"], '"ok"'),
        ("equals", "1", [1], '"shown as text"'),
        ("equals", 1, [True], "true"),
        ("equals", True, [1], "1"),
        ("equals", 1, ["one"], 'not JSON: "one"'),
        ("equals", 1, ["NaN"], 'not JSON: "NaN"'),
        ("equals", {"a": 1}, [{"a": 1, "b": 2}], '{"a": 1, "b": 2}'),
        ("json_path", {"path": "a.b", "equals": 1}, [{"a": {"c": 1}}], 'no "b": "a" has "c"'),
        ("json_path", {"path": "a", "equals": 1}, [{"a": "1"}], '"1"'),
        ("json_path", {"path": "a", "equals": 1}, ["```json"], 'not JSON: "```json"'),
        ("json_schema", ["a"], [{"b": 1}], "lacks ['a']"),
        ("json_schema", ["a"], [""], "not JSON: an empty answer"),
        ("max_chars", 5, ["12345", "123456"], "answer 2 of 2: 6 characters"),
    ],
)
def test_does_not_hold_and_says_what_was_there(
    kind: str, operand: JsonValue, replies: Sequence[JsonValue], found: str
) -> None:
    result = evaluated(kind, operand, *replies)
    assert (result.passed, result.found) == (False, found)


def test_every_answer_must_be_in_time_and_the_time_is_not_rounded_away() -> None:
    slow = evaluated("max_latency", 3.0, reply("a", 3.0), reply("b", 3.0001), reply("c", 9.0))
    assert slow.found == "answer 2 of 3: 3.0001 s"
    assert slow.wanted == "at most 3 s"


def test_text_nested_too_deep_is_not_json() -> None:
    result = evaluated("equals", 1, "[" * 100_000)
    assert not result.passed
    assert result.found.startswith("not JSON")
    assert len(result.found) < 200


@pytest.mark.parametrize(
    ("kind", "operand", "wanted"),
    [
        ("contains", "14 days", "14 days"),
        ("equals", {"a": "é"}, '{"a": "é"}'),
        ("json_path", {"path": "a.b", "equals": "x"}, 'a.b = "x"'),
        ("max_chars", 10, "at most 10 characters"),
    ],
)
def test_what_was_wanted_in_a_few_words(kind: str, operand: JsonValue, wanted: str) -> None:
    assert evaluated(kind, operand, {"a": 1}).wanted == wanted


def test_a_long_operand_is_bounded() -> None:
    fits, longer = (evaluated("equals", ["x" * length], []).wanted for length in (196, 197))
    assert len(fits) == 200
    assert longer == fits[:-2] + 'x"…'


def test_results_come_in_order_and_one_a_check() -> None:
    checks = [check("contains", "a"), check("contains", "b"), check("not_contains", "c")]
    results = evaluate_checks(checks, conversation("a"), TOOLS)
    assert isinstance(results, tuple)
    assert [result.passed for result in results] == [True, False, True]
    assert evaluate_checks([], conversation("a"), TOOLS) == ()


@pytest.mark.parametrize(
    ("undecided", "why"),
    [
        (check("regex", "slow"), "check regex could not be decided: too slow"),
        (
            check("json_schema", "broken"),
            "check json_schema could not be decided: no such reference",
        ),
    ],
)
def test_an_undecided_check_is_an_error_of_the_run_even_beside_a_failure(
    undecided: Check, why: str
) -> None:
    held = conversation("{}")
    failure = evaluate_checks([check("contains", "x"), undecided], held, TOOLS)
    assert isinstance(failure, EvidenceFailure)
    assert failure.code is FailureCode.CHECK_ERROR
    assert failure.message == why
    assert failure.transcript == held.transcript


def test_a_pattern_found_in_one_answer_needs_no_other() -> None:
    def engine(pattern: str, text: str) -> bool | Undecided:
        return Undecided(message="too slow") if text == "slow" else pattern in text

    tools = CheckTools(search=engine, violation=violation)
    results = evaluate_checks([check("regex", "14")], conversation("slow", "14 days"), tools)
    assert isinstance(results, tuple)
    assert results[0].passed


# --- phrases -------------------------------------------------------------------------


def test_phrases_of_every_item_may_stand_in_any_answer() -> None:
    expectations = (
        Expectation(text="", phrases=("14 days", "full refund")),
        Expectation(text=""),
        Expectation(text="", phrases=("receipt",)),
    )
    results = phrase_results(expectations, conversation("14 DAYS", "a full refund"))
    assert [(each.item, each.wanted, each.passed) for each in results] == [
        (1, "14 days", True),
        (1, "full refund", True),
        (3, "receipt", False),
    ]
    assert {each.kind for each in results} == {"phrase"}
    assert results[2].found == '"a full refund"'
    assert results[0].found == ""


def test_a_phrase_inside_a_longer_word_says_so() -> None:
    (result,) = phrase_results(
        (Expectation(text="", phrases=("14 days",)),), conversation("you get 114 days", "bye")
    )
    assert not result.passed
    assert result.found == 'only inside a longer word: "you get 114 days"'


# --- JSON equality -------------------------------------------------------------------

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_every_value_equals_itself_alone_and_wrapped(value: JsonValue) -> None:
    assert json_equal(value, value)
    assert json_equal([value], [value])
    assert json_equal({"k": value}, {"k": value})
    assert not json_equal([value], [value, value])
    assert not json_equal({"k": value}, {"j": value})
    assert not json_equal([value], {"k": value})


@pytest.mark.parametrize(
    ("left", "right"),
    [(True, 1), (False, 0), (None, False), (None, 0), ("1", 1), ([], {}), ("", None)],
)
def test_kinds_are_not_mixed(left: JsonValue, right: JsonValue) -> None:
    assert not json_equal(left, right)
    assert not json_equal(right, left)
    assert not json_equal([left], [right])


def test_numbers_and_key_order() -> None:
    assert json_equal(1, 1.0)
    assert json_equal({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not json_equal(1, 1.5)
