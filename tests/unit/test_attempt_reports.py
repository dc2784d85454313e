"""What every report shows of earlier attempts at the same commit."""

import re
import xml.etree.ElementTree as ET
from itertools import repeat
from typing import Any, Literal

import pytest

from ci_judge.model.document import ReportDocument, Status
from ci_judge.model.document import TestEntry as Entry
from ci_judge.renderers import console, html_report, junit, markdown
from ci_judge.renderers.attempt_history import (
    MOST_CHANGED,
    MOST_STEPS,
    changed_tests,
    earlier_results,
    history_of,
    kept_words,
    result_words,
)
from ci_judge.renderers.markdown_fit import fit
from ci_judge.renderers.next_steps import next_step
from ci_judge.sinks.fitting import utf16_units
from tests import builders
from tests.builders import Runs, a_group, a_report, a_rerun, a_test

PASSED: Literal["passed"] = "passed"
FAILED: Literal["failed"] = "failed"
KEPT = "A re-run keeps these runs: push a change, or judge anew (on GitHub: input fresh: true, or"


def a_second(*before: Status | None, tests: tuple[Entry, ...] = (), **changes: Any) -> Any:
    """Build the report of the attempt after these, and its runs."""
    document, runs = a_report(a_group(*(tests or (a_test(),))))
    document["run"]["rerun"] = a_rerun(*before, **changes)
    return document, runs


def line_of(document: ReportDocument) -> str:
    history = history_of(document)
    assert history is not None
    return history.line


def lines(document: ReportDocument, runs: Runs) -> list[str]:
    return "".join(console.render(document, runs)).splitlines()


def page(document: ReportDocument, runs: Runs) -> str:
    return "".join(html_report.render(document, runs))


def failed_twice(**changes: Any) -> Entry:
    earlier = builders.earlier_results("failed", "failed")
    values: dict[str, Any] = {"passes": 7, "fails": 3, "earlier": earlier}
    return a_test(**(values | changes))


# --- the history -------------------------------------------------------------------------------


def test_a_first_attempt_has_no_history() -> None:
    document, runs = a_report(a_group(a_test()))
    assert history_of(document) is None
    assert kept_words(document["groups"][0]["tests"][0]) == ""
    text = "".join(markdown.render(document, runs))
    assert "ttempt" not in text + page(document, runs).partition("</style>")[2].replace(
        "attempt 1</a>", ""
    )
    assert "ttempt" not in "\n".join(lines(document, runs))


def test_each_attempt_is_shown_the_oldest_first_and_this_one_last() -> None:
    document, _ = a_second("failed", "error")
    assert line_of(document) == "Attempt 3: ✗ failed → ? undecided → ✓ passed"


def test_an_attempt_without_a_report_is_unknown_and_not_left_out() -> None:
    document, _ = a_second("failed", None)
    assert line_of(document) == "Attempt 3: ✗ failed → · unknown → ✓ passed"
    document, _ = a_second(None)
    assert line_of(document) == "Attempt 2: · unknown → ✓ passed"


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("passed", "✓ passed"),
        ("skipped", "- skipped"),
        ("interrupted", "! interrupted"),
        ("invalid", "! nothing judged"),
    ],
)
def test_every_status_has_a_mark_and_a_word(status: Status, told: str) -> None:
    document, _ = a_second(status)
    assert line_of(document) == f"Attempt 2: {told} → ✓ passed"


def test_a_long_history_shows_the_newest_attempts() -> None:
    document, runs = a_second(*repeat(PASSED, 4), *repeat(FAILED, 7))
    line = line_of(document)
    assert line == f"Attempt 12: … → {'✗ failed → ' * 7}✓ passed"
    assert line.count("→") == MOST_STEPS
    whole = page(document, runs)
    assert whole.count("✗</span>failed</span>") == 7
    document, _ = a_second(*repeat(FAILED, MOST_STEPS - 1))
    assert "…" not in line_of(document)


def test_a_number_that_a_forged_report_claims_costs_no_time() -> None:
    document, runs = a_second("failed", attempt=10**18)
    assert line_of(document).startswith("Attempt 1,000,000,000,000,000,000: … → · unknown → ")
    assert "".join(markdown.render(document, runs))
    document, _ = a_second("failed", attempt=-5)
    assert line_of(document) == "Attempt -5: ✓ passed"


def test_an_attempt_that_passed_though_gates_failed_is_no_green_one() -> None:
    document, runs = a_second("failed")
    rerun = document["run"]["rerun"]
    rerun["earlier"][0]["status"] = "passed"
    assert "**Attempt 2:** ⚠️ passed → ✅ **passed**" in "".join(markdown.render(document, runs))


# --- tests -------------------------------------------------------------------------------------


