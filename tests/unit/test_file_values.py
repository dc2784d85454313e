"""Rates are exact, durations have units, text is what was typed."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from ci_judge.errors import InvalidInput
from ci_judge.file_schema import (
    Count,
    ExactRate,
    FileModel,
    FilledText,
    Json,
    ListOf,
    OpenRate,
    Rate,
    Seconds,
    Share,
    Text,
    TextOrList,
    VariableName,
    WrittenJson,
    exact_rate,
    load_toml,
    load_yaml,
    validate,
)


class Sample(FileModel):
    rate: Rate | None = None
    share: Share | None = None
    inner: OpenRate | None = None
    wait: Seconds = 1.0
    text: Text = ""
    filled: FilledText = "x"
    several: TextOrList = ()
    texts: ListOf[Text] = ()
    names: dict[str, Text] = Field(default_factory=dict)
    number: int = 0
    ratio: float = 0.0
    switch: bool = False
    count: Count = 0
    body: Json = None
    message: WrittenJson = None
    turns: ListOf[WrittenJson] = ()
    variable: VariableName = "A"


def read(text: str) -> Sample:
    return validate(load_yaml(text, file="a.yaml"), Sample)


def refusal(text: str) -> str:
    with pytest.raises(InvalidInput) as caught:
        read(text)
    (problem,) = caught.value.problems
    return str(problem).removeprefix("a.yaml:1:1: ")


@pytest.mark.parametrize(
    ("text", "kept", "value"),
    [
        ("2/3", "2/3", Fraction(2, 3)),
        ("0.70", "0.70", Fraction(7, 10)),
        ("1", "1", Fraction(1)),
        ("0", "0", Fraction(0)),
        ("1.0", "1.0", Fraction(1)),
        (".5", ".5", Fraction(1, 2)),
        ('"0.6667"', "0.6667", Fraction(6667, 10000)),
        ("0.1234567890123456789", "0.1234567890123456789", Fraction(1234567890123456789, 10**19)),
        ("7e-1", "7e-1", Fraction(7, 10)),
    ],
)
def test_a_rate_is_the_fraction_of_its_text(text: str, kept: str, value: Fraction) -> None:
    assert read(f"rate: {text}").rate == ExactRate(text=kept, value=value)


def test_a_rate_in_toml_is_the_decimal_that_was_written() -> None:
    loaded = load_toml("rate = 0.1\nshare = 1\ninner = '19/20'", file="a.toml")
    sample = validate(loaded, Sample)
    assert sample.rate == ExactRate(text="0.1", value=Fraction(1, 10))
    assert sample.share is not None
    assert sample.share.value == 1
    assert sample.inner is not None
    assert sample.inner.value == Fraction(19, 20)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_every_fraction_reads_back_exactly(top: int, bottom: int) -> None:
    assert exact_rate(f"{top}/{bottom}").value == Fraction(top, bottom)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("rate: 70", "rate must be a rate between 0 and 1, not 70 (did you mean 0.7?)"),
        ("rate: 70%", "rate must be a rate between 0 and 1, not 70% (did you mean 0.7?)"),
        ("rate: 1.5", "rate must be a rate between 0 and 1, not 1.5"),
        ("rate: -0.1", "rate must be a rate between 0 and 1, not -0.1"),
        ("rate: .nan", "rate must be a rate between 0 and 1, not .nan"),
        ("rate: .inf", "rate must be a rate between 0 and 1, not .inf"),
        ("rate: true", "rate must be a rate between 0 and 1, not true"),
        ("rate: 1/0", "rate must be a rate between 0 and 1, not 1/0"),
        ("rate: most", "rate must be a rate between 0 and 1, not most"),
        ("rate: [1]", "rate must be a rate between 0 and 1, not a list"),
        ('rate: "a\\e[0m\\nb"', 'rate must be a rate between 0 and 1, not "a\\u001b[0m\\nb"'),
        ("share: 0", "share must be a rate above 0 and at most 1, not 0"),
        ("inner: 1", "inner must be a rate above 0 and below 1, not 1"),
    ],
)
def test_what_is_no_rate_is_refused(line: str, problem: str) -> None:
    assert refusal(line) == problem


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60s", 60), ("500ms", 0.5), ("2m", 120), ("1.5 h", 5400), ("3", 3), ("0.25", 0.25)],
)
def test_a_duration_is_seconds(text: str, seconds: float) -> None:
    assert read(f"wait: {text}").wait == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["0", "0s", "-1s", "25h", "fast", "true", '"3"', ".inf", "1d"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    assert refusal(f"wait: {text}").startswith("wait must be a duration above 0 and up to 24h")


@pytest.mark.parametrize(
    "typed", ["1.10", "007", "0o17", "True", "1e3", ".nan", "No", "2026-01-01"]
)
def test_text_is_what_was_typed(typed: str) -> None:
    line = (
        f"{{text: {typed}, several: {typed}, texts: [{typed}], names: {{a: {typed}}}, "
        f"message: {typed}, turns: [{typed}], filled: {typed}}}"
    )
    sample = read(line)
    assert [sample.text, sample.filled, sample.message] == [typed] * 3
    assert [sample.several, sample.texts, sample.turns] == [(typed,)] * 3
    assert sample.names == {"a": typed}


def test_json_below_the_top_keeps_its_numbers() -> None:
    sample = read("{message: {price: 1.10, ok: true}, body: 1.10, turns: [{n: 1}]}")
    assert sample.message == {"price": 1.1, "ok": True}
    assert sample.body == 1.1
    assert sample.turns == ({"n": 1},)
    assert type(sample.message) is dict


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("text: ", "text is empty: it must be text"),
        ("text: [a]", "text must be text, not a list"),
        ('text: "\\ud800"', "malformed"),
        ("filled: '  '", "filled is empty"),
        ("several: [a, '']", "several[1] is empty"),
        ("texts: 1.0", "texts must be a list (each item text), not 1.0"),
        ("several: {a: b}", "several must be text or a list of texts, not a map"),
        ("body: {a: [.nan]}", "body holds a number that JSON has no word for (NaN or infinity)"),
        ("number: true", "number must be a whole number, not true"),
        ("number: 2.0", "number must be a whole number, not 2.0"),
        ('number: "3"', 'number must be a whole number, not "3" (write 3 without quotes)'),
        ("count: -1", "count must be a whole number of at least 0, not -1"),
        ("ratio: .nan", "ratio must be a number, not NaN"),
        ("ratio: true", "ratio must be a number, not true"),
        ("switch: 1", "switch must be true or false, not 1"),
        ("switch: yes", 'switch must be true or false, not "yes"'),
        ('switch: "true"', 'switch must be true or false, not "true" (write true without quotes)'),
        ("variable: A-B", "variable must be the name of a variable: letters, digits and _"),
    ],
)
def test_nothing_is_converted_silently(line: str, problem: str) -> None:
    assert problem in refusal(line)


def test_toml_is_converted_no_more_than_yaml() -> None:
    for line, part in (
        ("body = {a = 2026-01-01}", "JSON has no word for"),
        ("rate = true", "must be a rate between 0 and 1, not true"),
        ("text = 1.5", "must be text, not 1.5 (put it in quotes)"),
    ):
        with pytest.raises(InvalidInput, match=part.replace("(", r"\(").replace(")", r"\)")):
            validate(load_toml(line, file="a.toml"), Sample)


def test_half_a_character_is_refused() -> None:
    data: dict[str, Any] = {"text": "\ud83d"}
    with pytest.raises(ValueError, match="lone surrogate"):
        Sample.model_validate(data)
