"""Why runs ended in errors, as people read it."""

from typing import Any

import pytest

from ci_judge.renderers.troubles import trouble_lines
from tests.builders import a_test


def told(errors: int, *troubles: tuple[str, str, int]) -> list[str]:
    entries: list[Any] = [
        {"outcome": outcome, "reason": reason, "runs": runs} for outcome, reason, runs in troubles
    ]
    return [str(line) for line in trouble_lines(a_test(errors=errors, troubles=entries))]


def test_no_error_no_line() -> None:
    assert told(0) == []


@pytest.mark.parametrize(
    ("outcome", "because"),
    [
        ("judge_error", "the judge gave no verdict"),
        ("target_error", "the target gave no answer to judge"),
        ("case_error", "the case itself broke"),
    ],
)
def test_each_outcome_has_its_words(outcome: str, because: str) -> None:
    assert told(2, (outcome, "answered 404", 2)) == [
        f"2 runs ended in errors because {because}: answered 404"
    ]


def test_every_error_run_is_accounted_for() -> None:
    assert told(10, ("judge_error", "answered 404", 7), ("target_error", " ", 2)) == [
        "7 runs ended in errors because the judge gave no verdict: answered 404",
        "2 runs ended in errors because the target gave no answer to judge.",
        "1 run ended in an error for other reasons.",
    ]
    assert told(3) == ["3 runs ended in errors."]
