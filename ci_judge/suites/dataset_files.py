"""Rows of a dataset, one after another: JSON Lines and CSV as people save them."""

import codecs
import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.model.suite import JsonValue

LINE_BYTES: Final = 4 << 20
"""The longest line that is read; a file without line ends must not fill the memory."""
DEEPEST: Final = 100
"""How deep a value may be nested, as in YAML."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_AS_UTF_8 = "save it as UTF-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row. ``number`` counts rows from 1, ``line`` is where it begins in the file."""

    number: int
    line: int
    values: Mapping[str, JsonValue]


def read_rows(path: Path, *, file: str) -> Iterator[Row | Problem]:
    """Yield the rows of a ``.jsonl``, ``.ndjson`` or ``.csv`` file, and what is wrong with others.

    ``file`` is the name to show. The values of CSV are texts. Nothing is kept of a row that was
    yielded. After a mistake that leaves open where the next row begins nothing follows.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        yield Problem(
            message="this is no dataset that can be read",
            hint="its name must end in .jsonl or .csv",
            place=Place(file=file),
        )
        return
    try:
        with path.open("rb") as stream:
            yield from reader(_lines(stream.readline, file), file)
    except InvalidInput as error:
        yield from error.problems
    except OSError as error:
        what = "does not exist" if isinstance(error, FileNotFoundError) else error.strerror
        yield Problem(message=f"the file cannot be read: it {what}", place=Place(file=file))


def _lines(read: Callable[[int], bytes], file: str) -> Iterator[str]:
    """Yield the lines with their ends, without a byte order mark. Raises InvalidInput."""
    number = 0
    while line := read(LINE_BYTES):
        number += 1
        if len(line) == LINE_BYTES:
            _refuse(file, number, f"the line is longer than {LINE_BYTES >> 20} MiB", None)
        if number == 1:
            if line.startswith(_UTF_16):
                _refuse(file, number, "the file is UTF-16 text", _AS_UTF_8)
            line = line.removeprefix(codecs.BOM_UTF8)
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            byte = line[error.start]
            _refuse(file, number, f"the line is not UTF-8 text: byte 0x{byte:02x}", _AS_UTF_8)


def _refuse(file: str, line: int, message: str, hint: str | None) -> None:
    raise InvalidInput.of(message, hint=hint, place=Place(file=file, line=line))


# --- JSON Lines ----------------------------------------------------------------------------


def _json_rows(lines: Iterator[str], file: str) -> Iterator[Row | Problem]:
    number = 0
    for at, line in enumerate(lines, start=1):
        if line.strip():
            number += 1
            values = _json_object(line)
            if isinstance(values, str):
                yield Problem(message=values, place=Place(file=file, line=at))
            else:
                yield Row(number=number, line=at, values=values)


def _json_object(line: str) -> dict[str, Any] | str:
    """Read one line, or say what is wrong with it."""
    try:
        value = _DECODER.decode(line.strip())
        _refuse_depth(value if isinstance(value, dict | list) else [])
    except json.JSONDecodeError as error:
        return f"the line is not JSON: {error.msg} at character {error.pos + 1}"
    except RecursionError:
        return "the line is nested too deep"
    except ValueError as error:
        return f"the line is not JSON: {error}"
    if not isinstance(value, dict):
        return 'the line is no JSON object: a row is {"column": value, …}'
    if "\\u" in line and not _is_encodable(value):
        return "the line holds half a character (a lone surrogate)"
    return value


def _refuse_depth(value: JsonValue) -> None:
    """Raise RecursionError where later steps, which go down step by step, would."""
    level = [value]
    for _ in range(DEEPEST):
        inside = [each.values() if isinstance(each, dict) else each for each in level]
        level = [item for items in inside for item in items if isinstance(item, dict | list)]
        if not level:
            return
    raise RecursionError


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {json.dumps(twice)} is there twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number that JSON has")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def _is_encodable(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


# --- CSV -----------------------------------------------------------------------------------


def _csv_rows(lines: Iterator[str], file: str) -> Iterator[Row | Problem]:
    """Pair the cells of each row with the names in the first one."""
    reader = csv.reader(lines, strict=True)
    header: list[str] = []
    number = 0
    while True:
        place = Place(file=file, line=reader.line_num + 1)
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield Problem(message=f"the row is not CSV: {error}", hint=_QUOTING, place=place)
            return
        if cells is None:
            return
        if cells and header:
            number += 1
            yield _row(header, cells, number, place)
        elif cells:
            header = [name.strip() for name in cells]
            problem = _unfit_header(header)
            if problem is not None:
                yield Problem(message=problem, place=place)
                return


_QUOTING: Final = (
    "a cell with quotes, commas or line ends stands in double quotes, its own ones doubled"
)


def _unfit_header(header: list[str]) -> str | None:
    twice = next((name for name in header if header.count(name) > 1), None)
    if "" in header:
        return f"column {header.index('') + 1} has no name"
    return None if twice is None else f'two columns are called "{twice}"'


def _row(header: list[str], cells: list[str], number: int, place: Place) -> Row | Problem:
    if len(cells) == len(header):
        values = dict(zip(header, cells, strict=True))
        return Row(number=number, line=place.line or 0, values=values)
    return Problem(
        message=f"the row has {len(cells)} cells for {len(header)} columns",
        hint="a cell that holds a comma stands in double quotes",
        place=place,
    )


_READERS: Mapping[str, Callable[[Iterator[str], str], Iterator[Row | Problem]]] = {
    ".jsonl": _json_rows,
    ".ndjson": _json_rows,
    ".csv": _csv_rows,
}
