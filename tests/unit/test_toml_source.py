"""TOML: tomllib reads it, the scanner says where things stand."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ci_judge.errors import InvalidInput
from ci_judge.file_schema import load_toml

TEXT = '''\
# a comment = "not a key"
title = "x"   # [not.a.table]
"quoted key" = 1
dotted.key.'last part' = 2

[target]
url = "https://example.com/#fragment"
headers = { Authorization = "Bearer ]}", "X-Id" = "a" }
body = """
[run]
runs = 5 \\"""
"""
list = [
  1, # one ]
  "two, ]",
  { three = 3 },
  [4, [5]],
]

[target.serve]
command = \'\'\'a "b" = c\'\'\'

[[judges]]
name = "first"
[judges.price]
input = 1.5
[[judges]]
name = "second"
when = 2026-01-01T10:00:00Z
'''


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("title",), "2:1"),
        (("quoted key",), "3:1"),
        (("dotted",), "4:1"),
        (("dotted", "key", "last part"), "4:1"),
        (("target",), "6:1"),
        (("target", "headers", "X-Id"), "8:42"),
        (("target", "body"), "9:1"),
        (("target", "list"), "13:1"),
        (("target", "list", 1), "15:3"),
        (("target", "list", 2, "three"), "16:5"),
        (("target", "list", 3, 1, 0), "17:8"),
        (("target", "serve"), "20:1"),
        (("target", "serve", "command"), "21:1"),
        (("judges",), "23:1"),
        (("judges", 0), "23:1"),
        (("judges", 0, "price", "input"), "26:1"),
        (("judges", 1), "27:1"),
        (("judges", 1, "name"), "28:1"),
        (("judges", 1, "when"), "29:1"),
        (("target", "missing", "deep"), "6:1"),
    ],
)
def test_each_key_is_found_or_else_what_is_nearest_above(
    path: tuple[str | int, ...], place: str
) -> None:
    assert str(load_toml(TEXT, file="c.toml").place(path)) == f"c.toml:{place}"


def test_the_data_is_what_tomllib_says() -> None:
    assert load_toml(TEXT, file="c.toml").data == tomllib.loads(TEXT)
    assert str(load_toml("", file="c.toml").place(("run",))) == "c.toml"


def paths_of(data: Any, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    steps: list[tuple[str | int, Any]] = []
    if isinstance(data, dict):
        steps = list(data.items())
    elif isinstance(data, list):
        steps = list(enumerate(data))
    inner = [paths_of(value, (*above, step)) for step, value in steps]
    return [path for paths in inner for path in paths] + ([above] if above else [])


def test_no_path_of_the_data_is_lost_on_the_way() -> None:
    loaded = load_toml(TEXT, file="c.toml")
    for path in paths_of(loaded.data):
        assert loaded.place(path) != loaded.place(()), path


_TEXTS = st.text(alphabet="ab#[]{}=,'.\n \\é", max_size=8)
_KEYS = st.text(alphabet="ab-_9", min_size=1, max_size=3)


def toml_text(value: Any) -> str:
    match value:
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            return f'"{escaped}"'
        case list():
            return "[" + ", ".join(map(toml_text, value)) + ",\n]" if value else "[]"
        case dict():
            return (
                "{" + ", ".join(f"{key} = {toml_text(each)}" for key, each in value.items()) + "}"
            )
        case _:
            return str(value)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        _KEYS,
        st.recursive(
            st.integers() | _TEXTS,
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
            max_leaves=6,
        ),
        max_size=4,
    )
)
def test_top_keys_are_placed_on_their_own_lines_whatever_the_values(data: dict[str, Any]) -> None:
    lines, starts = 1, {}
    text = ""
    for key, value in data.items():
        starts[key] = lines
        entry = f"{key} = {toml_text(value)}\n"
        lines += entry.count("\n")
        text += entry
    loaded = load_toml(text, file="c.toml")
    assert loaded.data == data
    assert {key: loaded.place((key,)).line for key in data} == starts


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a = yes", "c.toml:1:5: malformed TOML: invalid value (text stands in quotes)"),
        ("a = 1\na = 2", "c.toml:2: malformed TOML: cannot overwrite a value (a key may"),
        ("[a]\n[a]", "c.toml:2:3: malformed TOML: cannot declare"),
        ('ok = 1\n\na = "x\n', "c.toml:3:"),
        ("a = " + "[" * 5000, "c.toml"),
    ],
)
def test_malformed_toml_is_one_line_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load_toml(text, file="c.toml")
    assert str(caught.value).startswith(problem)


def test_windows_files_read_like_their_twins() -> None:
    loaded = load_toml("\ufeff[run]\r\nruns = 1\r\n", file="c.toml")
    assert loaded.data == {"run": {"runs": 1}}
    assert str(loaded.place(("run", "runs"))) == "c.toml:2:1"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a = {message = {{message}}}\n", 'quote it: "{{message}}"'),
        ("a = \u201cx\u201d\n", "\u201c (U+201C) is a typographic quote"),
    ],
)
def test_what_was_typed_wrongly_is_named(text: str, hint: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load_toml(text, file="a.toml")
    assert hint in str(caught.value)


@pytest.mark.parametrize("number", ["1" * 5_000, "0x" + "f" * 5_000])
def test_a_number_of_thousands_of_digits_is_a_mistake(number: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        load_toml(f"[run]\nruns = {number}\n", file="a.toml")
    assert "thousands of digits" in str(refused.value)
