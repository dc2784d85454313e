"""What shards were compared with, as one entry: each looked for a baseline by itself."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ci_judge.model.document import BaselineEntry, WeakerEntry, WeakerKind

_MOST_TOLD: Final = 3
_SHOWN_COMMIT: Final = 10


def merged_baseline(found: Mapping[int, BaselineEntry | None]) -> BaselineEntry | None:
    """Give the first baseline that could be used, and note which shards were held against another.

    ``found`` is by the number of the shard. Where none could be used the first reason stands, and
    None is where no shard was to be compared. What no part can know of the whole, the suite and its
    criteria taken together, is unknown.
    """
    asked = [entry for entry in found.values() if entry is not None]
    usable = [entry for entry in asked if entry["problem"] is None]
    if not usable:
        return next(iter(asked), None)
    weaker = _weaker(each for entry in usable for each in entry["weaker"])
    first: BaselineEntry = {**usable[0], "weaker": weaker, "suite": None, "criteria": []}
    others = list(_others(first, found))
    if not others:
        return first
    told = [*others[:_MOST_TOLD], *(["others"] if len(others) > _MOST_TOLD else [])]
    differ = f"not the baseline of every shard: {'; '.join(told)}"
    return {**first, "note": "; ".join(filter(None, [first["note"], differ]))}


def _weaker(entries: Iterable[WeakerEntry]) -> list[WeakerEntry]:
    """Put those of the same rule together: each shard has told of its own tests."""
    tests: dict[tuple[WeakerKind, str, str], list[str]] = {}
    for entry in entries:
        tests.setdefault((entry["kind"], entry["was"], entry["now"]), []).extend(entry["tests"])
    return [
        {"kind": kind, "was": was, "now": now, "tests": ids}
        for (kind, was, now), ids in tests.items()
    ]


def _others(first: BaselineEntry, found: Mapping[int, BaselineEntry | None]) -> Iterator[str]:
    """Say what shards were compared with instead, each answer once."""
    shards: dict[str, list[int]] = {}
    for index, entry in found.items():
        if entry is None or _what(entry) != _what(first):
            shards.setdefault(_named(entry), []).append(index)
    for name, numbers in shards.items():
        yield f"{_counted(numbers)} compared with {name}"


def _what(entry: BaselineEntry) -> tuple[str | None, ...]:
    return (entry["problem"], entry["commit"], entry["started"])


def _named(entry: BaselineEntry | None) -> str:
    if entry is None:
        return "none"
    if entry["problem"] is not None:
        return f"none ({entry['problem']})"
    when = f"the report of {entry['started'] or '?'}"
    commit = entry["commit"]
    return f"{when}, commit {commit[:_SHOWN_COMMIT]}" if commit else when


def _counted(numbers: Sequence[int]) -> str:
    word = "shard" if len(numbers) == 1 else "shards"
    return f"{word} {', '.join(map(str, numbers))}"
