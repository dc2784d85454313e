"""How reports tell chance from a change, and name weaker rules first."""

import re
from typing import Any, cast

import pytest

from ci_judge.cli.compare import compare_lines
from ci_judge.model.document import ReportDocument, WeakerEntry
from ci_judge.renderers import console, html_report, junit, markdown
from ci_judge.renderers.chance import (
    difference_words,
    p_words,
    points,
    sample_words,
    together_lines,
    together_words,
    weaker_line,
)
from ci_judge.renderers.changes import change_counts, change_words
from tests.builders import Runs, a_difference, a_group, a_report, a_test, a_together
from tests.unit.test_baseline_reports import a_baseline, a_change


def a_weaker(**changes: Any) -> WeakerEntry:
    weaker: dict[str, Any] = {"kind": "threshold", "was": "0.8", "now": "0.7", "tests": ["g/a"]}
    return cast("WeakerEntry", weaker | changes)


def a_worse_report(**changes: Any) -> tuple[ReportDocument, Runs]:
    worse = a_change("significantly_worse", passes=20, judged=20, difference=a_difference())
    tests = (
        a_test("g/a", passes=15, fails=5, result="passed", change=worse),
        a_test("g/b", passes=19, fails=1, result="passed", change=a_change("worse_within_noise")),
    )
    given: dict[str, Any] = {"suite": a_together(), "weaker": [a_weaker()]}
    return a_report(a_group(*tests, id="g"), baseline=a_baseline(**(given | changes)))


@pytest.mark.parametrize(
    ("p", "words"),
    [(0.0, "p < 0.001"), (0.00099, "p < 0.001"), (0.001, "p = 0.001"), (0.0236, "p = 0.024")],
)
def test_a_p_value_never_reads_as_nothing(p: float, words: str) -> None:
    assert p_words(p) == words


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.25, "25 points"), (-0.25, "25 points"), (0.01, "1 point"), (0.004, "0.4 points")],
)
def test_what_a_rate_fell_by_is_points_and_no_percentage(share: float, words: str) -> None:
    assert points(share) == words


def test_a_drop_is_told_with_its_interval() -> None:
    assert difference_words(a_difference()) == (
        "20 of 20 → 15 of 20, a drop of 25 points (4 to 47), p = 0.011"
    )
    rise = a_difference(drop=-0.1, drop_interval=[-0.3, 0.08], p=0.99)
    assert difference_words(rise).endswith("a rise of 10 points (-8 to 30)")
    assert difference_words(a_difference(drop=0.0)) == "20 of 20 → 15 of 20"


def test_the_two_ways_to_be_lower_are_told_apart() -> None:
    worse = a_change("significantly_worse", passes=20, judged=20, difference=a_difference())
    test = a_test(passes=15, fails=5, change=worse)
    assert change_words(test) == "worse by more than chance, was 20 of 20"
    noise = a_change("worse_within_noise", passes=20, judged=20, difference=a_difference())
    test = a_test(passes=15, fails=5, change=noise)
    assert change_words(test) == "lower, within noise, was 20 of 20"


def test_of_an_adaptive_test_the_runs_that_were_compared_are_told() -> None:
    worse = a_change("significantly_worse", passes=38, judged=40, difference=a_difference())
    test = a_test(passes=70, fails=30, change=worse)
    assert sample_words(test) == "first 20 runs: 15 passed, was 20 of 20"
    assert change_words(test) == (
        "worse by more than chance, first 20 runs: 15 passed, was 20 of 20"
    )
    assert sample_words(a_test()) == sample_words(a_test(change=a_change("added"))) == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "worse by more than chance (p = 0.012, mid-p 0.007)"),
        (
            {"significant": False, "p": 0.2, "mid_p": 0.14},
            (
                "lower, within noise (p = 0.200, mid-p 0.140); a drop of 13 points in all of them"
                " would probably have been seen"
            ),
        ),
        (
            {"significant": False, "passes": 40, "p": 1.0, "mid_p": 0.5, "detectable_drop": None},
            "not worse (p = 1.000, mid-p 0.500); so few runs would hardly show any drop",
        ),
    ],
)
def test_what_the_suite_came_to(changes: dict[str, Any], words: str) -> None:
    told = together_words(a_together(**changes))
    assert told.split(": ", 1)[1] == words


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "weaker rule: threshold 0.8 → 0.7 (g/a)"),
        ({"tests": list("abcde")}, "weaker rule: threshold 0.8 → 0.7 (a, b, c and 2 more)"),
        (
            {"kind": "check", "was": "max_chars 9", "now": ""},
            "weaker rule: dropped check max_chars 9 (g/a)",
        ),
        (
            {"kind": "waiver", "was": "not waived", "now": "waived"},
            "weaker rule: new waiver (g/a)",
        ),
        (
            {"kind": "judge", "was": "threshold 0.5", "now": "0.4", "tests": []},
            "weaker rule: judge threshold 0.5 → 0.4",
        ),
    ],
)
def test_a_weaker_rule_in_a_line(changes: dict[str, Any], line: str) -> None:
    assert weaker_line(a_weaker(**changes)) == line


