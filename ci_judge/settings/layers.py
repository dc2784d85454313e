"""What flags, inputs and the environment put over the configuration file."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ci_judge.errors import Place, Problem
from ci_judge.file_schema import DataPath, LoadedFile, Scalar, WrittenMap, written_copy
from ci_judge.file_schema.wording import Declared, declared_at, keys_of, models_in
from ci_judge.file_schema.yaml_scalars import core_value
from ci_judge.judges.settings import OF_THE_PANEL, SHARED_BY_PANEL, JudgeSettings
from ci_judge.settings.sections import ConfigFile

_FILE_PATHS = frozenset(
    {
        ("suite", "criteria"),
        ("suite", "paths"),
        ("report", "dir"),
        ("run", "cache_dir"),
        ("run", "balance"),
        ("run", "baseline"),
        ("judge", "calibration"),
        ("target", "ca_bundle"),
    }
)
_WORDS_FOR_PATHS = {("run", "baseline"): ("auto", "none")}
_OF_ONE_JUDGE = frozenset(keys_of(JudgeSettings)) - {*SHARED_BY_PANEL, *OF_THE_PANEL}
_REPLACED: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {
    ("run", "seed"): (("judge", "seed"),),
    ("judge", "seed"): (("run", "seed"),),
    ("judge", "provider"): (("judge", "panel"), ("judge", "panel_rule")),
    ("judge", "panel"): (("judge", "provider"), *(("judge", key) for key in sorted(_OF_ONE_JUDGE))),
}
"""What else a setting puts out of force where it overrides those below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """An override together with the name under which the user gave it (``--runs``)."""

    value: Any
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layered:
    """The locator of the merged data: what was overridden stands where it was given."""

    file: LoadedFile
    givers: Mapping[tuple[str, ...], str]

    def place(self, path: DataPath) -> Place:
        for length in range(len(path), 0, -1):
            giver = self.givers.get(tuple(map(str, path[:length])))
            if giver is not None:
                return Place(file=giver)
        return self.file.place(path)

    def scalar(self, path: DataPath) -> Scalar | None:
        return self.file.scalar(path)


@dataclass(slots=True, kw_only=True)
class Layers:
    """Data to which one layer after the other is added, each stronger than those before.

    ``root`` is the folder where paths of the file start, ``cwd`` where those of layers do.
    """

    file: LoadedFile
    root: Path
    cwd: Path
    problems: list[Problem] = field(default_factory=list)
    _data: WrittenMap = field(default_factory=WrittenMap)
    _givers: dict[tuple[str, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._data = written_copy(self.file.data or {})

    def merged(self) -> LoadedFile:
        """Give the data of all layers so far."""
        locator = _Layered(file=self.file, givers=dict(self._givers))
        return replace(self.file, data=self._data, locator=locator)

    def add(self, layer: Mapping[tuple[str, ...], Given]) -> None:
        """Put values over the data. Text is read as the type of its setting asks for."""
        for path, given in layer.items():
            self._put(path, given)
            for replaced in _REPLACED.get(path, ()) if self._value(path) != [] else ():
                if replaced not in layer:
                    self._remove(replaced)

    def _put(self, path: tuple[str, ...], given: Given) -> None:
        self._givers[path] = given.by
        parent = self._parent(path)
        if parent is None:
            return  # the file has no map there, and will hear of it
        key = path[-1]
        value, written = self._read(path, given)
        is_path = path in _FILE_PATHS and value not in _WORDS_FOR_PATHS.get(path, ())
        parent[key] = self._from_root(value) if is_path else value
        parent.written.pop(key, None)
        if written is not None:
            parent.written[key] = written

    def _parent(self, path: tuple[str, ...]) -> WrittenMap | None:
        here = self._data
        for step in path[:-1]:
            inner = here.get(step)
            if inner is not None and not isinstance(inner, dict):
                return None
            here[step] = here = written_copy(inner or {})
        return here

    def _value(self, path: tuple[str, ...]) -> Any:
        parent = self._parent(path)
        return None if parent is None else parent.get(path[-1])

    def _remove(self, path: tuple[str, ...]) -> None:
        parent = self._parent(path) if path[0] in self._data else None
        if parent is not None:
            parent.pop(path[-1], None)

    def _read(self, path: tuple[str, ...], given: Given) -> tuple[Any, str | None]:
        """Give an override's value, and its text when it is a number or the like."""
        if not isinstance(given.value, str):
            return _as_data(given.value), None
        text = given.value.strip()
        if text[:1] in {"[", "{"} and _takes_structure(declared_at(ConfigFile, path)):
            return self._json(text, given.by), None
        value = core_value(text)
        return value, None if isinstance(value, str) or value is None else text

    def _json(self, text: str, giver: str) -> Any:
        try:
            return json.loads(
                text, parse_constant=_no_constant, object_pairs_hook=_without_repetition
            )
        except (ValueError, RecursionError) as error:
            message = f"the JSON cannot be read: {error}"
            self.problems.append(Problem(message=message, place=Place(file=giver)))
            return None

    def _from_root(self, value: Any) -> Any:
        """Make a path that starts in the working directory start in the file's folder."""
        if isinstance(value, list):
            return [self._from_root(item) for item in value]
        if not isinstance(value, str) or not value or self.cwd == self.root:
            return value
        try:
            return Path(os.path.relpath(self.cwd / value, self.root)).as_posix()
        except ValueError:  # on another drive
            return str(self.cwd / value)


def _as_data(value: Any) -> Any:
    """Turn the tuples of a caller into the lists that data is made of."""
    if isinstance(value, list | tuple):
        return [_as_data(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _as_data(item) for key, item in value.items()}
    return value


def _takes_structure(declared: Declared | None) -> bool:
    if declared is None:
        return False
    return declared.annotation is Any or declared.holds_many or bool(models_in(declared))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for key, value in pairs:
        if key in entries:
            raise ValueError(f"the key {json.dumps(key)} stands twice")
        entries[key] = value
    return entries
