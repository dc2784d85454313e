from typing import Any

import pytest
from hypothesis import given

from ci_judge.renderers.phrase_marks import marked_pieces
from tests.builders import a_check
from tests.hostile import texts


def marked(text: str, *checks: Any) -> list[str]:
    return [piece.text for piece in marked_pieces(text, checks) if piece.marked]


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("within 14 days, 14 DAYS", "14 days", ["14 days", "14 DAYS"]),
        ("14\n  days", "14 days", ["14\n  days"]),
        ("114 days and 14 dayss", "14 days", []),
        ("返品は14日以内", "14日", ["14日"]),
        ("a.b axb", "a.b", ["a.b"]),
        ("(14 days)", "(14 days)", ["(14 days)"]),
        ("nothing", "14 days", []),
    ],
)
def test_marks_the_phrase_and_no_half_words(text: str, wanted: str, found: list[str]) -> None:
    assert marked(text, a_check(wanted=wanted)) == found


def test_marks_what_stands_there_as_the_check_says() -> None:
    text = "14 days, 40 days, 7 days"
    assert marked(
        text,
        a_check(wanted="14 days", passed=False),
        a_check(kind="not_contains", wanted="40 days", passed=False),
        a_check(kind="not_contains", wanted="7 days", passed=True),
        a_check(kind="regex", wanted="days", passed=True),
    ) == ["40 days"]


@given(text=texts, wanted=texts)
def test_the_pieces_are_the_text(text: str, wanted: str) -> None:
    pieces = marked_pieces(text, [a_check(wanted=wanted), a_check(wanted="a")])
    assert "".join(piece.text for piece in pieces) == text
