"""What two reports must have in common: a judge that is told the same, and the same criteria."""

from typing import Any

import pytest

from ci_judge.model.document import GroupEntry, ReportDocument
from ci_judge.workflows.baseline import baseline_of
from ci_judge.workflows.comparability import Across
from ci_judge.workflows.comparing import ComparingRules, compared
from tests.builders import a_case, a_document, a_group, a_judge, a_panel, a_test

GOOD = "refund-policy/asks"
JUDGE: dict[str, Any] = {"provider": "openai", "model": "m", "instructions": None, "panel": []}
INSTRUCTED = "the judge has other instructions"
CRITERION = "its criterion or the judge's instructions for it changed"


def kinds(was: ReportDocument, now: ReportDocument, *across: Across) -> dict[str, list[str]]:
    rules = ComparingRules(fail_on="regression", across=frozenset(across))
    held = compared(now, baseline_of(was, source="here"), rules=rules)
    tests = [test for group in held["groups"] for test in group["tests"]]
    return {test["id"]: test["change"]["reasons"] for test in tests if test["change"]}


def set_up(judge: dict[str, Any] | None = None, **criteria: Any) -> ReportDocument:
    settings = {"judge": judge or JUDGE, "criteria": criteria}
    group = a_group(a_test(GOOD), a_case("c.py::case_a"))
    return a_document(group, settings=settings)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"instructions": "Any polite answer will do."}, INSTRUCTED),
        ({"panel": [{**JUDGE, "instructions": "Any polite answer will do."}]}, INSTRUCTED),
        ({"command": ["judge", "--mild"]}, "another judge, model or prompt"),
        ({"logprobs": True}, "another judge, model or prompt"),
    ],
)
def test_a_judge_that_is_told_something_else_is_another(
    change: dict[str, Any], reason: str
) -> None:
    now = set_up({**JUDGE, **change})
    was = set_up({**JUDGE, "panel": [JUDGE]} if "panel" in change else JUDGE)
    assert kinds(was, now) == {GOOD: [reason], "c.py::case_a": [reason]}
    assert kinds(was, now, "judge") == {GOOD: [], "c.py::case_a": []}
    assert kinds(now, now) == {GOOD: [], "c.py::case_a": []}


def test_instructions_for_one_criterion_are_part_of_what_its_tests_are_asked() -> None:
    mild = set_up(**{"refund-policy": {"instructions": "Any polite answer will do."}})
    assert kinds(set_up(), mild)[GOOD] == [CRITERION]
    assert kinds(mild, set_up())[GOOD] == [CRITERION]
    assert kinds(set_up(), set_up(other={"instructions": "Be kind."}))[GOOD] == []
    assert kinds(set_up(), mild, "judge")[GOOD] == []


@pytest.mark.parametrize(
    ("changed", "reasons"),
    [
        ({"description": "Customers hear something."}, [CRITERION]),
        ({"title": "Whatever"}, [CRITERION]),
        ({"description": "Customers hear\n the whole  refund policy."}, []),
        ({"line": 30, "file": "other.md"}, []),
        ({"kind": "cases", "title": "moved.py"}, []),
    ],
)
def test_the_words_of_a_criterion_are_what_its_tests_are_judged_by(
    changed: dict[str, Any], reasons: list[str]
) -> None:
    def of(group: GroupEntry) -> ReportDocument:
        return a_document(group)

    was, now = of(a_group(a_test(GOOD))), of(a_group(a_test(GOOD), **changed))
    assert kinds(was, now) == {GOOD: reasons}


@pytest.mark.parametrize("settings", [{}, {"judge": 3, "criteria": []}, {"criteria": {"x": 3}}])
def test_a_report_from_elsewhere_may_hold_any_settings(settings: dict[str, Any]) -> None:
    document = a_document(a_group(a_test(GOOD)), settings=settings)
    assert kinds(document, document) == {GOOD: []}


def judged(was: Any, now: Any, *across: Across) -> list[tuple[str, str]]:
    documents = [a_document(a_group(a_test(GOOD)), judge=judge) for judge in (was, now)]
    rules = ComparingRules(across=frozenset(across))
    held = compared(documents[1], baseline_of(documents[0], source="here"), rules=rules)
    assert held["baseline"] is not None
    return [(each["was"], each["now"]) for each in held["baseline"]["weaker"]]


def test_a_judge_that_is_milder_in_a_panel_alone_is_named() -> None:
    was, now = a_panel("a", "b"), a_panel("a", "b")
    now["panel"][1]["threshold"] = 0.2
    now["panel"][0]["minimum_pass_rate"] = "1/3"
    assert judged(was, now) == [
        ("judge 1: minimum_pass_rate 2/3", "1/3"),
        ("judge 2: threshold 0.5", "0.2"),
    ]
    assert judged(now, was) == []


def test_fewer_repetitions_of_a_judge_ask_for_less() -> None:
    was, now = a_judge(repetitions=5), a_judge()
    assert judged(was, now) == [("repetitions 5", "1")]
    assert judged(now, was) == []
    assert judged(was, now, "judge") == []  # two models have rules of their own, on purpose


def test_a_pass_rate_that_none_can_be_takes_no_time() -> None:
    forged = a_judge() | {"minimum_pass_rate": "1e999999999"}
    assert judged(forged, a_judge()) == []
