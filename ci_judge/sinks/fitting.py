"""Markdown that must not be larger than its place allows."""

from collections.abc import Callable
from typing import TypeAlias

MarkdownWithin: TypeAlias = Callable[[int], str]
"""A limit, in the units of its place, to Markdown that fits by leaving out whole blocks."""

_TRIES = 5
_LAST_RESORT = "The report does not fit here; see the report's files.\n"


def utf8_bytes(text: str) -> int:
    return len(text.encode("utf-8", errors="replace"))


def utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", errors="replace")) // 2


def fitted(markdown: MarkdownWithin, limit: int, measure: Callable[[str], int]) -> str:
    """Ask for ever smaller Markdown until it really fits; never cut it in the middle.

    Whoever makes it may count in other units than the place that takes it.
    """
    asked = limit
    for _ in range(_TRIES):
        text = markdown(asked)
        size = measure(text)
        if size <= limit:
            return text
        asked = asked * limit * 9 // (size * 10)
    return _LAST_RESORT if utf8_bytes(_LAST_RESORT) <= limit else ""
