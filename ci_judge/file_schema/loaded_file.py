"""What was read from a file, with the place of every key in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from ci_judge.errors import Place

DataPath: TypeAlias = Sequence[str | int]
"""Keys and list indexes (from 0) from the top of a file down to a value."""

ScalarStyle: TypeAlias = Literal["plain", "single", "double", "literal", "folded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A YAML scalar as it was typed.

    ``text`` is the raw source, quotes included; lines and columns count from 1, the end is one
    behind the last character. ``comment`` is the ``# …`` that follows a plain scalar on its last
    line (text that was perhaps meant to be part of it).
    """

    style: ScalarStyle
    text: str
    line: int
    column: int
    end_line: int
    end_column: int
    comment: str | None = None


class Locator(Protocol):
    """Knows where the values of one file stand."""

    def place(self, path: DataPath) -> Place:
        """Say where the key or item stands, or the nearest thing above it that exists."""
        ...

    def scalar(self, path: DataPath) -> Scalar | None:
        """Give the scalar as typed; None where there is none, or the format keeps none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedFile:
    """A file's ``data`` (maps, lists, text, numbers, true, false, None) and where each part stands.

    ``file`` is the name to show. A number, true or false that was typed without quotes is still
    known as text to ``WrittenMap`` and ``WrittenList``.
    """

    file: str
    data: Any
    locator: Locator

    def place(self, path: DataPath = ()) -> Place:
        return self.locator.place(path)

    def scalar(self, path: DataPath) -> Scalar | None:
        return self.locator.scalar(path)


class WrittenMap(dict[str, Any]):
    """A map that remembers, by key, the source text of its numbers and booleans (``1.10``)."""

    def __init__(self) -> None:
        super().__init__()
        self.written: dict[str | int, str] = {}


class WrittenList(list[Any]):
    """A list that remembers, by index, the source text of its numbers and booleans."""

    def __init__(self) -> None:
        super().__init__()
        self.written: dict[str | int, str] = {}


def written_copy(data: Mapping[str, Any]) -> WrittenMap:
    """Copy a map, and what it remembers of how its values were written."""
    copy = WrittenMap()
    copy.update(data)
    copy.written.update(getattr(data, "written", {}))
    return copy


def child(value: Any, step: str | int) -> tuple[Any] | None:
    """Give the value below ``step`` as a 1-tuple (it may be None), or None without one."""
    if isinstance(value, Mapping) and isinstance(step, str) and step in value:
        return (value[step],)
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return (value[step],)
    return None


def value_at(data: Any, path: DataPath) -> Any:
    """Give the value at the path. Raises LookupError when nothing is there."""
    for step in path:
        found = child(data, step)
        if found is None:
            raise LookupError(step)
        data = found[0]
    return data
