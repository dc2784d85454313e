"""How much may go on at once: a number, or as much as the other side bears."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import PlainValidator, WithJsonSchema

from ci_judge.file_schema.markers import Wanted, wrong
from ci_judge.file_schema.showing import bare, shown

MOST_AT_ONCE = 256
AUTO: Literal["auto"] = "auto"
_WORDS = f"auto or a whole number from 1 to {MOST_AT_ONCE}"
_MOST_DIGITS = 9


def _at_once(value: Any) -> int | Literal["auto"]:
    if value == AUTO:
        return AUTO
    digits = isinstance(value, str) and value.isascii() and value.strip().isdigit()
    number = int(value) if digits and len(value) <= _MOST_DIGITS else value
    if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= MOST_AT_ONCE:
        return number
    raise wrong(f"must be {_WORDS}, not {bare(value) if digits else shown(value)}")


Concurrency: TypeAlias = Annotated[
    int | Literal["auto"],
    PlainValidator(_at_once),
    Wanted(_WORDS),
    WithJsonSchema(
        {"anyOf": [{"const": AUTO}, {"type": "integer", "minimum": 1, "maximum": MOST_AT_ONCE}]}
    ),
]
"""A number, or ``auto``."""


def fixed_number(concurrency: int | Literal["auto"]) -> int | None:
    """Return the number, None for ``auto``."""
    return None if concurrency == AUTO else concurrency
