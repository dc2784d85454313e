"""The kinds of value that files hold: text as written, exact rates, durations, lists, JSON."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    Strict,
    WithJsonSchema,
)

from ci_judge.file_schema.markers import AsWritten, Wanted, wrong
from ci_judge.file_schema.showing import bare, shown

T = TypeVar("T")


def _encodable(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise wrong("holds half a character (a lone surrogate)")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise wrong("is empty")
    return text


def _one_as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def plain_json(value: Any) -> Any:
    """Copy a value down to plain JSON types. Raises the ``wrong`` error for what JSON lacks."""
    match value:
        case None | bool() | str() | int():
            return value
        case float() if math.isfinite(value):
            return value
        case dict():
            return {key: plain_json(item) for key, item in value.items()}
        case list():
            return [plain_json(item) for item in value]
        case float():
            raise wrong("holds a number that JSON has no word for (NaN or infinity)")
        case _:
            raise wrong("holds a value that JSON has no word for", hint="write it as text")


Text: TypeAlias = Annotated[str, AsWritten(), AfterValidator(_encodable)]
"""Text, as typed: ``1.10``, ``true`` and ``007`` without quotes are these characters."""

FilledText: TypeAlias = Annotated[
    Text, AfterValidator(_not_blank), WithJsonSchema({"type": "string", "minLength": 1})
]
"""Text that is not blank."""


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise wrong("holds a NUL character, which no command or variable can")
    return text


NoNul = AfterValidator(_no_nul)

Command: TypeAlias = (
    Annotated[FilledText, NoNul]
    | Annotated[tuple[Annotated[FilledText, NoNul], ...], Strict(strict=False), Field(min_length=1)]
)
"""A program and its arguments: one text, or a list."""

VariableText: TypeAlias = Annotated[Text, NoNul]
"""The value of an environment variable."""

ListOf: TypeAlias = Annotated[tuple[T, ...], Strict(strict=False)]
"""A list in the file, a tuple in the model."""


_NAME = r"[A-Za-z_][A-Za-z0-9_]*"


def _variable_name(text: str) -> str:
    """Refuse what is no name without showing it: people put the secret itself there."""
    if re.fullmatch(_NAME, text):
        return text
    meant = re.fullmatch(rf"\$\{{?({_NAME})\}}?", text)
    hint = f"the name alone: {meant[1]}" if meant else "the name alone, never its value"
    raise wrong("must be the name of a variable: letters, digits and _", hint=hint)


VariableName: TypeAlias = Annotated[FilledText, AfterValidator(_variable_name)]
"""The name of an environment variable."""

TextOrList: TypeAlias = Annotated[
    tuple[FilledText, ...],
    Strict(strict=False),
    AsWritten(),
    BeforeValidator(_one_as_list),
    Wanted("text or a list of texts"),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""A list of texts; one text is a list of one."""

Json: TypeAlias = Annotated[Any, BeforeValidator(plain_json), Wanted("a JSON value")]
"""Any JSON value; numbers are numbers."""

WrittenJson: TypeAlias = Annotated[Json, AsWritten()]
"""Any JSON value; a number or boolean that is the whole value is the text that was typed."""


# --- rates ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactRate:
    """A rate as the exact fraction of the text that the user wrote ("2/3", "0.70", "1")."""

    text: str
    value: Fraction

    def __str__(self) -> str:
        return self.text


_DECIMAL = re.compile(r"\+?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][-+]?\d{1,2})?")
_DECIMAL_COMMA = re.compile(r"\s*0,\d{1,20}\s*")
_FRACTION = re.compile(r"\s*(\d{1,18})\s*/\s*(\d{1,18})\s*")
_PERCENT = re.compile(r"\s*(\d{1,3}(?:\.\d{1,20})?)\s*%?\s*")


def exact_rate(text: str) -> ExactRate:
    """Read "2/3", "0.7" or "1" exactly. Raises ValueError for anything else."""
    fraction = _FRACTION.fullmatch(text)
    if fraction and int(fraction[2]):
        return ExactRate(text=text.strip(), value=Fraction(int(fraction[1]), int(fraction[2])))
    if _DECIMAL.fullmatch(text):
        return ExactRate(text=text, value=Fraction(text))
    raise ValueError(f"not a rate: {text}")


