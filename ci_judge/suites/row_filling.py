"""Fills a scenario's template with a row, once: what a row holds is data and stays as it is."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ci_judge.file_schema import WrittenList, written_copy
from ci_judge.model.suite import JsonValue
from ci_judge.suites.scenario_text import count_marks
from ci_judge.targets.templating import as_text

COLUMN = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
FILLED_KEYS: Final = ("name", "message", "turns", "history", "expected", "checks")
_TEXT_CHECKS = frozenset({"contains", "not_contains"})
_DECIDED_BY_NOTHING: Final = {
    "contains": "every answer would pass it",
    "not_contains": "no answer could pass it",
    "regex": "every answer would pass it",
}
"""The checks that say nothing about an answer without an operand, and how they come out."""

_NO_ANSWER: Final = "\ue000"
"""A text that nobody looks for: a code point that has no meaning."""


class UnfitRow(ValueError):
    """A row that cannot fill a template; the text says why.

    ``column`` is the one that it lacks, where that is the reason; ``hint`` what else to do.
    """

    def __init__(self, message: str, *, column: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.column = column
        self.hint = hint


def columns_in(value: Any) -> Iterator[str]:
    """Yield the columns that a template names, in order; some perhaps more than once."""
    if isinstance(value, str):
        yield from (found[1] for found in COLUMN.finditer(value))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from columns_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from columns_in(item)


@dataclass(frozen=True, slots=True)
class Filling:
    """One row, as it fills a template."""

    values: Mapping[str, JsonValue]

    def key(self, name: str, template: Any) -> Any:
        """Fill what stands under one of FILLED_KEYS. Raises UnfitRow."""
        match name, template:
            case "name", str():
                return self.text(template)
            case "expected", _:
                return self._texts(template, self._expectation)
            case "history", list():
                return self._items(template, self._turn)
            case "checks", list():
                return self._items(template, self._check)
            case _:
                return self.json(template)

    def json(self, template: Any) -> Any:
        """Fill a JSON value: a text that is one placeholder becomes the row's value itself."""
        if isinstance(template, str):
            whole = COLUMN.fullmatch(template)
            return self._value(whole[1]) if whole else self.text(template)
        if isinstance(template, dict):
            return self._map(template, lambda _, item: self.json(item))
        return self._items(template, self.json) if isinstance(template, list) else template

    def text(self, template: Any) -> Any:
        """Fill a text: what is no text becomes JSON text, null nothing at all."""
        if not isinstance(template, str):
            return template
        return COLUMN.sub(lambda found: as_text(self._value(found[1])), template)

    def _value(self, column: str) -> JsonValue:
        if column not in self.values:
            raise UnfitRow(f'the row has no column "{column}"', column=column)
        return self.values[column]

    def _expectation(self, template: Any) -> Any:
        """Fill an expectation; no value may end a phrase that the template has begun."""
        if not isinstance(template, str):
            return template
        for found in COLUMN.finditer(template):
            inside = count_marks(COLUMN.sub("", template[: found.start()])) % 2
            if inside and count_marks(as_text(self._value(found[1]))):
                raise UnfitRow(
                    f'the column "{found[1]}" holds a double quote, which would end the phrase '
                    "that it is quoted in: use the check contains"
                )
        return self.text(template)

    def _texts(self, template: Any, fill: Any) -> Any:
        """Fill a text or a list of texts; a placeholder that is a list of texts gives them all."""
        if isinstance(template, str):
            return self._several(template, fill)
        if not isinstance(template, list):
            return template
        filled = [self._several(item, fill) for item in template]
        pairs = zip(template, filled, strict=True)
        if not any(isinstance(was, str) and isinstance(now, list) for was, now in pairs):
            return self._items(template, fill)
        return [each for item in filled for each in (item if isinstance(item, list) else [item])]

    def _several(self, template: Any, fill: Any) -> Any:
        whole = COLUMN.fullmatch(template) if isinstance(template, str) else None
        value = self._value(whole[1]) if whole else None
        if whole and value == []:
            raise UnfitRow(f'the column "{whole[1]}" holds an empty list, so nothing is expected')
        return value if isinstance(value, list) else fill(template)

    def _turn(self, template: Any) -> Any:
        fill_role = {"role": self.text}
        if not isinstance(template, dict):
            return self.json(template)
        return self._map(template, lambda key, item: fill_role.get(key, self.json)(item))

    def _check(self, template: Any) -> Any:
        return self._map(template, self._operand) if isinstance(template, dict) else template

    def _operand(self, kind: str, template: Any) -> Any:
        if kind == "tools_called":
            return self._names(template)
        if kind == "regex":
            filled = self._pattern(template)
        elif kind in _TEXT_CHECKS and isinstance(template, str):
            filled = self.text(template)
        else:
            return self.json(template)
        self._refuse_nothing(kind, template, filled)
        return filled

    def _names(self, template: Any) -> Any:
        """Fill names of tools; a column may hold all of them, and that there are none."""
        whole = COLUMN.fullmatch(template) if isinstance(template, str) else None
        if whole and self._value(whole[1]) == []:
            return []
        return self._texts(template, self.text)

    def _refuse_nothing(self, kind: str, template: Any, filled: Any) -> None:
        """Refuse a check of which the row leaves nothing, or a pattern that is found everywhere."""
        if not isinstance(filled, str) or not (empty := self._empty_columns(template)):
            return
        if not filled.strip():
            where = "is empty"
        elif kind == "regex" and _is_found_everywhere(filled):
            where = "finds an empty text"
        else:
            return
        named = " and ".join(f'"{name}"' for name in empty)
        raise UnfitRow(
            f"the check {kind} {where}, so {_DECIDED_BY_NOTHING[kind]}",
            hint=f"fill in {named}, or give such rows a scenario without this check",
        )

    def _empty_columns(self, template: str) -> list[str]:
        names = dict.fromkeys(columns_in(template))
        return [name for name in names if not as_text(self._value(name)).strip()]

    def _pattern(self, template: Any) -> Any:
        """Fill a pattern: a column alone is one, inside a pattern it is the text that it holds."""
        if not isinstance(template, str) or COLUMN.fullmatch(template):
            return self.text(template)
        return COLUMN.sub(lambda found: re.escape(as_text(self._value(found[1]))), template)

    def _map(self, template: dict[str, Any], fill: Any) -> dict[str, Any]:
        copy = written_copy(template)
        for key, item in template.items():
            copy[key] = fill(key, item)
        return copy

    def _items(self, template: list[Any], fill: Any) -> list[Any]:
        copy = WrittenList()
        copy.extend(fill(item) for item in template)
        copy.written.update(getattr(template, "written", {}))
        return copy


def _is_found_everywhere(pattern: str) -> bool:
    """Tell whether nothing at all is enough for a pattern, and no answer too much."""
    try:
        return all(re.search(pattern, answer) for answer in ("", _NO_ANSWER))
    except (re.error, RecursionError, OverflowError):  # told as what it is, where it is read
        return False
