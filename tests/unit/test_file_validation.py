"""Every mistake of a file at once, in plain words, each with its place and a way out."""

from typing import Annotated, Literal, Self

import pytest
from pydantic import Field, model_validator

from ci_judge.errors import InvalidInput
from ci_judge.file_schema import (
    FileModel,
    ListOf,
    LoadedFile,
    Secret,
    Text,
    load_toml,
    load_yaml,
    problems_or,
    validate,
    wrong,
)


class Turn(FileModel):
    role: Literal["user", "assistant"]
    content: Text = Field(description="What was said.")


class Entry(FileModel):
    name: Text
    runs: Annotated[int, Field(ge=1, le=50)] | None = None
    threshold: float = 0.5
    history: ListOf[Turn] = ()
    command: Text | ListOf[Text] = ""

    @model_validator(mode="after")
    def _no_history_of_one(self) -> Self:
        if len(self.history) == 1:
            raise wrong("has one turn only", hint="add its answer", key="history")
        if self.name == "bad":
            raise ValueError("bad names are bad")
        return self


class Defaults(FileModel):
    runs: int = 1
    advisory: bool = False


class Sheet(FileModel):
    criterion: Text = Field(description="The criterion that is tested.")
    defaults: Defaults = Defaults()
    entries: ListOf[Entry] = ()
    by_name: dict[str, Entry] = Field(default_factory=dict)
    token: Annotated[Text, Secret()] | None = None
    json_name: Text = Field(default="", alias="json")


def problems(text: str, *, toml: bool = False) -> list[str]:
    loaded = load_toml(text, file="f") if toml else load_yaml(text, file="f")
    found = problems_or(loaded, Sheet)
    assert isinstance(found, tuple)
    return [str(problem) for problem in found]


def test_a_right_file_is_its_model() -> None:
    sheet = validate(load_yaml("criterion: c\njson: 1.10\nentries: [{name: a}]", file="f"), Sheet)
    assert (sheet.criterion, sheet.json_name, sheet.entries) == ("c", "1.10", (Entry(name="a"),))


def test_all_mistakes_come_at_once_in_the_order_of_the_file() -> None:
    text = """\
defaults: {runs: two, adviory: true}
entries:
  - {name: a, treshold: 0.9, Runs: 3}
  - name: 'Hä"ggles'
    runs: 99
    history: [{role: bot, content: x}, {role: user}]
  - {runs: 0}
  - plain
by_name: {x: {name: y, message: hello}}
"""
    assert problems(text) == [
        "f:1:1: criterion is missing (The criterion that is tested.)",
        'f:1:12: defaults.runs must be a whole number, not "two"',
        'f:1:23: unknown key "adviory" in defaults (did you mean "advisory"?)',
        'f:3:15: unknown key "treshold" in entries["a"] (did you mean "threshold"?)',
        'f:3:30: unknown key "Runs" in entries["a"] (did you mean "runs"?)',
        'f:5:5: entries["Hä\\"ggles"].runs must be a whole number from 1 to 50, not 99',
        'f:6:16: entries["Hä\\"ggles"].history[0].role must be "user" or "assistant", not "bot"',
        'f:6:40: entries["Hä\\"ggles"].history[1].content is missing (What was said.)',
        "f:7:5: entries[2].name is missing",
        "f:7:6: entries[2].runs must be a whole number from 1 to 50, not 0",
        (
            'f:8:5: entries[3] must be a map of keys, not "plain" '
            "(write its keys on lines of their own below it, such as name:)"
        ),
        (
            'f:9:24: unknown key "message" in by_name.x '
            "(known: name, runs, threshold, history, command)"
        ),
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("{criterion: c, entries: [{name: a, advisory: true}]}", "it belongs in section defaults"),
        ("{criterion: c, entries: [{name: a, criterion: b}]}", "it belongs at the top"),
        ("{criterion: c, history: []}", "it belongs in the entries of entries or in the entries"),
        ("{criterion: c, Criterion: c}", 'did you mean "criterion"?'),
        ("{criterion: c, JSN: c}", 'did you mean "json"?'),
        ("{criterion: c, zebra: c}", "known: criterion, defaults, entries, by_name, token, json"),
    ],
)
def test_an_unknown_key_is_told_where_it_belongs(text: str, hint: str) -> None:
    (problem,) = problems(text)
    assert "unknown key" in problem
    assert f"({hint}" in problem


def test_what_a_model_says_of_one_key_stands_at_that_key() -> None:
    text = "criterion: c\nentries:\n- name: a\n  history: [{role: user, content: x}]\n- name: bad\n"
    assert problems(text) == [
        'f:4:3: entries["a"].history has one turn only (add its answer)',
        'f:5:3: entries["bad"]: bad names are bad',
    ]


def test_a_choice_of_kinds_is_one_problem() -> None:
    assert problems("{criterion: c, entries: [{name: a, command: {b: c}}]}") == [
        'f:1:36: entries["a"].command must be text or a list (each item text), not a map'
    ]
    assert problems("{criterion: c, entries: [{name: a, command: [[b], c]}]}") == [
        'f:1:46: entries["a"].command[0] must be text, not a list'
    ]


def test_a_secret_is_not_shown() -> None:
    (problem,) = problems("criterion = 'c'\ntoken = 12345678", toml=True)
    assert problem == "f:2:1: token must be text (put it in quotes)"


def test_strangers_text_comes_alive_in_no_message() -> None:
    (problem,) = problems('criterion: c\n"\\e[31m\\u202e\\n": x')
    assert problem.startswith('f:2:1: unknown key "\\u001b[31m\\u202e\\n" in the file')
    (problem,) = problems("{criterion: c, " + "k" * 500 + ": x}")
    assert len(problem) < 250


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a", "f:1:1: the file must be a map of keys, not a list"),
        ("just text", 'f:1:1: the file must be a map of keys, not "just text"'),
        ("", "f: criterion is missing (The criterion that is tested.)"),
        ("{criterion: c, entries: {first: {name: a}}}", "f:1:16: entries must be a list"),
        ("{criterion: c, defaults: }", "f:1:16: defaults is empty: it must be a map of keys"),
    ],
)
def test_the_wrong_shape_is_said_plainly(text: str, problem: str) -> None:
    assert problems(text)[0].startswith(problem)


def test_a_part_of_a_file_is_read_at_its_path() -> None:
    loaded: LoadedFile = load_yaml("entries:\n- {name: a}\n- {name: b, runs: x}\n", file="f")
    assert validate(loaded, Entry, at=("entries", 0)).name == "a"
    with pytest.raises(InvalidInput) as caught:
        validate(loaded, Entry, at=("entries", 1))
    assert str(caught.value) == (
        'f:3:13: entries["b"].runs must be a whole number from 1 to 50, not "x"'
    )


def test_models_cannot_be_changed() -> None:
    entry = Entry(name="a")
    with pytest.raises(ValueError, match="frozen"):
        entry.name = "b"
