"""The texts of a scenario as they were typed: words that YAML ate, and where a quote stands."""

import re
from collections.abc import Iterator
from typing import Any

from ci_judge.errors import Place, Problem
from ci_judge.file_schema import DataPath, LoadedFile, value_at

_TEXTS = ("name", "expected")
_CHECKED_TEXTS = ("contains", "not_contains", "regex")


_MARK = re.compile('["\u201c\u201d\u201e]')
_SHOWN_CHARS = 40


def eaten_words(loaded: LoadedFile, at: DataPath) -> Iterator[Problem]:
    """Yield a problem for each text of the scenario (or defaults) ``at`` a path with a comment."""
    for path in dict.fromkeys(_text_paths(value_at(loaded.data, at))):
        scalar = loaded.scalar((*at, *path))
        if scalar is not None and scalar.comment is not None:
            yield Problem(
                message=f'YAML ends this text at "{_tail(scalar.text)}" and takes '
                f'"{_head(scalar.comment)}" for a comment',
                hint=f"put the text on the line below: {_key(path)} >-",
                place=Place(file=loaded.file, line=scalar.end_line, column=scalar.end_column),
            )


def quote_place(loaded: LoadedFile, path: DataPath, *, marks_before: int) -> Place:
    """Say where a double quote of a text stands; ``marks_before`` counts those ahead of it.

    Inside a quoted scalar, where escapes hide the marks, it is the place of the whole text.
    """
    scalar = loaded.scalar(path)
    if scalar is None or scalar.style in {"single", "double"}:
        return loaded.place(path)
    marks = [match.start() for match in _MARK.finditer(scalar.text)]
    if marks_before >= len(marks):
        return loaded.place(path)
    before = scalar.text[: marks[marks_before]]
    line, column = before.count("\n"), len(before) - before.rfind("\n")
    first = scalar.column - 1 if line == 0 else 0
    return Place(file=loaded.file, line=scalar.line + line, column=column + first)


def count_marks(text: str) -> int:
    """Count the double quotes, straight and curly."""
    return len(_MARK.findall(text))


def _text_paths(entry: Any) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of all texts that a target, a judge or a check gets to see."""
    if not isinstance(entry, dict):
        return
    yield from ((key,) for key in _TEXTS)
    yield from (("expected", number) for number in _numbers(entry.get("expected")))
    for number in _numbers(entry.get("checks")):
        yield from (("checks", number, key) for key in _CHECKED_TEXTS)
        yield from _texts_at(entry, ("checks", number, "equals"))
        yield from _texts_at(entry, ("checks", number, "json_path", "equals"))
    yield from _texts_at(entry, ("message",))
    yield from _texts_at(entry, ("turns",))
    yield from _texts_at(entry, ("response",))
    for number in _numbers(entry.get("history")):
        yield from _texts_at(entry, ("history", number, "content"))


def _texts_at(entry: Any, at: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of all texts in the JSON value at a path, if there is one."""
    try:
        pending = [(at, value_at(entry, at))]
    except LookupError:
        return
    while pending:
        path, inner = pending.pop()
        match inner:
            case str():
                yield path
            case dict():
                pending.extend(((*path, key), item) for key, item in inner.items())
            case list():
                pending.extend(((*path, number), item) for number, item in enumerate(inner))
            case _:
                pass


def _numbers(value: Any) -> range:
    return range(len(value)) if isinstance(value, list) else range(0)


def _tail(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= _SHOWN_CHARS else f"…{shown[-_SHOWN_CHARS:]}"


def _head(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def _key(path: tuple[str | int, ...]) -> str:
    return "-" if isinstance(path[-1], int) else f"{path[-1]}:"
