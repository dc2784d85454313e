"""Has the judge changed since an earlier report?"""

from typing import Any

import pytest

from ci_judge.workflows.baseline import Baseline, judge_changes
from tests.builders import a_judge

BEFORE = {
    "provider": "openai",
    "model": "m-1",
    "models_answered": ["m-1-2026"],
    "prompt_version": "1",
}


def changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    baseline = Baseline(
        started="2026-03-02T09:30:00.000Z", commit="4f2a9c81d0e37b55", judge=a_judge(**before)
    )
    return list(judge_changes(baseline, a_judge(**now)))


def test_the_same_judge_is_no_change() -> None:
    assert changes(BEFORE, dict(BEFORE)) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"provider": "anthropic"}, "the judge has changed"),
        ({"model": "m-2"}, "it was m-1 and is m-2"),
        ({"prompt_version": None}, "the version of its prompt has changed"),
        ({"models_answered": ["m-1-2027"]}, "the model that answered has changed"),
        ({"panel": [a_judge(), a_judge()]}, "it was 1 and is 2"),
    ],
)
def test_each_change_is_said_once_with_what_it_was(change: dict[str, Any], words: str) -> None:
    (said,) = changes(BEFORE, BEFORE | change)
    assert words in said
    assert "the baseline (report of 2026-03-02, commit 4f2a9c81d0)" in said


def test_another_model_asked_is_not_said_again_as_another_that_answered() -> None:
    assert len(changes(BEFORE, BEFORE | {"model": "m-2", "models_answered": ["m-2-2027"]})) == 1


def test_members_of_a_panel_are_compared_by_their_place() -> None:
    before = {"panel": [a_judge(**BEFORE), a_judge()]}
    now = {"panel": [a_judge(**(BEFORE | {"model": "m-2"})), a_judge()]}
    assert len(changes(before, now)) == 1


def test_without_a_baseline_or_a_judge_nothing_is_said() -> None:
    nobody = Baseline(started="2026-03-02T09:30:00.000Z", commit=None, judge=None)
    assert list(judge_changes(None, a_judge())) == []
    assert list(judge_changes(nobody, a_judge())) == []
