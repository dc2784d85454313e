import json
from typing import Any

import jsonschema
import pytest

from ci_judge.renderers.json_report import render
from ci_judge.renderers.report_schema import report_schema, validate_report
from tests.builders import a_case, a_group, a_report, a_skipped_test, a_test


def a_written_report() -> Any:
    document, runs = a_report(
        a_group(a_test("a/x", passes=1, fails=1, errors=1), a_skipped_test("a/y")),
        a_group(a_case(), id="case_price.py", kind="cases"),
    )
    return json.loads("".join(render(document, runs)))


def test_is_a_json_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(report_schema())
    jsonschema.Draft202012Validator.check_schema(report_schema(closed=True))


def test_what_is_written_holds_every_key_and_no_other() -> None:
    jsonschema.Draft202012Validator(report_schema(closed=True)).validate(a_written_report())


def test_reading_tolerates_keys_of_later_releases_and_writing_does_not() -> None:
    report = a_written_report() | {"colour": None}
    assert validate_report(report) == ()
    with pytest.raises(jsonschema.ValidationError, match="colour"):
        jsonschema.Draft202012Validator(report_schema(closed=True)).validate(report)


def test_runs_are_optional_and_nothing_else_is() -> None:
    test = report_schema()["$defs"]["TestEntry"]
    assert set(test["properties"]) - set(test["required"]) == {"runs"}


def test_names_what_is_wrong_and_where() -> None:
    report = a_written_report()
    del report["summary"]["tests"]
    report["groups"][0]["tests"][0]["result"] = "great"
    first, second = validate_report(report)
    assert first.startswith("$.groups[0].tests[0].result: 'great' is not one of")
    assert second == "$.summary: 'tests' is a required property"


def test_a_yes_is_no_count() -> None:
    report = a_written_report()
    report["summary"]["tests"] = True
    assert validate_report(report) == ("$.summary.tests: True is not of type 'integer'",)


@pytest.mark.parametrize("value", [None, [], "report", 1, {}])
def test_other_json_is_refused(value: object) -> None:
    assert validate_report(value)


def test_another_version_is_refused() -> None:
    assert validate_report(a_written_report() | {"schema_version": 2}) == (
        "$.schema_version: 1 was expected",
    )


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("anchor", 'x" onclick="x', "is no HTML id"),
        ("interval", [], "is not [low, high] within 0 to 1"),
        ("interval", [0.5, 0.4], "is not [low, high] within 0 to 1"),
        ("interval", [0.5, 1.4], "is not [low, high] within 0 to 1"),
        ("id", "a/y", "test id 'a/y' is there twice"),
    ],
)
def test_what_types_cannot_say_is_checked_too(key: str, value: object, problem: str) -> None:
    report = a_written_report()
    report["groups"][0]["tests"][0][key] = value
    [found] = validate_report(report)
    assert problem in found


def test_says_no_more_than_people_read() -> None:
    report = a_written_report()
    report["warnings"] = [1] * 100
    assert len(validate_report(report)) == 20
