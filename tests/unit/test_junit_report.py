import re
import xml.etree.ElementTree as ET
from io import BytesIO
from typing import Any

import junitparser
import pytest
from hypothesis import given

from ci_judge.model.document import ReportDocument
from ci_judge.renderers.junit import (
    NAME_CHARS,
    SYSTEM_OUT_BYTES,
    UnreadableJUnit,
    _read_again,
    render,
)
from tests.builders import Runs, a_case, a_group, a_report, a_run, a_skipped_test, a_test
from tests.hostile import a_hostile_report, texts

SUITE_ATTRIBUTES = {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "file"}
CASE_ATTRIBUTES = {"name", "classname", "time", "file", "line"}
ORDER = ["properties", "skipped", "error", "failure", "system-out"]


def written(document: ReportDocument, runs: Runs) -> ET.Element:
    return ET.fromstring("".join(render(document, runs)).encode())  # noqa: S314 - our own file


def one_case(test: Any, **changes: Any) -> ET.Element:
    case = written(*a_report(a_group(test), **changes)).find("testsuite/testcase")
    assert case is not None
    return case


def a_mixed_report() -> tuple[ReportDocument, Runs]:
    return a_report(
        a_group(
            a_test("refunds/passes"),
            a_test("refunds/fails", passes=8, fails=2),
            a_test("refunds/undecided", passes=9, errors=1),
            a_test("refunds/advisory", passes=1, fails=9, advisory=True),
            a_skipped_test("refunds/skipped"),
            id="refunds",
        ),
        a_group(id="bare"),
        a_group(a_case(fails=1), id="case_price.py", kind="cases"),
    )


def hold_strict_rules(root: ET.Element) -> None:
    """What the strictest readers insist on: known attributes, digits, order, true counts."""
    assert root.tag == "testsuites"
    for suite in root:
        assert set(suite.attrib) <= SUITE_ATTRIBUTES
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.get(key) == str(len(suite.findall(f"testcase/{tag}")))
        for case in cases:
            assert set(case.attrib) <= CASE_ATTRIBUTES
            tags = [child.tag for child in case]
            assert tags == sorted(tags, key=ORDER.index)
            assert len({"skipped", "error", "failure"} & set(tags)) <= 1
    for element in root.iter():
        if "time" in element.attrib:
            assert re.fullmatch(r"\d+\.\d{3}", element.attrib["time"])
    for key in ("tests", "failures", "errors", "skipped"):
        assert root.get(key) == str(sum(int(suite.attrib[key]) for suite in root))


def test_each_result_becomes_what_readers_know() -> None:
    root = written(*a_mixed_report())
    hold_strict_rules(root)
    found = {
        case.get("name"): [child.tag for child in case if child.tag != "properties"]
        for case in root.iter("testcase")
    }
    assert found == {
        "refunds/passes": [],
        "refunds/fails": ["failure", "system-out"],
        "refunds/undecided": ["error", "system-out"],
        "refunds/advisory": ["skipped", "system-out"],
        "refunds/skipped": ["skipped"],
        "case_price.py::test_discount": ["failure", "system-out"],
    }


def test_junitparser_reads_the_same() -> None:
    text = "".join(render(*a_mixed_report()))
    parsed = junitparser.JUnitXml.fromstring(text.encode())
    assert (parsed.tests, parsed.failures, parsed.errors, parsed.skipped) == (6, 2, 1, 2)
    suites = list(parsed)
    assert [suite.name for suite in suites] == ["refunds", "case_price.py"]
    first = next(iter(suites[0]))
    names = {prop.name: prop.value for prop in first.child(junitparser.Properties)}  # type: ignore[no-untyped-call] # it has no types
    assert names["rate"] == "1.0000"
    assert names["interval"] == "0.7225 1.0000"
    assert (names["threshold"], names["runs"], names["passes"]) == ("0.7", "10", "10")
    assert (names["seed"], names["judge"]) == ("7", "stub")


def test_a_failure_says_why_in_one_line_and_shows_the_first_failing_run() -> None:
    case = one_case(a_test("refunds/x", passes=8, fails=2))
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == (
        "8 of 10 passed (95 % interval 49 to 94 %); the gate needs at least 10 of 10."
        ' First: The response does not contain "14 days".'
    )
    assert failure.get("type") == "not_proven"
    assert "Run 1 of 10\nExpected:\n  States the" in str(failure.text)
    assert "Assistant:\n  You get every penny back." in str(failure.text)
    assert (case.get("classname"), case.get("line")) == ("scenarios.refunds", "12")


