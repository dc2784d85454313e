"""Status, exit code and headline of a whole run."""

import pytest

from ci_judge.errors import ExitCode
from ci_judge.model.results import TestOutcome
from ci_judge.rules.settling import FailOn, GotWorse, settle, settle_regressions
from tests.model_builders import a_test_result


@pytest.mark.parametrize(
    ("outcomes", "fail_on", "status", "exit_code"),
    [
        (["passed", "passed"], "error", "passed", 0),
        (["passed", "failed"], "error", "failed", 1),
        (["passed", "error"], "error", "error", 3),
        (["error", "failed"], "error", "failed", 1),
        (["skipped", "skipped"], "error", "skipped", 0),
        (["skipped", "passed"], "error", "passed", 0),
        (["passed", "error"], "failure", "passed", 0),
        (["passed", "failed"], "failure", "failed", 1),
        (["error", "failed"], "failure", "failed", 1),
        (["error"], "never", "passed", 0),
        (["failed"], "never", "passed", 0),
    ],
)
def test_the_exit_code(
    outcomes: list[TestOutcome], fail_on: FailOn, status: str, exit_code: int
) -> None:
    settlement = settle([a_test_result(outcome) for outcome in outcomes], fail_on=fail_on)
    assert (settlement.status, settlement.exit_code) == (status, exit_code)


def test_forgiveness_is_said() -> None:
    forgiven = settle([a_test_result("failed"), a_test_result("passed")], fail_on="never")
    assert forgiven.headline == (
        "1 of 2 gates failed. This does not fail the step: fail_on is never."
    )


@pytest.mark.parametrize(
    ("held", "worse", "said"),
    [
        (
            ["failed", "passed", "passed"],
            GotWorse(newly_failing=1),
            (
                "1 of them was better in the baseline, is new or cannot be compared. This fails the"
                " step."
            ),
        ),
        (
            ["passed", "passed", "passed"],
            GotWorse(removed=1),
            "Of the baseline, 1 test is gone. This fails the step.",
        ),
        (
            ["passed", "passed", "passed"],
            GotWorse(),
            "Nothing got worse than the baseline, which is all that fail_on regression asks.",
        ),
        (["passed", "error"], GotWorse(), "What could not be decided may be a regression."),
    ],
)
def test_what_fails_the_step_is_told_from_what_had_failed_before(
    held: list[TestOutcome], worse: GotWorse, said: str
) -> None:
    settlement = settle_regressions(held, worse, headline="2 of 3 gates failed.")
    assert settlement.headline == f"2 of 3 gates failed. {said}"


def test_an_advisory_failure_is_not_counted() -> None:
    settlement = settle(
        [a_test_result("failed", advisory=True), a_test_result("passed")], fail_on="error"
    )
    assert settlement.exit_code is ExitCode.PASSED
    assert settlement.headline == "The one gate passed."


@pytest.mark.parametrize("fail_on", ["error", "never"])
def test_an_interrupted_run_is_neither_passed_nor_forgiven(fail_on: FailOn) -> None:
    settlement = settle([a_test_result("passed")], fail_on=fail_on, interrupted=ExitCode.TERMINATED)
    assert (settlement.status, settlement.exit_code) == ("interrupted", 143)
    assert settlement.headline.startswith("Interrupted.")


def test_the_headline_counts_every_kind() -> None:
    outcomes: tuple[TestOutcome, ...] = ("passed", "failed", "failed", "error", "skipped")
    results = [a_test_result(outcome) for outcome in outcomes]
    assert (
        settle(results, fail_on="error").headline
        == "2 of 5 gates failed, 1 of 5 could not be decided, 1 skipped."
    )


def test_nothing_judged_is_never_called_passed() -> None:
    assert "passed" not in settle([a_test_result("skipped")], fail_on="error").headline


def test_one_gate_alone_is_not_counted_in_plurals() -> None:
    assert settle([a_test_result("failed")], fail_on="error").headline == "The one gate failed."
