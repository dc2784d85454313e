"""Patterns with a time limit and JSON Schema, through the real libraries."""

import subprocess
import sys
import time

import pytest

from ci_judge.check_tools import check_tools, pattern_error, schema_error
from ci_judge.model.suite import JsonValue
from ci_judge.rules.checks import Undecided

TOOLS = check_tools()


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\b14\s+days\b", "within 14  days", True),
        (r"\b14\s+days\b", "114 days", False),
        (r"(?i)REFUND", "a refund", True),
        (r"REFUND", "a refund", False),
        (r"^b$", "a\nb", False),
        (r"(?m)^b$", "a\nb", True),
        (r"\d+", "\ud83d 7", True),
    ],
)
def test_search(pattern: str, text: str, *, found: bool) -> None:
    assert TOOLS.search(pattern, text) is found


def test_a_pathological_pattern_runs_out_of_time() -> None:
    hasty = check_tools(timeout_seconds=0.05)
    undecided = hasty.search(r"^((a|b|ab)*)*[cd]$", "ab" * 40 + "e")
    assert isinstance(undecided, Undecided)
    assert undecided.message == "the pattern took longer than 0.05 s"


def test_a_pattern_that_is_none_is_undecided_not_a_crash() -> None:
    assert isinstance(TOOLS.search("(", "text"), Undecided)


@pytest.mark.parametrize("pattern", ["(", "[a", "a{2,1}", "(?P<x>a)(?P<x", "*"])
def test_pattern_errors_are_said(pattern: str) -> None:
    said = pattern_error(pattern)
    assert said
    assert "\n" not in said


@pytest.mark.parametrize("pattern", ["", "a+", r"\p{Lu}", r"(?<=a)b"])
def test_good_patterns(pattern: str) -> None:
    assert pattern_error(pattern) is None


OBJECT: JsonValue = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"$ref": "#/$defs/name"}, "age": {"type": "integer"}},
    "$defs": {"name": {"type": "string"}},
}


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        (OBJECT, {"name": "Ada"}, None),
        (OBJECT, {"name": 1}, "$.name: 1 is not of type 'string'"),
        (OBJECT, {}, "$: 'name' is a required property"),
        (OBJECT, {"name": "Ada", "age": True}, "$.age: True is not of type 'integer'"),
        (True, 1, None),
        (False, 1, "$: False schema does not allow 1"),
        # prefixItems is of draft 2020-12, and nothing to draft 7
        ({"prefixItems": [{"type": "string"}]}, [1], "$[0]: 1 is not of type 'string'"),
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "prefixItems": [{"type": "string"}],
            },
            [1],
            None,
        ),
    ],
)
def test_violation(schema: JsonValue, value: JsonValue, said: str | None) -> None:
    assert TOOLS.violation(schema, value) == said


def test_a_long_value_does_not_flood_the_report() -> None:
    said = TOOLS.violation({"type": "object"}, "x" * 100_000)
    assert isinstance(said, str)
    assert len(said) < 250


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "other.json"},
        {"$ref": "#/$defs/nowhere"},
    ],
)
def test_nothing_is_fetched(schema: JsonValue) -> None:
    undecided = TOOLS.violation(schema, {})
    assert isinstance(undecided, Undecided)
    assert "leads nowhere" in undecided.message


def test_an_endless_schema_is_undecided() -> None:
    assert isinstance(TOOLS.violation({"$ref": "#"}, {}), Undecided)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "objekt"}, "'objekt' is not valid"),
        ({"required": "name"}, "$.required: 'name' is not of type 'array'"),
        ({"$schema": "https://example.org/mine"}, "unknown $schema 'https://example.org/mine'"),
        ({"$schema": 7}, "unknown $schema 7"),
        ({"$ref": "https://example.org/x.json#/a"}, "leads to another document"),
        ("string", "a schema is an object"),
        ([], "a schema is an object"),
        (None, "a schema is an object"),
    ],
)
def test_schema_errors_are_said(schema: JsonValue, said: str) -> None:
    found = schema_error(schema)
    assert found is not None
    assert said in found


@pytest.mark.parametrize(
    "schema",
    [
        OBJECT,
        True,
        {},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"$schema": "http://json-schema.org/draft-07/schema"},
        {
            "$id": "https://example.org/a",
            "$ref": "https://example.org/a#/$defs/x",
            "$defs": {"x": {}},
        },
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
    ],
)
def test_good_schemas(schema: JsonValue) -> None:
    assert schema_error(schema) is None


