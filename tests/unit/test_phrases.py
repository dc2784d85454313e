"""Quoted phrases: what is one, what is a slip of the author, and what an answer holds."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.rules.phrases import (
    EmptyPhrase,
    UnbalancedQuote,
    holds_phrase,
    negated_phrases,
    quoted_phrases,
)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("No phrase at all, it's 'single' and «guillemets».", ()),
        ('Says "14 days".', ("14 days",)),
        ("Says “14 days”.", ("14 days",)),
        ("Nennt „14 Tage“ und „Erstattung”.", ("14 Tage", "Erstattung")),
        ("Säger ”14 dagar” tydligt.", ("14 dagar",)),
        ('"a""b"', ("a", "b")),
        ('Says "14\n  days" for a full refund.', ("14 days",)),
        ('Says "14  days".', ("14 days",)),
        ('Says "14\u00a0days".', ("14 days",)),
        ('says "order #42" and “full refund”', ("order #42", "full refund")),
        ('返金は"14日"以内。', ("14日",)),
        ('Shows "👍".', ("👍",)),
        ('("14 days")', ("14 days",)),
        ("Offers “café”", ("café",)),
    ],
)
def test_phrases(text: str, phrases: tuple[str, ...]) -> None:
    assert quoted_phrases(text) == phrases


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ('Says "14 days for a full refund.', 6),
        ('Offers a 6" shelf.', 11),
        ('Offers a 6" shelf and a "wide" one.', 11),
        ('Offers a 6" shelf and a 9" one.', 11),
        ('A "wide" 6" shelf', 11),
        ('A 6"-wide and a 9"-long one', 4),
        ('says "a and "b" or c"', 6),
        ('"a" shelf" or "b"', 10),
        ('"a" shelf" or ".', 10),
        ('"a" or "b and "c', 8),
        ("Says “14 days", 6),
        ("Says 14 days”", 13),
        ("“a “b” c”", 1),
        ('“14 days" and more”', 1),
        ('"14 days”', 1),
        ("Says „14 days", 6),
        (r"say \"14 days\"", 6),
        ('"', 1),
    ],
)
def test_a_mark_without_a_partner_is_an_error_at_its_place(text: str, column: int) -> None:
    with pytest.raises(UnbalancedQuote) as caught:
        quoted_phrases(text)
    assert caught.value.column == column
    assert f"character {column} " in str(caught.value)


def test_an_inch_mark_is_called_one() -> None:
    with pytest.raises(UnbalancedQuote, match="inch"):
        quoted_phrases('a 6" shelf')


@pytest.mark.parametrize("text", ['Says "" and "14 days".', 'Says " ".', "Says “\n”."])
def test_an_empty_phrase_is_an_error(text: str) -> None:
    with pytest.raises(EmptyPhrase) as caught:
        quoted_phrases(text)
    assert caught.value.column == 6
    assert isinstance(caught.value, UnbalancedQuote)


@given(st.text(alphabet='ab 6"“”„.\n\\'))
def test_every_mark_is_part_of_a_phrase_or_an_error(text: str) -> None:
    marks = sum(text.count(mark) for mark in '"“”„')
    phrases, column = _read(text)
    if column:
        assert text[column - 1] in '"“”„'
    else:
        assert marks == 2 * len(phrases)
    assert all(phrase and phrase == " ".join(phrase.split()) for phrase in phrases)


def _read(text: str) -> tuple[tuple[str, ...], int]:
    try:
        return quoted_phrases(text), 0
    except UnbalancedQuote as error:
        return (), error.column


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("14 days", "You have 14 days."),
        ("14 Days", "you have 14 dAYS"),
        ("14 days", "You have 14\u00a0days"),
        ("14 days", "within 14\n   days"),
        ("caf\u00e9", "cafe\u0301"),
        ("cafe\u0301", "CAF\u00c9"),
        ("file", "\ufb01le"),
        ("STRASSE", "stra\u00dfe"),
        ("14 days", "(14 days)"),
        ("14 days", "14 days"),
        ("14 days", "114 days, or rather 14 days"),
        ("日", "14日間"),
        ("14", "第14条"),
        ("👍", "ok👍ok"),
        ("$5", "US$5"),
        ("5 %", "15 % or 5 %."),
        ("é", "aéa"),
        ("c++", "c++11"),
        (" 14 days ", "14 days"),
    ],
)
def test_held(phrase: str, text: str) -> None:
    assert holds_phrase(text, phrase)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("14 days", "114 days"),
        ("14 days", "14 dayses"),
        ("14 days", "14 days2"),
        ("14 days", "a14 days"),
        ("14 days", "14 day s"),
        ("14 days", "14days"),
        ("14 days", ""),
        ("free", "freedom"),
        ("free", "carefree"),
        ("a.c", "abc"),
        ("café", "cafe"),
        ("\u0131stanbul", "istanbul"),
    ],
)
def test_not_held(phrase: str, text: str) -> None:
    assert not holds_phrase(text, phrase)


@given(st.text(min_size=1, max_size=12), st.text(max_size=12), st.text(max_size=12))
def test_a_phrase_between_spaces_is_always_held(phrase: str, before: str, after: str) -> None:
    assert holds_phrase(f"{before} {phrase} {after}", phrase)


@given(st.text(max_size=20), st.text(min_size=1, max_size=4))
def test_composition_never_matters(text: str, phrase: str) -> None:
    held = holds_phrase(text, phrase)
    assert holds_phrase(unicodedata.normalize("NFD", text), phrase) == held
    assert holds_phrase(text, unicodedata.normalize("NFD", phrase)) == held


@given(
    st.text(alphabet="aAbBéÉßß 1", max_size=12), st.text(alphabet="aAéÉ1", min_size=1, max_size=3)
)
def test_upper_and_lower_case_are_one(text: str, phrase: str) -> None:
    held = holds_phrase(text, phrase)
    assert holds_phrase(text.upper(), phrase) == held
    assert holds_phrase(text, phrase.swapcase()) == held


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ('Must not say "40 days".', ("40 days",)),
        ('It does not mention "40 days" or "premium".', ("40 days", "premium")),
        ("Doesn\u2019t promise “a full refund”.", ("a full refund",)),
        ('Never mentions the word "lawyer".', ("lawyer",)),
        ('Answers without "sorry".', ("sorry",)),
        ('Makes no mention of "40 days".', ("40 days",)),
        ('Should not ever say "no".', ("no",)),
        ('Does not mention "40 days" but says "14 days".', ("40 days",)),
        ('Does not mention "40 days" and states "14 days".', ("40 days",)),
    ],
)
def test_negated(text: str, negated: tuple[str, ...]) -> None:
    assert negated_phrases(text) == negated


@pytest.mark.parametrize(
    "text",
    [
        'Says "14 days".',
        'Does not apologise. Says "14 days".',
        'Does not apologise and says "14 days".',
        'Says "never mention it".',
        'Mentions "14 days", not a fortnight.',
        "No phrase here, and nothing that must not be said.",
    ],
)
def test_not_negated(text: str) -> None:
    assert negated_phrases(text) == ()