def test_tests_that_did_not_come_to_the_same_are_found() -> None:
    steady = failed_twice(id="g/steady")
    flaky = a_test("g/flaky", earlier=builders.earlier_results("passed", "failed"))
    mended = a_test("g/mended", earlier=builders.earlier_results("error"))
    new = a_test("g/new")
    document, _ = a_second("failed", "failed", tests=(steady, flaky, mended, new))
    assert [test["id"] for test in changed_tests(document)] == ["g/flaky", "g/mended"]
    assert result_words(flaky) == "passed, failed, passed"
    assert earlier_results(flaky) == "passed,failed"
    assert result_words(mended) == "undecided, passed"


def test_only_what_its_gate_said_can_change_a_test() -> None:
    """A waiver, a skip and another gate are somebody's word, and no sign of a flaky test."""
    waived = failed_twice(id="g/waived", earlier=builders.earlier_results("waived", "failed"))
    skipped = a_test("g/skipped", earlier=builders.earlier_results("passed", "skipped"))
    regated = a_test("g/regated", earlier=builders.earlier_results("failed"), regated_from="rate")
    turned = a_test("g/turned", earlier=builders.earlier_results("waived", "skipped"))
    document, _ = a_second("failed", "failed", tests=(waived, skipped, regated, turned))
    assert [test["id"] for test in changed_tests(document)] == ["g/turned"]


def test_what_is_kept_of_a_test_is_told() -> None:
    told = "failed (7 of 10), failed (7 of 10); "
    assert kept_words(failed_twice(carried_runs=10)) == f"{told}all runs are kept"
    assert kept_words(failed_twice(carried_runs=4)) == f"{told}4 of 10 runs are kept"
    assert kept_words(failed_twice()) == f"{told}no run is kept"
    nothing = a_test(errors=1, passes=0, earlier=builders.earlier_results("error"))
    assert kept_words(nothing) == "undecided; no run is kept"
    often = a_test(earlier=builders.earlier_results(*repeat(FAILED, 11)), carried_runs=10)
    assert kept_words(often).startswith("…, failed (7 of 10), ")
    assert kept_words(often).count("failed") == MOST_STEPS - 1


def test_a_failed_test_whose_runs_are_all_kept_names_the_ways_out() -> None:
    assert KEPT in next_step(failed_twice(carried_runs=10))
    assert KEPT not in next_step(failed_twice(carried_runs=9))
    assert KEPT not in next_step(failed_twice())
    undecided = failed_twice(passes=6, errors=3, fails=1, carried_runs=7, result="error")
    assert KEPT not in next_step(undecided)


def test_judging_anew_is_told_for_a_terminal_too() -> None:
    assert "; elsewhere: leave out --continue-from)" in next_step(failed_twice(carried_runs=10))


@pytest.mark.parametrize(
    ("commit", "attempt", "known"),
    [("4f2a9c81d0", 2, True), (None, 2, False), ("4f2a9c81d0", None, False)],
)
def test_what_changed_a_test_is_not_claimed_to_be_known(
    commit: str | None, attempt: int | None, *, known: bool
) -> None:
    """Its text may have been edited, and outside a CI nobody checked that the commit stayed."""
    document, runs = a_second("failed", tests=(failed_twice(passes=10, fails=0),))
    document["run"] |= {"commit": commit, "attempt": attempt}
    for text in ("".join(markdown.render(document, runs)), page(document, runs)):
        assert "the test or its settings were changed, or it is flaky" in text
        assert (" at the same commit: errors had left" in text) is known


# --- formats -----------------------------------------------------------------------------------


def test_markdown_shows_the_history_right_below_the_verdict() -> None:
    document, runs = a_second("failed", "failed")
    text = "".join(markdown.render(document, runs))
    assert text.startswith(
        "### ✅ CI Judge: The only test passed\n\n"
        "**Attempt 3:** ❌ failed → ❌ failed → ✅ **passed**\\\n"
        "10 runs with a verdict were kept from the attempt before; 10 were made now.\n\n"
        "**1 passed**"
    )


def test_markdown_lists_what_changed_and_tells_it_of_each_bad_test() -> None:
    flaky = a_test("g/flaky", earlier=builders.earlier_results("failed", "failed"))
    stays = failed_twice(id="g/stays", carried_runs=10)
    document, runs = a_second("failed", "failed", tests=(flaky, stays))
    text = "".join(markdown.render(document, runs))
    assert "**Changed between attempts:** 1 test at the same commit: " in text
    assert "\n\n- `g/flaky`: failed, failed, passed\n\n" in text
    assert (
        "\\\nEarlier attempts: failed (7 of 10), failed (7 of 10); all runs are kept.\\\n" in text
    )
    assert KEPT in text