def test_a_metaschema_needs_no_network() -> None:
    schema = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    assert TOOLS.violation(schema, {"type": "object"}) is None
    assert isinstance(TOOLS.violation(schema, {"type": 7}), str)


def test_importing_the_module_costs_neither_library() -> None:
    code = "import sys, ci_judge.check_tools; print({'regex', 'jsonschema'} & set(sys.modules))"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert shown.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"pattern": "^a+$"}, "aaa", None),
        ({"pattern": "^a+$"}, "aab", "does not match"),
        ({"pattern": "^a+$"}, 7, None),
        ({"patternProperties": {"^n": {"type": "integer"}}}, {"n1": 1, "x": "y"}, None),
        ({"patternProperties": {"^n": {"type": "integer"}}}, {"n1": "one"}, "$.n1"),
        ({"properties": {"id": {"pattern": "^[0-9]+$"}}}, {"id": "12x"}, "$.id"),
    ],
)
def test_patterns_inside_a_schema_mean_what_they_should(
    schema: JsonValue, value: JsonValue, said: str | None
) -> None:
    found = TOOLS.violation(schema, value)
    assert (found is None) if said is None else (isinstance(found, str) and said in found)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": "^(a|a)+$"}, "a" * 60 + "b"),
        ({"items": {"patternProperties": {"^(a|a)+$": {}}}}, [{"a" * 60 + "b": 1}]),
    ],
)
def test_a_pathological_pattern_inside_a_schema_ends_undecided(
    schema: JsonValue, value: JsonValue
) -> None:
    found = check_tools(timeout_seconds=0.05).violation(schema, value)
    assert isinstance(found, Undecided)
    assert "longer than 0.05 s" in found.message


@pytest.mark.parametrize(
    ("schema", "value"), [({"multipleOf": 0.1}, 10**400), ({"multipleOf": 1e-300}, 1e300)]
)
def test_a_value_that_the_library_stumbles_over_is_undecided(
    schema: JsonValue, value: JsonValue
) -> None:
    found = TOOLS.violation(schema, value)
    assert isinstance(found, Undecided | str | None)
    if schema == {"multipleOf": 0.1}:
        assert isinstance(found, Undecided)
        assert "OverflowError" in found.message


def test_many_unique_items_are_told_apart_in_linear_time() -> None:
    items: list[JsonValue] = [{"n": number, "of": [number]} for number in range(60_000)]
    started = time.process_time()
    assert TOOLS.violation({"uniqueItems": True}, items) is None
    assert isinstance(TOOLS.violation({"uniqueItems": True}, [*items, items[7]]), str)
    assert time.process_time() - started < 20, "quadratic takes minutes"


@pytest.mark.parametrize(
    ("items", "unique"),
    [
        ([1, True, "1", None, [], {}, 0, False, ""], True),
        ([1, 1.0], False),
        ([{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}], False),
        ([[True], [1]], True),
        (["object", ["object"]], True),
    ],
)
def test_items_are_unique_as_json_is(items: JsonValue, *, unique: bool) -> None:
    assert (TOOLS.violation({"uniqueItems": True}, items) is None) is unique


def test_a_schema_that_takes_too_long_is_undecided() -> None:
    hasty = check_tools(schema_seconds=0.05)
    schema: JsonValue = {"$defs": {"any": {"not": {"const": 1}}}}
    node: JsonValue = {"$ref": "#/$defs/any"}
    for _ in range(40):
        node = {"allOf": [node, node]}
    schema = {"$defs": {"any": {"not": {"const": 1}}}, **node} if isinstance(node, dict) else schema
    undecided = hasty.violation(schema, 2)
    assert isinstance(undecided, Undecided)
    assert "too long" in undecided.message


@pytest.mark.parametrize(
    ("schema", "fits"),
    [
        ({"additionalProperties": False}, False),
        ({"additionalProperties": True}, True),
        ({"properties": {"a": {}}, "additionalProperties": False}, False),
        ({"properties": {"a": {}, "b1": {}}, "additionalProperties": False}, True),
        ({"patternProperties": {"^[ab]": {}}, "additionalProperties": False}, True),
        ({"additionalProperties": {"type": "integer"}}, True),
        ({"additionalProperties": {"type": "string"}}, False),
    ],
)
def test_additional_properties(schema: JsonValue, *, fits: bool) -> None:
    assert (TOOLS.violation(schema, {"a": 1, "b1": 2}) is None) is fits
