"""What is made of a foreign file before it is written: chapters of scenarios, settings, notes."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ci_judge.errors import Place
from ci_judge.model.suite import JsonValue, Message
from ci_judge.suites.criteria import slug
from ci_judge.visible_text import one_line

NAME_CHARS: Final = 70
_NUMBERED_CHARS: Final = 45
_QUOTES = str.maketrans({'"': "'", "\u201c": "\u2018", "\u201d": "\u2019", "\u201e": "\u201a"})
_UNFIT_IN_ID = re.compile(r"[^\w.-]+|-{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One scenario. ``more`` are further keys of it (kind, runs, tags …)."""

    name: str
    turns: tuple[JsonValue, ...]
    history: tuple[Message, ...] = ()
    expected: tuple[str, ...] = ()
    checks: tuple[Mapping[str, JsonValue], ...] = ()
    more: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A criterion and its scenarios. ``tabular``: they were rows, so a dataset suits them."""

    criterion: str
    title: str
    description: str
    drafts: tuple[Draft, ...]
    tabular: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """All of it. ``config`` has the sections target, run and judge, as a configuration has them.

    ``criteria_text`` is a whole acceptance file, where the other tool has one of our own form.
    """

    chapters: tuple[Chapter, ...]
    config: Mapping[str, JsonValue]
    criteria_text: str | None = None


class Notes:
    """What has no counterpart, each said once with the first place and how often it was met."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[Place, int]] = {}

    def add(self, place: Place, text: str) -> None:
        first, count = self._found.get(text, (place, 0))
        self._found[text] = first, count + 1

    def lines(self) -> Iterator[str]:
        """Yield a safe line each, in the order in which they were met."""
        for text, (place, count) in self._found.items():
            more = f" (and {count - 1:,} more)" if count > 1 else ""
            where = replace(place, column=None)
            yield one_line(f"{where}: {text}{more}", limit=500)


def without_phrases(text: str) -> str:
    """Give a text in which nothing is quoted: a quote of others is no phrase to be found."""
    return text.strip().translate(_QUOTES)


def criterion_id(name: str) -> str:
    """Make an id of a foreign name, which keeps dots and is a file's name, too."""
    return _UNFIT_IN_ID.sub("-", name).strip("-._")[:NAME_CHARS] or "imported"


def told_apart(drafts: Iterable[Draft]) -> tuple[Draft, ...]:
    """Give each a name of its own, short and fit for an id."""
    taken: set[str] = set()
    return tuple(_named(draft, number, taken) for number, draft in enumerate(drafts, start=1))


def _named(draft: Draft, number: int, taken: set[str]) -> Draft:
    short = one_line(draft.name, limit=NAME_CHARS)
    base = short if slug(short) else f"Test {number}"
    name, count = base, 1
    while slug(name) in taken:
        count += 1
        name = f"{base[:_NUMBERED_CHARS]} {count}"  # an id keeps 60 characters, the number too
    taken.add(slug(name))
    return replace(draft, name=name)
