"""TOML files."""

import re
from collections.abc import Iterator
from typing import Any

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema.loaded_file import DataPath, LoadedFile
from ci_judge.file_schema.text_source import plain_text
from ci_judge.file_schema.toml_places import TomlPlaces
from ci_judge.file_schema.typing_marks import placeholder_hint, typographic_hint
from ci_judge.file_schema.yaml_scalars import MOST_BITS

_WHERE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_HINTS = {
    "Invalid value": "text stands in quotes",
    "Cannot overwrite a value": "a key may stand only once",
    "Cannot declare": "a table may stand only once",
    "Cannot mutate immutable": "an inline table is complete where it stands",
}


def load_toml(text: str, *, file: str) -> LoadedFile:
    """Read a TOML document; ``file`` is the name to show.

    Raises InvalidInput with line and column for malformed TOML.
    """
    import tomllib  # noqa: PLC0415 - most files are YAML

    text = plain_text(text)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(_syntax_problem(str(error), text, file)) from error
    except RecursionError as error:
        raise InvalidInput(Problem(message="nested too deep", place=Place(file=file))) from error
    except ValueError as error:
        raise InvalidInput(_too_long(Place(file=file))) from error
    loaded = LoadedFile(file=file, data=data, locator=TomlPlaces(file=file, text=text))
    problems = [_too_long(loaded.place(path)) for path in _huge_numbers(data)]
    if problems:
        raise InvalidInput(*problems)
    return loaded


def _too_long(place: Place) -> Problem:
    return Problem(message="holds a number of thousands of digits", place=place)


def _huge_numbers(data: dict[str, Any]) -> Iterator[DataPath]:
    """Yield where whole numbers stand that Python refuses to write: hexadecimal ones, say."""
    pending: list[tuple[DataPath, Any]] = [((), data)]
    while pending:
        path, value = pending.pop()
        match value:
            case dict():
                pending.extend(((*path, key), item) for key, item in value.items())
            case list():
                pending.extend(((*path, number), item) for number, item in enumerate(value))
            case int() if value.bit_length() > MOST_BITS:
                yield path


def _syntax_problem(error: str, text: str, file: str) -> Problem:
    where = _WHERE.search(error)
    message = error[: where.start()] if where else error
    line, column = (where[1], where[2]) if where else (None, None)
    source = text.split("\n")[int(line) - 1] if line else ""
    known = next((hint for known, hint in _HINTS.items() if known in message), None)
    hint = typographic_hint(source) or placeholder_hint(source) or known
    return Problem(
        message=f"malformed TOML: {message[:1].lower()}{message[1:]}",
        hint=hint,
        place=Place(
            file=file,
            line=int(line) if line else text.rstrip("\n").count("\n") + 1,
            column=int(column) if column else None,
        ),
    )