def test_the_first_line_of_the_comment_names_weaker_rules() -> None:
    text = "".join(markdown.render(*a_worse_report()))
    assert text.splitlines()[0] == (
        "> ⚠️ **One rule asks for less than in the baseline**: threshold `0.8` → `0.7` (`g/a`)."
    )
    assert "".join(markdown.render(*a_worse_report(weaker=[]))).startswith("### ")


def test_the_comment_says_what_got_worse_in_counts() -> None:
    text = "".join(markdown.render(*a_worse_report()))
    assert (
        "- the 2 compared tests together: 34 of 40 passed, was 40 of 40: worse by more"
        " than chance\n" in text
    )
    assert "- worse by more than chance: `A` (20 of 20 → 15 of 20)" in text
    assert "p = " not in text


def test_a_criterion_that_got_worse_is_named_beside_others() -> None:
    criteria = [a_together(criterion="refunds"), a_together(criterion="g", significant=False)]
    text = "".join(markdown.render(*a_worse_report(criteria=criteria)))
    assert "- criterion `refunds`: 34 of 40 passed, was 40 of 40: worse by more than chance" in text
    assert "criterion `g`" not in text


def test_console_and_page_say_it_with_the_figures() -> None:
    document, runs = a_worse_report()
    lines = "".join(console.render(document, runs))
    page = "".join(html_report.render(document, runs))
    page = re.sub(r"<[^>]*>", "", page)
    for shown in (lines, page):
        assert "weaker rule: threshold 0.8 → 0.7 (g/a)" in shown
        assert (
            "the 2 compared tests together: 34 of 40 passed, was 40 of 40: worse by more"
            " than chance (p = 0.012, mid-p 0.007)"
        ) in shown
        assert "worse by more than chance, was 20 of 20" in shown
    assert "a drop of 25 points (4 to 47), p = 0.011" in page


def test_weaker_rules_look_like_a_warning_on_the_page() -> None:
    def notice(**changes: Any) -> tuple[str, str]:
        text = "".join(html_report.render(*a_worse_report(**changes)))
        found = re.search(r'<div class="notice (\w+)"><span aria-hidden="true">(.)</span>', text)
        assert found is not None
        return found[1], found[2]

    assert notice() == ("advisory", "!")
    assert notice(weaker=[]) == ("skipped", "i")


def test_what_is_compared_by_its_rate_is_not_called_not_comparable() -> None:
    reasons = ["its gate changed"]
    by_rate = a_change(
        "not_comparable", passes=20, judged=20, reasons=reasons, difference=a_difference()
    )
    test = a_test("g/a", passes=15, fails=5, change=by_rate)
    assert change_words(test).startswith("compared by the rate alone: its gate changed, was")
    other = a_test("g/b", change=a_change("not_comparable", reasons=["another judge"]))
    document, _ = a_report(a_group(test, other, id="g"), baseline=a_baseline())
    assert change_counts(document) == "1 not comparable, 1 compared by the rate alone"
    lines = list(compare_lines(document, None))
    assert {"not comparable: 1", "compared by the rate alone: 1"} <= set(lines)


def test_junit_has_the_change_and_its_p_value_as_properties() -> None:
    text = "".join(junit.render(*a_worse_report()))
    assert '<property name="change" value="significantly_worse" />' in text.replace('"/>', '" />')
    assert '<property name="change_p" value="0.011264" />' in text.replace('"/>', '" />')


def test_the_verdict_of_a_step_that_fails_without_a_failed_gate_says_why() -> None:
    document, runs = a_worse_report(weaker=[])
    document["status"], document["exit_code"] = "failed", 1
    document["summary"]["regressions"] = 1
    shown = "1 regression since the baseline; All 2 tests passed"
    assert f"### ❌ CI Judge: {shown}" in "".join(markdown.render(document, runs))
    assert f"✗ {shown}" in "".join(console.render(document, runs))
    gone, runs = a_worse_report(weaker=[], suite=None)
    gone["status"], gone["summary"]["regressions"] = "failed", 1
    assert "1 test of the baseline gone; All" in "".join(markdown.render(gone, runs))


def test_an_end_of_the_interval_near_nothing_has_no_sign() -> None:
    told = difference_words(a_difference(drop=0.2, drop_interval=[-0.0009, 0.42], p=0.03))
    assert told.endswith("a drop of 20 points (0 to 42), p = 0.030")


def test_what_never_passed_is_not_called_too_few_runs() -> None:
    nothing = a_together(was_passes=0, passes=0, significant=False, p=1.0, detectable_drop=None)
    told = together_words(nothing, figures=False)
    assert told == "0 of 40 passed, was 0 of 40: not worse; none passed before, so none can fall"


def test_a_suite_that_got_worse_says_where_no_test_can_be_named() -> None:
    document, _ = a_worse_report()
    told = dict(together_lines(document, figures=False))[None]
    assert told.endswith("worse by more than chance")
    for test in document["groups"][0]["tests"]:
        test["change"] = a_change("worse_within_noise")
    told = dict(together_lines(document, figures=False))[None]
    assert told.endswith("worse by more than chance; it cannot be told which of them")
