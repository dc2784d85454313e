"""What people are told to do about a test that is not green."""

from typing import Any

import pytest

from ci_judge.renderers.next_steps import next_step
from tests.builders import a_case, a_test

READ = (
    "read the failing answers; fix the feature if they are wrong, the expectation if they are right"
)
FINE = "If so many failures are fine, lower the threshold"


def step(test: Any, **gate: Any) -> str:
    test["gate"] = {**test["gate"], **gate}
    return next_step(test)


@pytest.mark.parametrize(
    ("passes", "fails", "words"),
    [
        (16, 4, f"{READ}. {FINE}, or set runs to about 60 to prove the rate."),
        (14, 6, f"{READ}. {FINE}."),
        (12, 8, f"{READ}. {FINE}."),
        (4, 16, f"{READ}."),
    ],
)
@pytest.mark.parametrize("kind", ["lower_bound", "exact"])
def test_more_runs_are_advised_only_where_they_could_help(
    passes: int, fails: int, words: str, kind: str
) -> None:
    assert step(a_test(passes=passes, fails=fails), kind=kind) == words


def test_a_rate_too_close_to_the_threshold_has_no_number() -> None:
    assert step(a_test(passes=16, fails=4), more_runs=None) == f"{READ}. {FINE}."


def test_a_threshold_that_no_float_can_hold_is_met_exactly() -> None:
    test = a_test(passes=2, fails=1)
    assert step(test, threshold=0.666667 - 1 / 3_000_000, decision="not_proven") == (
        f"{READ}. {FINE}."
    )


@pytest.mark.parametrize("passes", [12, 14])
def test_a_rate_gate_never_asks_for_more_runs(passes: int) -> None:
    test = a_test(passes=passes, fails=20 - passes)
    assert step(test, kind="rate", threshold=0.75) == f"{READ}. {FINE}."


def test_a_miss_is_no_matter_of_luck() -> None:
    words = step(a_test(passes=9, fails=1), kind="misses", misses=0, decision="below")
    assert words == f"{READ}. If so many misses are fine, raise misses."


def test_one_run_proves_nothing_about_luck() -> None:
    assert step(a_case(fails=1), decision="below") == f"{READ}."


def test_a_perfect_score_that_fails_needs_more_runs() -> None:
    assert step(a_test(result="failed"), more_runs=6) == (
        "no run failed, but they are too few to prove it: set runs to 16 or more."
    )
    assert step(a_test(result="failed"), more_runs=None).endswith("lower it.")


def test_errors_come_first_where_they_are_most_of_the_matter() -> None:
    errors_first = "first make the target answer, then run it again."
    assert next_step(a_test(passes=0, fails=3, errors=11, result="failed")) == errors_first
    assert next_step(a_test(passes=10, fails=2, errors=3, result="failed")) == errors_first


def test_a_few_errors_come_last() -> None:
    test = a_test(passes=4, fails=15, errors=1, result="failed")
    assert step(test, decision="below") == (f"{READ}. Then fix what made 1 run end in an error.")


def test_few_verdicts_say_nothing_about_luck() -> None:
    test = a_test(passes=0, fails=3, not_run=11, planned=14, result="failed")
    assert step(test, decision="below") == f"{READ}."


@pytest.mark.parametrize(
    ("codes", "passes", "begin"),
    [
        (["no_response"], 0, "correct target (url, body, response_path) by what the reply shows, "),
        (["max_errors", "no_response", "unreadable_reply"], 0, "correct target ("),
        (["no_response", "timeout"], 0, "first make the target answer, "),
        (["no_response"], 8, "first make the target answer, "),
        (["max_errors"], 0, "first make the target answer, "),
    ],
)
def test_replies_that_nobody_understood_are_a_matter_of_the_target(
    codes: list[str], passes: int, begin: str
) -> None:
    reasons = [{"code": code, "runs": 1} for code in codes]
    assert next_step(a_test(passes=passes, errors=2, reasons=reasons)).startswith(begin)


@pytest.mark.parametrize(
    ("test", "begin"),
    [
        (a_test(passes=8, errors=2), "first make the target answer, then run it"),
        (a_test(passes=9, errors=1), "first make the target answer, then run it"),
        (a_test(passes=3, not_run=7, planned=10, result="error"), "run it again: runs that were"),
    ],
)
def test_undecided_is_no_failure(test: Any, begin: str) -> None:
    assert next_step(test).startswith(begin)


@pytest.mark.parametrize(
    ("troubles", "begin"),
    [
        ([("target_error", 2)], "first make the target answer, then"),
        ([("judge_error", 1), ("judge_error", 1)], "first make the judge give verdicts, then"),
        ([("case_error", 2)], "first mend the case itself, then"),
        ([("judge_error", 1), ("target_error", 1)], "first fix what made the runs end in errors"),
        ([("judge_error", 1)], "first fix what made the runs end in errors"),
        ([], "first fix what made the runs end in errors"),
    ],
)
def test_who_is_to_be_mended_is_named_where_all_errors_are_theirs(
    troubles: list[tuple[str, int]], begin: str
) -> None:
    told = [{"outcome": outcome, "reason": "", "runs": runs} for outcome, runs in troubles]
    assert next_step(a_test(passes=0, errors=2, troubles=told)).startswith(begin)


@pytest.mark.parametrize(
    ("codes", "told"),
    [
        (["needs_a_judge"], True),
        (["max_errors", "needs_a_judge"], True),
        (["needs_a_judge", "refused"], False),
    ],
)
def test_what_the_stub_cannot_judge_has_its_remedy_beside_it(
    codes: list[str], *, told: bool
) -> None:
    reasons = [{"code": code, "runs": 1} for code in codes]
    troubles = [{"outcome": "judge_error", "reason": "", "runs": 2}]
    words = next_step(a_test(passes=0, errors=2, reasons=reasons, troubles=troubles))
    assert words.startswith("first name a judge of meaning (judge.provider), or quote ") is told
    assert words.startswith("first make the judge give verdicts, ") is not told


@pytest.mark.parametrize(
    ("kind", "result", "told"),
    [
        ("newly_failing", "passed", True),
        ("newly_failing", "error", False),
        ("lower", "failed", False),
    ],
)
def test_what_passed_in_the_baseline_is_looked_for_in_the_change(
    kind: str, result: str, *, told: bool
) -> None:
    change = {"kind": kind, "result": result}
    words = step(a_test(passes=4, fails=16, change=change), decision="below")
    assert (
        words == f"{READ}." + told * " It passed in the baseline: look first at what changed since."
    )