@dataclass(frozen=True, slots=True)
class _RateReader:
    """Reads a rate within [0, 1], or without one of the ends."""

    words: str
    with_zero: bool = True
    with_one: bool = True

    def __call__(self, value: Any) -> ExactRate:
        if isinstance(value, ExactRate):
            return value
        text = _number_text(value)
        try:
            rate = exact_rate(text)
        except ValueError:
            raise self._refused(value, text) from None
        low = rate.value > 0 or (self.with_zero and rate.value == 0)
        high = rate.value < 1 or (self.with_one and rate.value == 1)
        if not (low and high):
            raise self._refused(value, text)
        return rate

    def _refused(self, value: Any, text: str) -> Exception:
        given = bare(text) if text else shown(value)
        return wrong(f"must be {self.words}, not {given}", hint=_meant_percent(text))


def _number_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _meant_percent(text: str) -> str | None:
    if _DECIMAL_COMMA.fullmatch(text):
        return f"did you mean {text.strip().replace(',', '.')}?"
    percent = _PERCENT.fullmatch(text)
    if percent is None or not 2 <= Fraction(percent[1]) <= 100:  # noqa: PLR2004 - a percentage
        return None
    return f"did you mean {float(Fraction(percent[1]) / 100)}?"


def _rate_schema(reader: _RateReader) -> dict[str, Any]:
    low = {"minimum": 0} if reader.with_zero else {"exclusiveMinimum": 0}
    high = {"maximum": 1} if reader.with_one else {"exclusiveMaximum": 1}
    pattern = r"^\s*(\d+\s*/\s*\d+|\d*\.?\d+)\s*$"
    return {"anyOf": [{"type": "number", **low, **high}, {"type": "string", "pattern": pattern}]}


_ANY_RATE = _RateReader("a rate between 0 and 1")
_SHARE = _RateReader("a rate above 0 and at most 1", with_zero=False)
_OPEN_RATE = _RateReader("a rate above 0 and below 1", with_zero=False, with_one=False)
_AS_TEXT = PlainSerializer(str, return_type=str)

Rate: TypeAlias = Annotated[
    ExactRate, AsWritten(), PlainValidator(_ANY_RATE), _AS_TEXT,
    Wanted(_ANY_RATE.words), WithJsonSchema(_rate_schema(_ANY_RATE)),
]  # fmt: skip
"""A rate in [0, 1]."""

Share: TypeAlias = Annotated[
    ExactRate, AsWritten(), PlainValidator(_SHARE), _AS_TEXT,
    Wanted(_SHARE.words), WithJsonSchema(_rate_schema(_SHARE)),
]  # fmt: skip
"""A rate in (0, 1]."""

OpenRate: TypeAlias = Annotated[
    ExactRate, AsWritten(), PlainValidator(_OPEN_RATE), _AS_TEXT,
    Wanted(_OPEN_RATE.words), WithJsonSchema(_rate_schema(_OPEN_RATE)),
]  # fmt: skip
"""A rate in (0, 1)."""


# --- durations -----------------------------------------------------------------------

_DURATION = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|m|h)\s*")
_LONG_UNIT = re.compile(
    r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|m|h)(?:illi|ec|in|our|r)?\w*\s*", re.IGNORECASE
)
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
LONGEST_SECONDS = 86_400.0
_DURATION_WORDS = 'a duration above 0 and up to 24h, such as "60s", "500ms", "2m" or 3 (seconds)'


def duration_seconds(value: Any) -> float:
    """Read "60s", "500ms", "2m", "1h" or a number of seconds. Raises the ``wrong`` error."""
    seconds = _seconds_of(value)
    if seconds is None or not 0 < seconds <= LONGEST_SECONDS:
        text = _number_text(value)
        given = bare(text) if text else shown(value)
        raise wrong(f"must be {_DURATION_WORDS}, not {given}", hint=_meant_duration(text))
    return seconds


def _meant_duration(text: str) -> str | None:
    found = _LONG_UNIT.fullmatch(text)
    return f"did you mean {found[1]}{found[2].lower()}?" if found else None


def _seconds_of(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if abs(value) <= LONGEST_SECONDS else None
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return float(found[1]) * _UNIT_SECONDS[found[2]] if found else None


Seconds: TypeAlias = Annotated[
    float,
    PlainValidator(duration_seconds),
    Wanted(_DURATION_WORDS),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0, "maximum": LONGEST_SECONDS},
                {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*(ms|s|m|h)\s*$"},
            ]
        }
    ),
]
"""A duration, in seconds."""

Count: TypeAlias = Annotated[int, Field(ge=0)]
"""A whole number of at least 0."""
