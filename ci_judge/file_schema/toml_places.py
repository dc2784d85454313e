"""Where the keys of a TOML document stand: tomllib does not say, so a scanner finds them."""

import re
from bisect import bisect_right

from ci_judge.errors import Place
from ci_judge.file_schema.loaded_file import DataPath, Scalar

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")' r"|'''.*?'{3,5}(?!')" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'",
    re.DOTALL,
)
_ATOM = re.compile(r"[^,\]}\n#]+")


class TomlPlaces:
    """The locator of a TOML file whose text tomllib has accepted."""

    def __init__(self, *, file: str, text: str) -> None:
        self._file = file
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._offsets = _Scanner(text).offsets()

    def place(self, path: DataPath) -> Place:
        for length in range(len(path), 0, -1):
            offset = self._offsets.get(tuple(path[:length]))
            if offset is not None:
                return self._at(offset)
        return Place(file=self._file)

    def scalar(self, path: DataPath) -> Scalar | None:
        """TOML text is always quoted: nothing of it can be eaten, so nothing is kept."""
        del path
        return None

    def _at(self, offset: int) -> Place:
        line = bisect_right(self._starts, offset)
        column = offset - self._starts[line - 1] + 1
        return Place(file=self._file, line=line, column=column)


class _LostTrack(Exception):
    """The scanner met something that it does not know; the places found so far are used."""


class _Scanner:
    """One pass over valid TOML that notes the offset of every key, table and array item."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._found: dict[tuple[str | int, ...], int] = {}
        self._table_counts: dict[tuple[str | int, ...], int] = {}

    def offsets(self) -> dict[tuple[str | int, ...], int]:
        table: tuple[str | int, ...] = ()
        try:
            while self._skip(_BLANK) < len(self._text):
                if self._text[self._at] == "[":
                    table = self._header()
                else:
                    self._pair(table)
        except (_LostTrack, IndexError, RecursionError):
            pass
        return self._found

    def _skip(self, pattern: re.Pattern[str]) -> int:
        self._at = self._match(pattern).end()
        return self._at

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise _LostTrack
        return found

    def _header(self) -> tuple[str | int, ...]:
        start = self._at
        brackets = 2 if self._text.startswith("[[", self._at) else 1
        self._at += brackets
        keys = self._keys()
        self._at += brackets
        path = self._within_tables(keys[:-1], start)
        return self._new_table((*path, keys[-1]), start, repeated=brackets > 1)

    def _within_tables(self, keys: list[str], start: int) -> tuple[str | int, ...]:
        """Follow keys from the top; below an array of tables they mean its last table."""
        path: tuple[str | int, ...] = ()
        for key in keys:
            path = self._new_table((*path, key), start, repeated=False)
        return path

    def _new_table(
        self, path: tuple[str | int, ...], start: int, *, repeated: bool
    ) -> tuple[str | int, ...]:
        self._found.setdefault(path, start)
        if repeated:
            self._table_counts[path] = self._table_counts.get(path, 0) + 1
        if path in self._table_counts:
            path = (*path, self._table_counts[path] - 1)
            self._found.setdefault(path, start)
        return path

    def _keys(self) -> list[str]:
        keys: list[str] = []
        while True:
            self._skip(_SPACE)
            keys.append(_key_text(self._match(_KEY)[0]))
            self._skip(_KEY)
            self._skip(_SPACE)
            if not self._text.startswith(".", self._at):
                return keys
            self._at += 1

    def _pair(self, table: tuple[str | int, ...]) -> None:
        start, path = self._at, table
        for key in self._keys():
            path = (*path, key)
            self._found.setdefault(path, start)
        if self._text[self._at] != "=":
            raise _LostTrack
        self._at += 1
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: tuple[str | int, ...]) -> None:
        match self._text[self._at]:
            case "[":
                self._items(path, closing="]")
            case "{":
                self._items(path, closing="}")
            case '"' | "'":
                self._skip(_STRING)
            case _:
                self._skip(_ATOM)

    def _items(self, path: tuple[str | int, ...], *, closing: str) -> None:
        """Scan an array (items are numbered) or an inline table (items are pairs)."""
        self._at += 1
        index = 0
        while self._text[self._skip(_BLANK)] != closing:
            if self._text[self._at] == ",":
                self._at += 1
            elif closing == "}":
                self._pair(path)
            else:
                self._found[(*path, index)] = self._at
                self._value((*path, index))
                index += 1
        self._at += 1


def _key_text(source: str) -> str:
    if source[0] not in "\"'":
        return source
    import tomllib  # noqa: PLC0415 - most files are YAML

    return str(tomllib.loads(f"key = {source}")["key"])
