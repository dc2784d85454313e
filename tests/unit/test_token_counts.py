"""Token counts as providers give them, sense and nonsense."""

from typing import Any

import pytest

from ci_judge.judges.counting import MOST_TOKENS, token_count


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (0, 0),
        (12, 12),
        (12.0, 12),
        (MOST_TOKENS, MOST_TOKENS),
        (MOST_TOKENS + 1, None),
        (int("9" * 4_300), None),
        (-1, None),
        (1.5, None),
        (True, None),
        ("12", None),
        (float("inf"), None),
        (float("nan"), None),
        (1e300, None),
    ],
)
def test_a_count_is_a_whole_number_that_an_exchange_can_have(value: Any, count: int | None) -> None:
    assert token_count({"tokens": value}, "tokens") == count


def test_counts_of_several_kinds_add_up() -> None:
    assert token_count({"a": 1, "b": 2, "c": "?"}, "a", "b", "c") == 3
    assert token_count(None, "a") is None
