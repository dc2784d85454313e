"""The paths of a JSON value and what stands there, for whoever has to choose one."""

from collections.abc import Iterator
from dataclasses import dataclass

from ci_judge.model.suite import JsonValue

MOST_LEAVES = 6
_MOST_SEEN = 200
_DEEPEST = 8
_LONGEST_KEY = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A dotted path as ``response_path`` takes it, and the value there."""

    path: str
    value: JsonValue

    def __str__(self) -> str:
        return f"{self.path} ({_kind(self.value)})"


def leaves(value: JsonValue) -> Iterator[Leaf]:
    """Yield what is neither object nor list, in order; of a list its first item alone.

    Bounded in depth and number. Keys that no dotted path can name, and very long ones, which may
    be secrets, are left out with what is below them.
    """
    for seen, leaf in enumerate(_leaves(value, ())):
        if seen >= _MOST_SEEN:
            return
        yield leaf


def outline(value: JsonValue) -> str:
    """Write the first few paths, texts before others: "answer (text), usage.total (number)"."""
    found = list(leaves(value))
    found.sort(key=lambda leaf: not isinstance(leaf.value, str))  # stable
    more = f" and {len(found) - MOST_LEAVES} more" if len(found) > MOST_LEAVES else ""
    return ", ".join(map(str, found[:MOST_LEAVES])) + more


def _leaves(value: JsonValue, path: tuple[str, ...]) -> Iterator[Leaf]:
    if len(path) > _DEEPEST:
        return
    match value:
        case dict():
            for key, inner in value.items():
                if key and "." not in key and len(key) <= _LONGEST_KEY and key.isprintable():
                    yield from _leaves(inner, (*path, key))
        case list():
            if value:
                yield from _leaves(value[0], (*path, "0"))
        case _:
            if path:
                yield Leaf(path=".".join(path), value=value)


def _kind(value: JsonValue) -> str:
    match value:
        case str():
            return "text"
        case bool():
            return "true or false"
        case int() | float():
            return "number"
        case _:
            return "null"
