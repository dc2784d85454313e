"""Short quotations from long answers."""

import pytest

from ci_judge.rules.excerpts import around, beginning


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "an empty answer"),
        (" \n\t", "an empty answer"),
        ("You have\n  14 days.", '"You have 14 days."'),
        ("x" * 120, '"' + "x" * 120 + '"'),
        ("x" * 121, '"' + "x" * 120 + '…"'),
        (" " * 400 + "late", '"late"'),
        ("a" + " " * 479, '"a"'),
        ("a" + " " * 480 + "b", '"a…"'),
        ("ab " * 1000, '"' + ("ab " * 40) + '…"'),
    ],
)
def test_beginning(text: str, shown: str) -> None:
    assert beginning(text) == shown


def test_around_shows_both_sides_and_marks_what_is_cut() -> None:
    text = "a" * 100 + " we give 40\u00a0DAYS to all " + "b" * 100
    shown = around(text, "40 days")
    assert shown.startswith('"…a')
    assert "we give 40 DAYS to all b" in shown
    assert shown.endswith('b…"')
    assert len(shown) < 110


def test_around_short_texts_cuts_nothing() -> None:
    assert around("we give 40 days", "40 days") == '"we give 40 days"'


def test_around_marks_a_cut_only_where_there_is_one() -> None:
    assert around("go" + "b" * 40, "go") == '"go' + "b" * 40 + '"'
    assert around("go" + "b" * 41, "go") == '"go' + "b" * 40 + '…"'
    assert around("b" * 40 + "go", "go") == '"' + "b" * 40 + 'go"'
    assert around("b" * 41 + "go", "go") == '"…' + "b" * 40 + 'go"'


def test_around_words_that_are_not_literally_there_falls_back() -> None:
    assert around("stra\u00dfe", "STRASSE") == '"stra\u00dfe"'


def test_words_are_not_a_pattern() -> None:
    assert around("aXc " + "y" * 300 + " a.c", "a.c").endswith(' a.c"')


def test_long_words_are_bounded() -> None:
    assert len(around("z" * 10_000, "z" * 5000)) < 250
