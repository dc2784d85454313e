"""The plain part of Nunjucks, which other tools write templates in: names between braces."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ci_judge.targets.templating import as_text

_NAME = re.compile(r"\{\{-?\s*([A-Za-z_$][\w$]*(?:\.[\w$]+)*)\s*(\|[^{}]*)?-?\}\}")
_LOGIC = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)


class Untranslatable(ValueError):
    """A template that is more than names; the text says what it has."""


def names_in(template: str) -> Iterator[str]:
    """Yield the names between braces."""
    yield from (found[1] for found in _NAME.finditer(template))


def rendered(template: Any, values: Mapping[str, Any]) -> Any:
    """Fill every text of a value, once. Unknown names become nothing, as there.

    Raises Untranslatable for blocks, comments and filters.
    """
    if isinstance(template, str):
        return _rendered_text(template, values)
    if isinstance(template, Mapping):
        return {key: rendered(item, values) for key, item in template.items()}
    if isinstance(template, list):
        return [rendered(item, values) for item in template]
    return template


def _rendered_text(template: str, values: Mapping[str, Any]) -> str:
    logic = _LOGIC.search(template)
    if logic:
        raise Untranslatable(f"has the Nunjucks block {' '.join(logic[0].split())}")

    def value(found: re.Match[str]) -> str:
        if found[2] and found[2].strip(" |") not in {"safe", "trim"}:
            raise Untranslatable(f"has the Nunjucks filter {found[0]}")
        here: Any = values
        for step in found[1].split("."):
            here = here.get(step) if isinstance(here, Mapping) else None
        return as_text(here)

    return _NAME.sub(value, template)
