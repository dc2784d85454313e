"""A stranger's report says of attempts what GitHub's number of this one leaves room for."""

from itertools import repeat
from typing import Any, Literal

from ci_judge.model.document import ReportDocument
from ci_judge.workflows.unverified_attempts import as_attempt
from tests.builders import a_document, a_group, a_rerun, a_test, earlier_results

PASSED: Literal["passed"] = "passed"


def claimed(**changes: Any) -> ReportDocument:
    """Build a report that says it is attempt 5, after four that passed."""
    test = a_test(earlier=earlier_results(*repeat(PASSED, 4)), carried_runs=10)
    document = a_document(a_group(test))
    document["run"]["rerun"] = a_rerun(*repeat(PASSED, 4), **changes)
    return document


def attempts(document: ReportDocument) -> tuple[list[int], list[int]]:
    """Give the earlier attempts that the report, and its test, tell of."""
    rerun = document["run"]["rerun"]
    (test,) = document["groups"][0]["tests"]
    told = [each["attempt"] for each in rerun["earlier"]] if rerun else []
    return told, [each["attempt"] for each in test["earlier"]]


def test_only_attempts_before_this_one_are_told() -> None:
    document = as_attempt(claimed(), 3)
    assert attempts(document) == ([1, 2], [1, 2])
    rerun = document["run"]["rerun"]
    assert rerun is not None
    assert (rerun["attempt"], document["run"]["attempt"]) == (3, 3)


def test_a_first_attempt_has_no_past_and_keeps_nothing() -> None:
    document = as_attempt(claimed(), 1)
    assert document["run"]["rerun"] is None
    assert attempts(document) == ([], [])
    assert document["groups"][0]["tests"][0]["carried_runs"] == 0


def test_where_github_tells_no_number_the_report_stays_as_it_is() -> None:
    document = claimed()
    assert as_attempt(document, None) == document


def test_attempts_with_impossible_numbers_are_left_out() -> None:
    earlier = a_rerun("failed")["earlier"]
    forged = claimed(earlier=[{**earlier[0], "attempt": number} for number in (0, 1, 9)])
    assert attempts(as_attempt(forged, 5))[0] == [1]
