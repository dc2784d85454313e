"""Dotted paths into JSON."""

import pytest

from ci_judge.model.suite import JsonValue
from ci_judge.rules.json_paths import Found, Missing, look_up

REPLY: JsonValue = {
    "choices": [{"message": {"content": "hello", "tools": None}}, {"message": {}}],
    "ok": False,
    "count": 0,
    "empty": "",
    "none": None,
    "list": [],
    "0": "a key that is a number",
    "price": 1.5,
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("choices.0.message.content", "hello"),
        ("choices.1.message", {}),
        ("choices.00.message.content", "hello"),
        ("ok", False),
        ("count", 0),
        ("empty", ""),
        ("none", None),
        ("list", []),
        ("choices.0.message.tools", None),
        ("0", "a key that is a number"),
        ("", REPLY),
    ],
)
def test_found(path: str, value: JsonValue) -> None:
    found = look_up(REPLY, path)
    assert isinstance(found, Found)
    assert found.value == value
    assert type(found.value) is type(value)


@pytest.mark.parametrize(
    ("path", "reached", "said"),
    [
        ("choice.0", "", 'no "choice": the reply has "choices", "ok", "count", "empty", "none"'),
        ("choices.0.text", "choices.0", 'no "text": "choices.0" has "message"'),
        ("choices.2", "choices", 'no "2": "choices" is a list of 2'),
        ("choices.-1", "choices", 'no "-1": "choices" is a list of 2'),
        ("choices.\u0660", "choices", 'no "\u0660": "choices" is a list of 2'),
        ("choices.first", "choices", 'no "first": "choices" is a list of 2'),
        ("choices.1.message.content", "choices.1.message", "is an empty object"),
        ("empty.x", "empty", 'no "x": "empty" is text'),
        ("none.x", "none", 'no "x": "none" is null'),
        ("ok.x", "ok", 'no "x": "ok" is false'),
        ("price.x", "price", 'no "x": "price" is 1.5'),
        ("choices.", "choices", 'no "": "choices" is a list of 2'),
    ],
)
def test_missing_says_how_far_it_got_and_what_is_there(path: str, reached: str, said: str) -> None:
    missing = look_up(REPLY, path)
    assert isinstance(missing, Missing)
    assert missing.reached == reached
    assert said in str(missing)


def test_an_index_of_many_digits_is_missing_and_costs_nothing() -> None:
    assert isinstance(look_up([1], "9" * 100_000), Missing)
    assert isinstance(look_up([1], "0" * 100_000), Missing)


def test_many_and_long_keys_are_bounded() -> None:
    said = str(look_up({f"{number:03}{'k' * 5000}": 1 for number in range(500)}, "x"))
    assert "and 492 more" in said
    assert len(said) < 600
