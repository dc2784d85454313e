"""Nothing hidden reaches a reader, and real text is left alone."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.visible_text import no_lone_surrogates, one_line, visible

any_text = st.text(st.characters(categories=None))
hidden_text = st.text(
    st.sampled_from(
        "a 日\u200d\u200c\ufe0f\U000e0101\x1b\r\n\t\ud83d\ude00\u202e\U000e0041👩\u0300"
    )
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("a\x00b", r"a\x00b"),
        ("a\x07\x08\x0b\x0c\x7f", r"a\x07\x08\x0b\x0c\x7f"),
        ("a\x85b\x9bc", r"a\x85b\x9bc"),
        ("abc\u202etxt.exe", r"abc\u202etxt.exe"),
        ("\u2066a\u2069\u200e\u200f\u061c", r"\u2066a\u2069\u200e\u200f\u061c"),
        ("a\u200bb\u2060c\ufeffd", r"a\u200bb\u2060c\ufeffd"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("a\u00adb\u3164c", r"a\xadb\u3164c"),
        ("ok\U000e0049\U000e0047", r"ok\U000e0049\U000e0047"),
        ("a\ufffeb\uffffc\U0001fffed\U0010ffffe", r"a\ufffeb\uffffc\U0001fffed\U0010ffffe"),
        ("a\ufdd0b\U00050000", r"a\ufdd0b\U00050000"),
        ("one\r\ntwo\rthree\n\tfour", "one\ntwo\\rthree\n\tfour"),
        ("\r\r\n", "\\r\n"),
        ("14 days \ud83d", r"14 days \ud83d"),
        ("\ude00\ud83d", r"\ude00\ud83d"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\udb40\udc41", r"\U000e0041"),
    ],
)
def test_hidden_characters_are_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "plain, tab\tand\nline",
        "naïve café 返金 עברית العربية हिन्दी \u00a0 $ € 😀",
        "cafe\u0301",
        "👩\u200d👩\u200d👧",
        "❤\ufe0f\u200d🔥",
        "🏳\ufe0f\u200d🌈 🤦🏽\u200d♂\ufe0f",
        "1\ufe0f\u20e3",
        "\u0645\u06cc\u200c\u062e\u0648",
        "क्\u200dष",
        "葛\U000e0100城",
        "\\x1b is what it says",
        "\ue000\U000f0000",
    ],
)
def test_real_text_is_left_alone(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pay\u200dpal", r"pay\u200dpal"),
        ("日\u200d", r"日\u200d"),
        ("\u200d日", r"\u200d日"),
        ("日\u200d\u200d日", r"日\u200d\u200d日"),
        ("日\u200da", r"日\u200da"),
        ("a\u200c日", r"a\u200c日"),
        ("日\u200d\u202e日", r"日\u200d\u202e日"),
        ("a\ufe0f\ufe01\ufe02", "a\ufe0f\\ufe01\\ufe02"),
        ("a\U000e0101\U000e0102", "a\U000e0101\\U000e0102"),
        ("\ufe0f", r"\ufe0f"),
        (" \ufe0f", r" \ufe0f"),
        ("a\x1b\ufe0f", r"a\x1b\ufe0f"),
        ("日\ufe0f\ufe0f\u200d日", "日\ufe0f\\ufe0f\\u200d日"),
    ],
)
def test_joiners_and_selectors_that_join_and_select_nothing(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_keep_decides_about_control_characters() -> None:
    assert visible("a\n\tb", keep="") == r"a\n\tb"
    assert visible("a\x85\n", keep="\x85") == "a\x85\\n"
    assert visible("a\r\nb\r", keep="\r\n") == "a\r\nb\r"
    assert visible("a\x1b\u202e", keep="\x1b") == "a\x1b\\u202e"


@given(any_text | hidden_text)
def test_what_comes_out_can_be_seen_and_encoded(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]", shown)
    assert not any("\U000e0000" <= character <= "\U000e007f" for character in shown)
    assert not re.search("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}", shown)
    assert "\n" not in visible(text, keep="")
    assert visible(shown) == shown


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"], max_codepoint=0x2FFF)))
def test_letters_digits_signs_are_never_touched(text: str) -> None:
    clean = "".join(c for c in text if c not in "\u115f\u1160\u17b4\u17b5")
    assert visible(clean) == clean
    assert no_lone_surrogates(clean) == clean


@given(any_text)
def test_only_lone_surrogates_are_replaced(text: str) -> None:
    safe = no_lone_surrogates(text)
    safe.encode("utf-8")
    if all(unicodedata.category(character) != "Cs" for character in text):
        assert safe == text


def test_surrogates_look_the_same_everywhere() -> None:
    assert no_lone_surrogates("a\ud83d\x1b") == "a\\ud83d\x1b"
    assert no_lone_surrogates("\ud83d\ude00\ude00") == "\U0001f600\\ude00"


@pytest.mark.parametrize(
    ("text", "limit", "line"),
    [
        ("  one\r\n two\tthree ", 20, "one two three"),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("ab\x1bcd", 8, r"ab\x1bcd"),
        ("abcd\x1bef", 6, "abcd…"),
        ("abcd\x1bef", 8, "abcd…"),
        ("abcd\x1bef", 9, "abcd\\x1b…"),
        ("ab\u202ecd", 8, "ab…"),
        ("ab\U000e0041cd", 11, "ab…"),
        ("", 5, ""),
        ("\ud83d\ude00" * 4, 4, "\U0001f600" * 4),
        ("\ud83d\ude00" * 5, 4, "\U0001f600" * 3 + "…"),
        ("a", 1, "a"),
        ("ab", 1, "…"),
    ],
)
def test_one_line(text: str, limit: int, line: str) -> None:
    assert one_line(text, limit=limit) == line


@given(any_text | hidden_text, st.integers(1, 30))
def test_one_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit=limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    whole = one_line(text, limit=10_000)
    assert line == whole or line.endswith("…")
    assert (line == whole) == (len(whole) <= limit)
