"""The quick check says yes only to what a full validator says yes to, and to every report."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.renderers.quick_schema import quick_check
from ci_judge.renderers.report_schema import report_schema
from tests.builders import a_case, a_group, a_panel, a_report, a_skipped_test, a_test

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=6,
)
SCHEMAS = [
    {"type": "integer"},
    {"type": ["string", "null"]},
    {"type": "number"},
    {"enum": ["", "0", "a"]},
    {"const": 1},
    {"const": True},
    {"type": "array", "items": {"type": "boolean"}},
    {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Node"}]},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
    {"type": "object", "additionalProperties": {"type": "string"}},
]
STRANGE: list[Any] = [None, True, 1.5, "strange", [], {}, {"strange": 1}]
NODE = {"type": "object", "properties": {"a": {"$ref": "#/$defs/Node"}}, "required": ["b"]}


def a_whole_report() -> Any:
    tests = [a_test("a/x", passes=8, fails=2), a_test("a/y", errors=2), a_skipped_test("a/z")]
    document, runs = a_report(a_group(*tests), a_group(a_case(), id="c.py", kind="cases"))
    for group in document["groups"]:
        for test in group["tests"]:
            test["runs"] = list(runs.runs(test["id"]))
    return json.loads(json.dumps({**document, "judge": a_panel("one", "two")}))


@given(st.sampled_from(SCHEMAS), JSON)
def test_it_says_yes_to_nothing_that_does_not_fit(schema: dict[str, Any], value: Any) -> None:
    whole = {**schema, "$defs": {"Node": NODE}}
    if quick_check(whole)(value):
        jsonschema.Draft202012Validator(whole).validate(value)


@pytest.mark.parametrize("closed", [False, True])
def test_it_says_yes_to_reports(closed: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert quick_check(report_schema(closed=closed))(a_whole_report())


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield value, key
        if isinstance(item, dict | list):
            yield from _places(item)


def test_no_place_of_a_report_takes_what_the_full_validator_refuses_there() -> None:
    schema = report_schema(closed=True)
    quick, full = quick_check(schema), jsonschema.Draft202012Validator(schema)
    report = a_whole_report()
    run = report["groups"][0]["tests"][0]["runs"][0]
    report["groups"][0]["tests"] = report["groups"][0]["tests"][:1]
    report["groups"][0]["tests"][0]["runs"] = [run]
    del report["groups"][1:]
    refused = 0
    for holder, key in list(_places(report)):
        kept = holder[key]
        for strange in STRANGE:
            holder[key] = strange
            if not quick(report):
                refused += 1
            else:
                assert full.is_valid(report), (key, strange)
        holder[key] = kept
    assert refused > 500


def test_an_unknown_keyword_is_no_silent_yes() -> None:
    with pytest.raises(ValueError, match="minimum"):
        quick_check({"type": "integer", "minimum": 3})
