"""A list of expectations: every format shows each with its own result, and what is certain."""

import json
from typing import Any

import pytest

from ci_judge.model.document import ReportDocument, RunEntry
from ci_judge.renderers import console, html_report, json_report, junit, markdown
from ci_judge.renderers.item_results import CERTAIN, item_results
from tests.builders import Runs, a_check, a_group, a_report, a_run, a_test, a_vote

EXPECTED = ["Is polite.", 'Names "14 days".', "Is short."]
JUDGED: dict[str, Any] = {
    "certain": False,
    "reason": "expectation 3: Far too long.",
    "checks": [a_check(item=2)],
    "votes": [
        a_vote(item=1, reason="Very polite."),
        a_vote(item=2, reason="Names them."),
        a_vote(item=3, passed=False, reason="Far too long."),
    ],
}
CHECKED: dict[str, Any] = {
    "certain": True,
    "reason": 'wanted the phrase "14 days"; found: "You get it back."',
    "checks": [a_check(item=2, passed=False, found='"You get it back."')],
    "votes": [],
    "trials": [],
}


def report_of(run: dict[str, Any]) -> tuple[ReportDocument, Runs]:
    test = a_test("c/x", passes=0, fails=1, expected=EXPECTED)
    runs: list[RunEntry] = [a_run("c/x", 1, "fail", **run)]
    return a_report(a_group(test, id="c"), runs=runs)


def states(run: dict[str, Any], **test: Any) -> list[tuple[str, bool]]:
    entry = a_test("c/x", **{"expected": EXPECTED} | test)
    return [(item.state, item.certain) for item in item_results(entry, a_run("c/x", **run))]


def test_each_item_has_the_result_of_its_own_vote() -> None:
    assert states(JUDGED) == [("met", False), ("met", False), ("not met", False)]


def test_a_phrase_that_is_missing_decides_its_item_for_certain_and_the_others_not_at_all() -> None:
    assert states(CHECKED) == [("not judged", False), ("not met", True), ("not judged", False)]


def test_a_vote_that_a_failed_judge_leaves_open_is_undecided() -> None:
    votes = [a_vote(item=1), a_vote(item=2, passed=None), a_vote(item=3, passed=False)]
    run = JUDGED | {"votes": votes}
    assert [state for state, _ in states(run)] == ["met", "undecided", "not met"]


def test_one_expectation_is_no_list() -> None:
    assert states(JUDGED, expected=EXPECTED[:1]) == []


LINES: dict[str, tuple[Any, list[str], list[str]]] = {
    "console": (
        console,
        ["expectation 1 met: Is polite.", "expectation 3 not met: Is short."],
        ['expectation 2 not met: Names "14 days".', "expectation 1 not judged", f"({CERTAIN})"],
    ),
    "markdown": (
        markdown,
        ["Expectation 1 met: Is polite.", "Expectation 3 not met: Is short.", "Far too long."],
        [f'Expectation 2 not met ({CERTAIN}): Names "14 days".', f'back." ({CERTAIN})'],
    ),
    "junit": (
        junit,
        ["Expectation 1: met", "Expectation 3: not met", "Far too long."],
        [f"Expectation 2: not met ({CERTAIN})", f"Why it failed ({CERTAIN})"],
    ),
    "html": (
        html_report,
        ["1 of 3: met<", "3 of 3: not met<", "Far too long."],
        [f"2 of 3: not met ({CERTAIN})<", "1 of 3: not judged<", f">{CERTAIN}<"],
    ),
}


@pytest.mark.parametrize(("renderer", "judged", "checked"), LINES.values(), ids=LINES.keys())
def test_every_format_shows_each_item_and_what_is_certain(
    renderer: Any, judged: list[str], checked: list[str]
) -> None:
    text = "".join(renderer.render(*report_of(JUDGED)))
    assert [part for part in judged if part not in text] == []
    assert CERTAIN not in text
    text = "".join(renderer.render(*report_of(CHECKED)))
    assert [part for part in checked if part not in text] == []


def test_json_has_each_vote_and_each_phrase_by_its_item() -> None:
    (run,) = json.loads("".join(json_report.render(*report_of(JUDGED))))["groups"][0]["tests"][0][
        "runs"
    ]
    assert [(vote["item"], vote["passed"]) for vote in run["votes"]] == [
        (1, True),
        (2, True),
        (3, False),
    ]
    assert [check["item"] for check in run["checks"]] == [2]
