"""Checks of what a target tells besides its answer: loaded strictly, decided exactly."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.check_tools import check_tools
from ci_judge.errors import InvalidInput
from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.judging import CheckResult
from ci_judge.model.suite import Check, CheckKind, CheckPlace, JsonValue
from ci_judge.rules.captured_values import called_names, follows
from ci_judge.rules.checks import evaluate_checks
from ci_judge.rules.verdicts import check_words
from ci_judge.workflows.schemas import generated_files
from tests.projects import Project, a_project, scenario

OPENAI = [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]
ANTHROPIC = [
    {"type": "text", "text": "Let me look."},
    {"type": "tool_use", "id": "t1", "name": "search", "input": {}},
    {"type": "tool_result", "tool_use_id": "t1", "content": "search"},
]


def talk(*tools: JsonValue, context: JsonValue = None) -> Conversation:
    """Give a conversation of one answer for each value of captured calls."""
    replies = tuple(
        Reply(text="14 days.", value="14 days.", latency_seconds=0.1, tools=each, context=context)
        for each in tools
    )
    return Conversation(transcript=(), replies=replies)


def result(
    kind: str, operand: JsonValue, held: Conversation, inside: CheckPlace | None = "tools"
) -> CheckResult | EvidenceFailure:
    check = Check(kind=CheckKind(kind), operand=operand, inside=inside)
    found = evaluate_checks((check,), held, check_tools())
    return found if isinstance(found, EvidenceFailure) else found[0]


def passed(*asked: Any, **more: Any) -> bool:
    found = result(*asked, **more)
    assert isinstance(found, CheckResult), found
    return found.passed


# --- which tools were called ---


@pytest.mark.parametrize(
    ("calls", "names"),
    [
        (OPENAI, ("search",)),
        (ANTHROPIC, ("search",)),
        ([{"name": "search"}, {"name": " pay "}], ("search", "pay")),
        (["search", "pay", "search"], ("search", "pay", "search")),
        ("search", ("search",)),
        ({"name": "search", "arguments": {"name": "x"}}, ("search",)),
        ([{"type": "function_call", "name": "search"}], ("search",)),
        ([], ()),
        (None, ()),
    ],
)
def test_names_are_found_as_providers_write_them(calls: JsonValue, names: tuple[str, ...]) -> None:
    assert called_names(talk(calls).replies) == names


@pytest.mark.parametrize(
    "calls",
    [
        [{"tool": "search"}],
        [{"function": {"arguments": "{}"}}],
        [{"type": "tool_use"}],
        [{"name": None}],
        [""],
        [7],
        [["search"]],
        True,
    ],
)
def test_a_call_without_a_name_is_an_error_and_no_failure(calls: JsonValue) -> None:
    failure = result("tools_called", ["search"], talk(calls), inside=None)
    assert isinstance(failure, EvidenceFailure)
    assert failure.code is FailureCode.CHECK_ERROR
    assert "has no name" in failure.message


@pytest.mark.parametrize(
    ("wanted", "called", "holds"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a", "x", "b", "y"], True),
        (["a", "b"], ["b", "a"], False),
        (["a", "a"], ["a"], False),
        (["a", "a"], ["a", "a"], True),
        (["a"], [], False),
        ([], [], True),
        ([], ["a"], False),
    ],
)
def test_names_are_wanted_in_their_order_whatever_stands_between(
    wanted: list[str],
    called: list[str],
    holds: bool,  # noqa: FBT001 - a parameter
) -> None:
    assert passed("tools_called", wanted, talk(called), inside=None) is holds
    halves = talk(called[:1], called[1:])
    assert passed("tools_called", wanted, halves, inside=None) is holds


@given(st.lists(st.sampled_from("abc")), st.data())
def test_what_is_left_of_the_calls_is_always_found(called: list[str], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(called), max_size=len(called)))
    wanted = [name for name, keep in zip(called, kept, strict=True) if keep]
    assert follows(wanted, called) is bool(wanted or not called)
    assert not follows([*called, "c"], called)


# --- looking inside ---

CALLS = [{"function": {"name": "find_order", "arguments": '{"city": "K\u00f6ln", "n": 7}'}}]


@pytest.mark.parametrize(
    ("kind", "operand", "holds"),
    [
        ("contains", "FIND_ORDER", True),
        ("contains", '"city": "k\u00f6ln"', True),
        ("contains", '"name":"find_order"', True),
        ("contains", "14 days", False),
        ("not_contains", "refund", True),
        ("not_contains", "k\u00f6ln", False),
        ("regex", r'"n": \d', True),
        ("regex", "refund", False),
        ("equals", CALLS, True),
        ("equals", [], False),
        ("json_path", {"path": "0.function.name", "equals": "find_order"}, True),
        ("json_path", {"path": "1.function.name", "equals": "find_order"}, False),
        ("json_schema", {"type": "array", "minItems": 1}, True),
        ("json_schema", {"type": "object"}, False),
    ],
)
def test_checks_look_at_what_was_captured(kind: str, operand: Any, holds: bool) -> None:  # noqa: FBT001 - a parameter
    assert passed(kind, operand, talk(CALLS)) is holds


def test_a_phrase_does_not_reach_from_one_text_into_the_next() -> None:
    passages = ["valid for 14", "days of grace"]
    held = talk(None, context=passages)
    assert not passed("contains", "14 days", held, inside="context")
    assert passed("contains", "days of grace", held, inside="context")
    assert passed("contains", "14 days", talk(None, context="within 14\ndays"), inside="context")


def test_any_answer_may_have_it_and_none_what_is_forbidden() -> None:
    held = talk(None, ["find"], None)
    assert passed("contains", "find", held)
    assert passed("equals", ["find"], held), "the last of which anything was captured"
    found = result("not_contains", "find", held)
    assert isinstance(found, CheckResult)
    assert not found.passed
    assert found.found.startswith("answer 2 of 3")


@pytest.mark.parametrize(
    ("kind", "operand"),
    [
        ("contains", "a"),
        ("regex", "a"),
        ("equals", []),
        ("equals", None),
        ("json_path", {"path": "0", "equals": 1}),
        ("json_schema", True),
    ],
)
def test_where_nothing_was_captured_nothing_is_found(kind: str, operand: Any) -> None:
    found = result(kind, operand, talk(None, None))
    assert isinstance(found, CheckResult)
    assert not found.passed
    assert found.found == "nothing: the tool calls of no answer was captured"
    assert passed("not_contains", "a", talk(None))


def test_a_check_says_where_it_looked() -> None:
    found = result("contains", "refund", talk(["find"]))
    assert isinstance(found, CheckResult)
    assert check_words(found) == 'wanted the text "refund" in the tool calls; found: "["find"]"'


def test_calls_are_told_in_order() -> None:
    found = result("tools_called", ["pay", "find"], talk(["find", "pay"]), inside=None)
    assert isinstance(found, CheckResult)
    assert check_words(found) == 'wanted calls of pay, find; found: "find, pay"'
    nothing = result("tools_called", [], talk(["find"]), inside=None)
    assert isinstance(nothing, CheckResult)
    assert check_words(nothing) == 'wanted calls of no tool; found: "find"'


# --- files ---


def answer(path: str, body: Any) -> tuple[int, Any]:
    """Call two tools, the second of them only for whom says "pay"."""
    del path
    calls = [{"name": "find"}] + ([{"name": "pay"}] if "pay" in body["message"] else [])
    return 200, {"reply": "Within 14 days.", "calls": calls, "sources": ["terms.md"]}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with a_project(tmp_path, answer) as made:
        yield made


CAPTURE = {"capture": {"tools": "calls", "context": "sources"}}


def refusal(project: Project, *checks: Any, **target: Any) -> list[str]:
    project.write(scenario("Asks", checks=list(checks)), target=target)
    with pytest.raises(InvalidInput) as raised:
        project.run()
    assert not project.bot.requests
    return [str(problem) for problem in raised.value.problems]


@pytest.mark.parametrize(
    ("check", "problem"),
    [
        ({"contains": "a", "in": "answer"}, 'must be "tools" or "context", not "answer"'),
        ({"max_chars": 9, "in": "tools"}, "in does not go with max_chars"),
        ({"tools_called": ["a"], "in": "tools"}, "in does not go with tools_called"),
        ({"in": "tools"}, "must have exactly one key"),
        ({"contains": "a", "regex": "b", "in": "tools"}, "must have exactly one key"),
        ({"tools_called": None}, "tools_called has no value"),
        ({"tools_called": [""]}, "is empty"),
        ({"tools_called": {"a": 1}}, "must be text or a list of texts"),
        ({"contains": "a", "inn": "tools"}, 'did you mean "in"?'),
        ({"contains": "a", "inside": "tools"}, 'unknown key "inside"'),
        ({"tool_called": ["a"]}, 'did you mean "tools_called"?'),
        ({"regex": "(", "in": "tools"}, "regex: "),
    ],
)
def test_mistakes_are_refused_at_their_line(project: Project, check: Any, problem: str) -> None:
    (found,) = refusal(project, check, **CAPTURE)
    assert found.startswith("scenarios.yaml:1:")
    assert problem in found


@pytest.mark.parametrize(
    ("check", "key"),
    [
        ({"contains": "a", "in": "tools"}, "tools"),
        ({"tools_called": []}, "tools"),
        ({"json_path": {"path": "a", "equals": 1}, "in": "context"}, "context"),
    ],
)
def test_what_nobody_captures_cannot_be_looked_at(project: Project, check: Any, key: str) -> None:
    other = "context" if key == "tools" else "tools"
    for target in ({}, {"capture": {other: "x"}}):
        (found,) = refusal(project, {"contains": "a"}, check, **target)
        assert found.startswith("scenarios.yaml:1:")
        assert f"but target captures none (set target.capture.{key}" in found


def test_a_default_that_cannot_be_looked_at_is_told_once_at_its_own_line(project: Project) -> None:
    project.write()
    (project.folder / "scenarios.yaml").write_text(
        "criterion: refunds\n"
        "defaults:\n"
        "  checks:\n"
        "    - contains: a\n"
        "    - tools_called: [find]\n"
        "scenarios:\n"
        "  - {name: One, message: a}\n"
        "  - {name: Two, message: b}\n"
    )
    with pytest.raises(InvalidInput) as raised:
        project.run()
    (problem,) = raised.value.problems
    assert str(problem).startswith("scenarios.yaml:5:")


def test_a_run_is_decided_and_told_by_its_tools(project: Project) -> None:
    checks = [{"tools_called": ["find", "pay"]}, {"contains": "terms", "in": "context"}]
    project.write(
        scenario("Pays", "pay", checks=checks), scenario("Asks", checks=checks), target=CAPTURE
    )
    project.run()
    pays, asks = project.report()["groups"][0]["tests"]
    assert (pays["result"], asks["result"]) == ("passed", "failed")
    run = asks["runs"][0]
    assert run["reason"] == 'wanted calls of find, pay; found: "find"'
    assert [(each["kind"], each["inside"]) for each in run["checks"][:2]] == [
        ("tools_called", None),
        ("contains", "context"),
    ]
    assert asks["checks"] == ["tools_called: ['find', 'pay']", "contains: 'terms' in context"]
    html = (project.folder / "out/report.html").read_text("utf-8")
    assert "<q>terms</q> in context: holds" in html


def test_the_schema_of_scenario_files_knows_what_goes_together() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(generated_files()["schemas/scenarios.schema.json"])
    good = [
        {"contains": "a", "in": "tools"},
        {"tools_called": []},
        {"tools_called": "a"},
        {"equals": None},
    ]
    bad = [{"max_chars": 9, "in": "tools"}, {"in": "tools"}, {"contains": "a", "regex": "b"}]
    for check in (*good, *bad):
        file = {"criterion": "a", "scenarios": [{"name": "a", "message": "b", "checks": [check]}]}
        assert jsonschema.Draft202012Validator(schema).is_valid(file) is (check in good), check