def test_details_say_what_to_do_next() -> None:
    details = str(one_case(a_test("a/x", passes=4, fails=16)).findtext("failure"))
    assert "\nNext: read the failing answers; fix the feature if they are wrong, " in details
    skipped = one_case(a_skipped_test("a/x")).findtext("skipped")
    assert "Next" not in str(skipped)


def test_a_broken_judge_is_told_beside_failures() -> None:
    trouble = {"outcome": "judge_error", "reason": "answered 404\x00", "runs": 11}
    case = one_case(
        a_test("a/x", passes=0, fails=3, errors=11, result="failed", troubles=[trouble])
    )
    failure = case.find("failure")
    assert failure is not None
    told = "11 runs ended in errors because the judge gave no verdict: answered 404\\x00"
    assert str(failure.get("message")).endswith(told)
    assert f"\n{told}\nNext: first make the judge give verdicts" in str(failure.text)
    assert str(case.findtext("system-out")).startswith(f"{told}\n\nRun 1 of 14\n")


def test_errors_are_told_where_a_test_passed_in_spite_of_them() -> None:
    case = one_case(a_test("a/x", passes=19, errors=1, result="passed"))
    assert [child.tag for child in case] == ["properties", "system-out"]
    assert str(case.findtext("system-out")).startswith("1 run ended in an error because the target")


def test_a_sentence_that_is_missing_still_leaves_a_failure() -> None:
    test = a_test("refunds/x", passes=0, fails=1)
    test["gate"]["sentence"] = ""
    failure = one_case(test, runs=[a_run("refunds/x", 1, "fail", reason=" ")]).find("failure")
    assert failure is not None
    assert failure.get("message")


@pytest.mark.parametrize(
    ("seconds", "written_as"),
    [(0.0, "0.000"), (0.00001, "0.000"), (1e9, "1000000000.000"), (-1.0, "0.000"), (1.5, "1.500")],
)
def test_time_is_always_there_and_fixed_point(seconds: float, written_as: str) -> None:
    assert one_case(a_test("a/x", duration_seconds=seconds)).get("time") == written_as


def test_names_that_cleaning_would_merge_stay_apart() -> None:
    long = "c/" + "x" * NAME_CHARS
    ids = ["c/a b", "c/a  b", "c/a b ", "c/a\nb", f"{long}1", f"{long}2", "c/A b"]
    root = written(*a_report(a_group(*map(a_test, ids))))
    names = [case.attrib["name"] for case in root.iter("testcase")]
    assert len(set(names)) == len(ids)
    assert names[0] == "c/a b"


def test_names_do_not_depend_on_what_else_is_there() -> None:
    alone = one_case(a_test("c/a  b")).get("name")
    root = written(*a_report(a_group(a_test("c/a b"), a_test("c/a  b"))))
    assert [case.get("name") for case in root.iter("testcase")][1] == alone


def test_system_out_is_bounded_in_bytes_and_says_so() -> None:
    run = a_run("a/x", 1, "fail", transcript=[{"role": "user", "content": "é" * 20_000}] * 9)
    case = one_case(a_test("a/x", passes=0, fails=1), runs=[run])
    for tag in ("system-out", "failure"):
        text = str(case.findtext(tag))
        assert len(text.encode()) <= SYSTEM_OUT_BYTES
        assert text.endswith("[cut here; the report has all of it]")


def test_what_xml_allows_is_unchanged_and_the_rest_is_shown() -> None:
    said = "\x1b[31mred\x00\x85 tab\t emoji 😀 ]]> <b>&amp;"
    run = a_run("a/x", 1, "fail", transcript=[{"role": "assistant", "content": said}])
    text = str(one_case(a_test("a/x", passes=0, fails=1), runs=[run]).findtext("failure"))
    assert "\\x1b[31mred\\x00\x85 tab\t emoji 😀 ]]> <b>&amp;" in text


def test_the_self_check_sees_a_lost_failure() -> None:
    lost = "<testsuite><testcase/></testsuite>"
    with pytest.raises(UnreadableJUnit, match="meant"):
        _read_again(lost, [a_test("a/x", passes=0, fails=1)])
    with pytest.raises(UnreadableJUnit):
        _read_again("<testsuite>\x00", [])


@given(text=texts)
def test_hostile_text_changes_no_count(text: str) -> None:
    data = "".join(render(*a_hostile_report(text))).encode()
    root = ET.parse(BytesIO(data)).getroot()  # noqa: S314 - our own file
    hold_strict_rules(root)
    assert [root.get(key) for key in ("tests", "failures", "errors", "skipped")] == [*"6212"]
