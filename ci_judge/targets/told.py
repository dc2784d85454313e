"""What a whole reply tells besides its answer, looked up by dotted paths."""

from collections.abc import Callable
from typing import TypeAlias

from ci_judge.model.suite import JsonValue
from ci_judge.rules.json_paths import Found, look_up

Told: TypeAlias = Callable[[str], JsonValue]
"""Gives what stands at a path, None where nothing does."""


def told_by(document: JsonValue) -> Told:
    """Look into a reply in one piece; None is a reply that is no JSON."""

    def told(path: str) -> JsonValue:
        found = look_up(document, path)
        return found.value if isinstance(found, Found) else None

    return told
