"""Fills the configured request: what is in a message is data and is never expanded itself."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")

BODY_NAMES = frozenset({"message", "history", "uuid", "port", "session"})
HEADER_NAMES = frozenset({"uuid", "port", "session"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnValues:
    """What one request is filled with. ``history`` is a list of {"role", "content"}.

    ``session`` is what the target calls the conversation, None before it has said so: null where
    it is a whole value, nothing inside text.
    """

    message: Any
    history: list[dict[str, Any]]
    uuid: str
    port: int | None = None
    session: Any = None

    def of(self, name: str) -> Any:
        return getattr(self, name)


def unknown_placeholders(template: Any, allowed: frozenset[str]) -> tuple[str, ...]:
    """Give the names in ``{{…}}`` anywhere in a template that nothing will ever fill."""
    names = {match[1] for text in _texts(template) for match in PLACEHOLDER.finditer(text)}
    return tuple(sorted(names - allowed))


def fill(template: Any, values: TurnValues) -> Any:
    """Fill a JSON template.

    A text that is nothing but one placeholder becomes the value itself (``"{{history}}"`` becomes
    a list); inside longer text, values that are no text become JSON text.
    """
    if isinstance(template, str):
        whole = PLACEHOLDER.fullmatch(template)
        return values.of(whole[1]) if whole else fill_text(template, values)
    if isinstance(template, Mapping):
        return {fill_text(key, values): fill(item, values) for key, item in template.items()}
    if isinstance(template, list | tuple):
        return [fill(item, values) for item in template]
    return template


def fill_text(template: str, values: TurnValues, *, encode: Callable[[str], str] = str) -> str:
    """Fill a text in one pass; ``encode`` makes each inserted value safe for the place."""
    return PLACEHOLDER.sub(lambda match: encode(as_text(values.of(match[1]))), template)


def fill_url(template: str, values: TurnValues) -> str:
    return fill_text(template, values, encode=lambda text: quote(text, safe="", errors="replace"))


def fill_pairs(template: Mapping[str, Any], values: TurnValues) -> str:
    """Fill a flat map and write it as a query or a form; a list repeats its name."""
    pairs = [
        (fill_text(name, values), as_text(fill(item, values)))
        for name, value in template.items()
        for item in (value if isinstance(value, list | tuple) else [value])
    ]
    return urlencode(pairs, errors="replace")


def as_text(value: Any) -> str:
    """Write a value as it stands inside text: text as it is, nothing for null, else JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _texts(template: Any) -> list[str]:
    if isinstance(template, str):
        return [template]
    if isinstance(template, Mapping):
        return [text for pair in template.items() for part in pair for text in _texts(part)]
    if isinstance(template, list | tuple):
        return [text for item in template for text in _texts(item)]
    return []
