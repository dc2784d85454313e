"""Where a scenario stands and what it may refer to: the context of every mistake in it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from ci_judge.errors import Place, Problem
from ci_judge.file_schema import DataPath, LoadedFile
from ci_judge.model.suite import Criterion, GateDefaults

if TYPE_CHECKING:
    from ci_judge.suites.scenario_file import TestKeys

_NAMED_IDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the scenarios of all files share.

    ``root`` is the folder that datasets lie in, None where none may be read; ``seed`` draws rows.
    """

    criteria: Mapping[str, Criterion]
    gate: GateDefaults
    targets: frozenset[str]
    root: Path | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One scenario file, its criterion known."""

    loaded: LoadedFile
    folder: Path
    criterion: Criterion
    defaults: "TestKeys"
    setting: Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A scenario, or a file's defaults, and where it stands.

    ``row`` is where the row stands that it was filled with, None for what was written out.
    """

    source: Source
    at: DataPath
    label: str
    row: Place | None = None

    def problem(
        self, key: str, message: str, *, item: int | None = None, hint: str | None = None
    ) -> Problem:
        """Blame a key, or the item (from 0) of its list that is meant."""
        path = [key] if item is None else [key, item]
        named = key if item is None else f"{key}[{item}]"
        place = self.row or self.source.loaded.place((*self.at, *path))
        return Problem(message=f"{self.label}: {named} {message}", hint=hint, place=place)


def nearest(wanted: str, known: Iterable[str]) -> str:
    """Name what was perhaps meant: the known names, the closest first."""
    names = list(known)
    if not names:
        return (
            "there is none at all: write it as a heading ## with its text into acceptance.md "
            "beside the configuration, or name your file in suite.criteria"
        )
    folded = {name.casefold(): name for name in reversed(names)}
    close = get_close_matches(wanted.casefold(), list(folded), n=_NAMED_IDS, cutoff=0.4)
    ordered = list(dict.fromkeys([folded[name] for name in close] + names))
    more = f" and {len(ordered) - _NAMED_IDS} more" if len(ordered) > _NAMED_IDS else ""
    return "known: " + ", ".join(f'"{name}"' for name in ordered[:_NAMED_IDS]) + more