def test_many_changed_tests_are_counted() -> None:
    tests = tuple(
        a_test(f"g/t{number}", earlier=builders.earlier_results("failed")) for number in range(23)
    )
    document, runs = a_second("failed", tests=tests)
    text = "".join(markdown.render(document, runs))
    assert text.count(": failed, passed\n") == MOST_CHANGED
    assert "- and 3 more\n" in text
    assert "  and 3 more changed" in lines(document, runs)
    assert "<li>and 3 more tests</li>" in page(document, runs)


def test_the_history_outlives_every_cut() -> None:
    tests = tuple(
        failed_twice(id=f"g/{number}", passes=6, fails=4, carried_runs=10)
        | {"earlier": builders.earlier_results("passed")}
        for number in range(30)
    )
    document, runs = a_second(
        *repeat(FAILED, 11), tests=tests, sentence="Judged anew: " + "x " * 900
    )
    whole = markdown.blocks(document, runs)
    text = fit(whole, limit=3_000, measure=utf16_units)
    assert utf16_units(text) <= 3_000
    assert f"**Attempt 12:** … → {'❌ failed → ' * 7}❌ **failed**" in text
    assert "1 list of tests that changed left out" in text
    assert "**Changed between attempts:** 30 tests" in text


def test_the_console_says_it_beside_the_result() -> None:
    flaky = a_test("g/flaky", earlier=builders.earlier_results("failed", "failed"))
    stays = failed_twice(id="g/stays", carried_runs=10)
    told = lines(*a_second("failed", "failed", tests=(flaky, stays)))
    at = told.index("✗ 1 of 2 tests failed")
    assert told[at - 1] == "changed between attempts: g/flaky: failed, failed, passed"
    assert told[at + 1] == "Attempt 3: ✗ failed → ✗ failed → ✗ failed"
    assert told[at + 2].startswith("note: 10 runs with a verdict were kept")
    assert "      earlier attempts: failed (7 of 10), failed (7 of 10); all runs are kept" in told


def test_the_few_lines_of_quiet_end_with_the_history() -> None:
    document, runs = a_second("failed")
    assert [*console.render_briefly(document, runs)] == [
        "✓ The only test passed\n",
        "Attempt 2: ✗ failed → ✓ passed\n",
        "note: 10 runs with a verdict were kept from the attempt before; 10 were made now.\n",
    ]


def test_quiet_shows_the_warnings_that_an_advice_points_to() -> None:
    reasons = [{"code": "origin_down", "runs": 10}]
    ended = a_test(result="error", passes=0, not_run=10, planned=10, reasons=reasons)
    document, runs = a_report(a_group(ended))
    document["warnings"] = ["nothing answers at http://127.0.0.1:9"]
    told = list(console.render_briefly(document, runs))
    assert "that the warning names" in "".join(told)
    assert "warning: nothing answers at http://127.0.0.1:9\n" in told
    document, runs = a_report(a_group(a_test(fails=3)))
    document["warnings"] = ["something else"]
    assert "something else" not in "".join(console.render_briefly(document, runs))


def test_html_has_a_history_in_the_banner_and_a_line_in_each_test() -> None:
    flaky = a_test("g/flaky", earlier=builders.earlier_results("failed", "failed"))
    whole = page(*a_second("failed", "failed", tests=(flaky, failed_twice(id="g/stays"))))
    banner = whole.partition('<div class="attempts">')[2].partition("</div>")[0]
    assert re.findall(r'class="badge (\w+)"', banner) == ["failed", "failed", "failed"]
    assert banner.count("aria-current") == 1
    assert "10 runs with a verdict were kept" in banner
    assert '<a href="#test-g-flaky">Flaky</a>: failed, failed, passed</li>' in whole
    told = "failed (7 of 10), failed (7 of 10); no run is kept."
    assert f"<span>Earlier attempts: {told}</span>" in whole
    assert whole.count("<span>Earlier attempts: ") == 2


def test_junit_has_the_earlier_results_of_each_case_alone() -> None:
    flaky = a_test("g/flaky", earlier=builders.earlier_results("failed", "error"))
    document, runs = a_second("failed", "error", tests=(flaky, a_test("g/new")))
    root = ET.fromstring("".join(junit.render(document, runs)).encode())  # noqa: S314 - our own
    found = [
        (case.get("name"), each.get("value"))
        for case in root.iter("testcase")
        for each in case.iter("property")
        if each.get("name") == "earlier_results"
    ]
    assert found == [("g/flaky", "failed,error")]
    assert not root.findall("testsuite/properties")


def test_a_stranger_who_forged_the_sentence_gets_one_dead_line() -> None:
    text = "</p>::error::x @octo-user\n\n# boo \x1b[31m"
    document, runs = a_second("failed", anew=text, sentence=text)
    assert "`</p>::error::x @octo-user # boo \\x1b[31m`\n" in "".join(
        markdown.render(document, runs)
    )
    assert "<p>&lt;/p&gt;::error::x @octo-user" in page(document, runs)
    assert "note: </p>::error::x @octo-user # boo \\x1b[31m" in lines(document, runs)
