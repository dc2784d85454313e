"""One test, then and now."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.model.results import TestOutcome
from ci_judge.rules.changes import Standing, change, held_to

OUTCOMES: tuple[TestOutcome, ...] = get_args(TestOutcome)


def a_standing(
    outcome: TestOutcome = "passed",
    passes: int = 10,
    judged: int = 10,
    *,
    curtailed: bool = False,
    **terms: object,
) -> Standing:
    return Standing(outcome=outcome, passes=passes, judged=judged, terms=terms, curtailed=curtailed)


@pytest.mark.parametrize(
    ("now", "was", "kind"),
    [
        (a_standing("failed", 8), a_standing("passed"), "newly_failing"),
        (a_standing("failed", 8), a_standing("error", 8, 9), "newly_failing"),
        (a_standing("error", 0, 0), a_standing("passed"), "newly_undecided"),
        (a_standing("error", 0, 0), a_standing("failed"), "newly_undecided"),
        (a_standing("passed"), a_standing("failed", 8), "newly_passing"),
        (a_standing("failed", 7), a_standing("failed", 8), "worse_within_noise"),
        (a_standing("failed", 8), a_standing("failed", 7), "higher"),
        (a_standing("passed", 9), a_standing("passed", 10), "worse_within_noise"),
        (a_standing("failed", 5), a_standing("failed", 10, 20), "unchanged"),
        (a_standing("error", 0, 0), a_standing("error", 3, 5), "unchanged"),
        (a_standing("skipped", 0, 0), a_standing("skipped", 0, 0), "unchanged"),
        (a_standing("failed", 0), None, "added"),
        (a_standing("passed", 9, curtailed=True), a_standing("passed"), "only_by_gate"),
        (a_standing("passed", 9), a_standing("passed", curtailed=True), "only_by_gate"),
        (a_standing("failed", 2, 5, curtailed=True), a_standing("passed"), "newly_failing"),
    ],
)
def test_what_became_of_a_test(now: Standing, was: Standing | None, kind: str) -> None:
    assert change(now, was, differences=()).kind == kind


@pytest.mark.parametrize(
    ("now", "was", "reason"),
    [
        (a_standing("skipped"), a_standing(), "it is skipped here"),
        (a_standing("failed"), a_standing("skipped"), "it was skipped there"),
        (a_standing(gate="0.8"), a_standing(gate="0.9"), "its gate changed"),
        (a_standing(gate="0.8"), a_standing(), "its gate changed"),
    ],
)
def test_what_is_not_alike_is_not_compared(now: Standing, was: Standing, reason: str) -> None:
    found = change(now, was, differences=())
    assert (found.kind, found.reasons) == ("not_comparable", (reason,))


def test_a_difference_of_the_whole_reports_is_one_of_each_test() -> None:
    found = change(a_standing("failed"), a_standing(), differences=("another judge",))
    assert (found.kind, found.reasons) == ("not_comparable", ("another judge",))


@pytest.mark.parametrize(
    ("now", "was", "counts_as"),
    [
        (a_standing("failed", 8), a_standing("passed"), "failed"),
        (a_standing("failed", 5), a_standing("failed", 8), "passed"),
        (a_standing("failed", 8), a_standing("failed", 8), "passed"),
        (a_standing("failed", 8), None, "failed"),
        (a_standing("failed", gate=1), a_standing("failed", gate=2), "failed"),
        (a_standing("error"), a_standing("error"), "error"),
        (a_standing("error"), a_standing("failed"), "error"),
        (a_standing("skipped"), a_standing("passed"), "skipped"),
    ],
)
def test_only_a_gate_that_failed_before_is_let_off(
    now: Standing, was: Standing | None, counts_as: TestOutcome
) -> None:
    assert held_to(now.outcome, change(now, was, differences=())) == counts_as


@given(st.sampled_from(OUTCOMES), st.sampled_from(OUTCOMES))
def test_nothing_but_a_failure_that_was_there_before_is_made_a_pass(
    now: TestOutcome, was: TestOutcome
) -> None:
    counts_as = held_to(now, change(a_standing(now), a_standing(was), differences=()))
    assert counts_as == now or (now, was) == ("failed", "failed")
