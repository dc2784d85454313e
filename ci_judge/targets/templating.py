"""Fills the configured request: what is in a message is data and is never expanded itself."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")

BODY_NAMES = frozenset({"message", "history", "uuid", "port"})
HEADER_NAMES = frozenset({"uuid", "port"})
DEFAULT_BODY = {"message": "{{message}}", "history": "{{history}}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnValues:
    """What one request is filled with. ``history`` is a list of {"role", "content"}."""

    message: Any
    history: list[dict[str, Any]]
    uuid: str
    port: int | None = None

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
    return PLACEHOLDER.sub(lambda match: encode(_as_text(values.of(match[1]))), template)


def fill_url(template: str, values: TurnValues) -> str:
    return fill_text(template, values, encode=lambda text: quote(text, safe="", errors="replace"))


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _texts(template: Any) -> list[str]:
    if isinstance(template, str):
        return [template]
    if isinstance(template, Mapping):
        return [text for pair in template.items() for part in pair for text in _texts(part)]
    if isinstance(template, list | tuple):
        return [text for item in template for text in _texts(item)]
    return []
