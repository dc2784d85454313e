"""Reading a foreign file: its values as they were written, and the files that it names."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ci_judge.errors import InvalidInput, Place
from ci_judge.file_schema import DataPath, LoadedFile, load_yaml, read_text
from ci_judge.suites.criteria import shown
from ci_judge.targets.templating import as_text
from ci_judge.workflows.importing.imported import Notes

_FILE = "file://"


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """A map or list of a foreign file, where it stands, and what is noted about it."""

    data: Any
    loaded: LoadedFile
    at: tuple[str | int, ...]
    folder: Path
    notes: Notes

    def below(self, key: str | int) -> "Foreign":
        """Go down to what stands under a key that is there."""
        return replace(self, data=self.data[key], at=(*self.at, key))

    def referred(self, reference: str) -> "Foreign | None":
        """Follow ``#/a/b`` from the top of the file; None where nothing is there."""
        here: Foreign | None = replace(self, data=self.loaded.data, at=())
        for step in reference.removeprefix("#/").split("/"):
            here = here.get(step) if here else None
        return here

    def items(self) -> "list[Foreign]":
        """Give the items of a list; of anything else that is there, itself."""
        if isinstance(self.data, list):
            return [self.below(number) for number in range(len(self.data))]
        return [] if self.data is None else [self]

    def get(self, key: str) -> "Foreign | None":
        """Go down to what stands under a key, None where nothing does."""
        there = isinstance(self.data, Mapping) and self.data.get(key) is not None
        return self.below(key) if there else None

    def note(self, text: str, *, key: str | int | None = None) -> None:
        """Say what has no counterpart, at the place of a key or at its own."""
        self.notes.add(self.place(() if key is None else (key,)), text)

    def place(self, path: DataPath = ()) -> Place:
        return self.loaded.place((*self.at, *path))

    def text(self, key: str) -> str | None:
        """Give the value of a key as text, as it was typed; None where there is none."""
        if not isinstance(self.data, Mapping) or self.data.get(key) is None:
            return None
        return written(self.data, key)


def written(container: Any, key: Any) -> str:
    """Give a value as text; a number or boolean without quotes is what was typed."""
    typed: str | None = getattr(container, "written", {}).get(key)
    return as_text(container[key]) if typed is None else typed


def open_foreign(path: Path, *, notes: Notes, root: Path) -> Foreign:
    """Read a YAML or JSON file. Raises InvalidInput for what is neither.

    ``root`` is the folder that it is shown from.
    """
    file = shown(path, root=root)
    loaded = load_yaml(read_text(path, file=file), file=file)
    return Foreign(data=loaded.data, loaded=loaded, at=(), folder=path.parent, notes=notes)


def named_file(text: str, folder: Path) -> Path | None:
    """Find the file that ``file://…`` names, its function left out; None for any other text."""
    if not text.startswith(_FILE):
        return None
    name = text.removeprefix(_FILE)
    head, _, tail = name.rpartition(":")
    return folder / (head if head and "/" not in tail and "." in head else name)


def text_of_file(path: Path, *, root: Path) -> str | None:
    """Read a text file; None where it is none."""
    try:
        return read_text(path, file=shown(path, root=root))
    except InvalidInput:
        return None
