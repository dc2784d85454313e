"""Waivers: what the file may say, and what becomes of the tests that it names."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ci_judge.errors import InvalidInput, Place
from ci_judge.model.results import Tally
from ci_judge.model.suite import DataRow, Scenario, Suite, Waiver
from ci_judge.rules.gates import decide
from ci_judge.rules.settling import settle_outcomes
from ci_judge.rules.waiving import waived
from ci_judge.suites.waivers import load_waivers, with_waivers
from tests.model_builders import a_case_test, a_criterion, a_rule, a_scenario

TODAY = date(2026, 3, 2)
WAIVER = Waiver(reason="r", owner="o", expires="2026-03-02", place=Place(file="waivers.yaml"))


def an_entry(**changes: str | None) -> str:
    keys = {
        "test": "refunds/asks",
        "reason": "The vendor mends it",
        "owner": "Ann",
        "expires": "2026-03-31",
    }
    given = {key: value for key, value in (keys | changes).items() if value is not None}
    return "- {" + ", ".join(f'{key}: "{value}"' for key, value in given.items()) + "}\n"


def told(folder: Path, text: str, *tests: Scenario) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        brought(folder, text, *tests)
    return [str(problem) for problem in caught.value.problems]


def brought(folder: Path, text: str, *tests: Any, name: str = "waivers.yaml") -> Suite:
    (folder / name).write_text(text, "utf-8")
    scenarios = tests or (a_scenario("asks"), a_scenario("other"))
    suite = Suite(criteria=(a_criterion(),), scenarios=scenarios, cases=(a_case_test(),))
    return with_waivers(suite, load_waivers(folder, today=TODAY), today=TODAY)


def test_a_test_gets_the_waiver_that_names_it(tmp_path: Path) -> None:
    suite = brought(tmp_path, "# known\n" + an_entry(reason="two\\n lines"))
    assert [test.waiver for test in suite.tests] == [
        Waiver(
            reason="two lines",
            owner="Ann",
            expires="2026-03-31",
            place=Place(file="waivers.yaml", line=2),
        ),
        None,
        None,
    ]
    assert suite.warnings == ()


def test_a_case_can_be_waived_and_a_day_needs_no_quotes(tmp_path: Path) -> None:
    entry = (
        "- test: cases/case_price.py::test_price\n  reason: r\n  owner: o\n  expires: 2026-05-31\n"
    )
    suite = brought(tmp_path, entry, name="waivers.yml")
    assert suite.cases[0].waiver is not None
    assert suite.cases[0].waiver.expires == "2026-05-31"


@pytest.mark.parametrize("text", ["", "# none\n", "[]\n"])
def test_an_empty_file_waives_nothing(tmp_path: Path, text: str) -> None:
    assert load_waivers(tmp_path, today=TODAY) == ()
    assert {test.waiver for test in brought(tmp_path, text).tests} == {None}


def test_it_holds_on_its_last_day_and_never_after(tmp_path: Path) -> None:
    assert brought(tmp_path, an_entry(expires="2026-03-02")).tests[0].waiver is not None
    past = brought(tmp_path, an_entry(expires="2026-03-01"))
    assert past.tests[0].waiver is None
    (warning,) = past.warnings
    assert warning == (
        'waivers.yaml:1: the waiver of "refunds/asks" ended on 2026-03-01: it counts again (its '
        "owner is Ann; remove the waiver, or renew it with a reason)"
    )


def test_ninety_days_ahead_are_the_most(tmp_path: Path) -> None:
    assert brought(tmp_path, an_entry(expires="2026-05-31")).tests[0].waiver is not None
    (line,) = told(tmp_path, an_entry(expires="2026-06-01"))
    assert line.startswith("waivers.yaml:1:")
    assert line.endswith(
        'the waiver of "refunds/asks" ends on 2026-06-01, more than 90 days ahead (at most '
        "2026-05-31)"
    )


@pytest.mark.parametrize("day", ["2026-02-30", "tomorrow", "20260301", "2026-3-1", "2026-03-01T1"])
def test_what_is_no_day_is_refused(tmp_path: Path, day: str) -> None:
    (line,) = told(tmp_path, an_entry(expires=day))
    assert "expires must be a day, as year-month-day (such as 2026-07-31)" in line


def test_mistakes_are_told_at_their_line_all_at_once(tmp_path: Path) -> None:
    lines = told(
        tmp_path,
        an_entry(reason=None) + an_entry(ownr="x") + an_entry(owner=" ") + "- text\n",
    )
    assert [line.partition(": ")[0].partition(":")[2][:1] for line in lines] == list("1234")
    assert "[0].reason is missing (Why it may fail for now.)" in lines[0]
    assert 'unknown key "ownr" in [1]' in lines[1]
    assert '(did you mean "owner"?)' in lines[1]
    assert "[2].owner is empty" in lines[2]


def test_a_map_at_the_top_is_refused(tmp_path: Path) -> None:
    (line,) = told(tmp_path, "waivers: []\n")
    assert line.startswith("waivers.yaml:1:1: waivers must be a list (begin each waiver with a ")


def test_two_files_are_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "waivers.yml").write_text("[]", "utf-8")
    (line,) = told(tmp_path, "[]")
    assert line == "there are two files of waivers: waivers.yaml and waivers.yml"


def test_a_waiver_of_no_test_is_an_error_that_says_what_was_meant(tmp_path: Path) -> None:
    (line,) = told(tmp_path, an_entry(test="refund/asks", expires="2020-01-01"))
    assert line == (
        'waivers.yaml:1: the waiver of "refund/asks" matches no test (did you mean "refunds/asks"?)'
    )
    (line,) = told(tmp_path, an_entry(test="qqq"))
    assert "remove it; ci-judge check lists the tests" in line


def test_two_waivers_of_a_test_are_refused(tmp_path: Path) -> None:
    (line,) = told(tmp_path, an_entry() + an_entry(reason="other"))
    assert line == (
        'waivers.yaml:2: "refunds/asks" is waived twice: waivers.yaml:1 has it, too (keep one of '
        "them)"
    )


def _row(number: int, *, some: bool) -> Scenario:
    row = DataRow(template="refunds/asks", place=Place(file="rows.csv", line=number), some=some)
    return a_scenario(f"asks[{number}]", row=row)


def test_rows_are_waived_one_by_one(tmp_path: Path) -> None:
    rows = [_row(1, some=False), _row(2, some=False)]
    suite = brought(tmp_path, an_entry(test="refunds/asks[2]"), *rows)
    assert [bool(test.waiver) for test in suite.scenarios] == [False, True]
    (line,) = told(tmp_path, an_entry(), *rows)
    assert 'did you mean "refunds/asks[1]" or "refunds/asks[2]"?' in line
    (line,) = told(tmp_path, an_entry(test="refunds/asks[3]"), *rows)
    assert "matches no test" in line


def test_a_waiver_of_a_row_that_no_sample_drew_is_no_mistake(tmp_path: Path) -> None:
    suite = brought(tmp_path, an_entry(test="refunds/asks[3]"), _row(1, some=True))
    assert suite.scenarios[0].waiver is None
    (line,) = told(tmp_path, an_entry(test="refunds/other[3]"), _row(1, some=True))
    assert "matches no test" in line


def test_a_waiver_of_what_does_not_gate_is_warned_about(tmp_path: Path) -> None:
    suite = brought(tmp_path, an_entry(), a_scenario("asks", advisory=True))
    assert "does nothing: the test is advisory" in suite.warnings[0]
    suite = brought(tmp_path, an_entry(), a_scenario("asks", skip="later"))
    assert "does nothing: the test is skipped" in suite.warnings[0]


@pytest.mark.parametrize(
    ("tally", "outcome"),
    [
        (Tally(planned=4, passes=4), "passed"),
        (Tally(planned=4, passes=1, fails=3), "waived"),
        (Tally(planned=4, passes=2, errors=2), "error"),
    ],
)
def test_a_waiver_covers_a_failure_and_nothing_else(tally: Tally, outcome: str) -> None:
    gate = decide(a_rule(kind="rate", runs=4), tally)
    assert waived(gate, WAIVER).outcome == outcome
    assert waived(gate, WAIVER).kind == gate.kind
    assert waived(gate, None) == gate


@pytest.mark.parametrize(
    ("outcomes", "exit_code", "headline"),
    [
        (["passed", "waived"], 0, "1 of 2 gates passed, 1 waived."),
        (["waived"], 0, "0 of 1 gates passed, 1 waived."),
        (["waived", "skipped"], 0, "0 of 1 gates passed, 1 waived, 1 skipped."),
        (["passed", "waived", "failed"], 1, "1 of 3 gates failed, 1 waived."),
        (["waived", "error"], 3, "1 of 2 could not be decided, 1 waived."),
    ],
)
def test_what_is_waived_fails_no_step_and_is_never_called_passed(
    outcomes: list[Any], exit_code: int, headline: str
) -> None:
    settlement = settle_outcomes(outcomes, fail_on="error")
    assert (settlement.exit_code, settlement.headline) == (exit_code, headline)
    assert settlement.status == {0: "passed", 1: "failed", 3: "error"}[exit_code]
