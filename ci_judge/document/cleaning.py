"""Makes runs and entries fit for the disk: secrets out, and every text legal UTF-8."""

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from operator import is_
from typing import Any, TypeVar

from ci_judge.model.document import ReportDocument, RunEntry, TestEntry, VerdictEntry
from ci_judge.model.judging import Run
from ci_judge.redaction import Redactor
from ci_judge.visible_text import no_lone_surrogates

Entry = TypeVar("Entry", ReportDocument, RunEntry, TestEntry, VerdictEntry)

_OURS = frozenset(
    {
        *("anchor", "code", "decision", "finished", "id", "kind", "outcome", "provider", "result"),
        *("fingerprint", "parts", "planned_ids", "role", "started", "status", "test", "time"),
        *("reason_code", "version"),
    }
)
"""Keys whose texts hold the report together; no pattern of a user's may break one."""

_FREE = frozenset({"content", "context", "evidence", "tools", "turns"})
"""Keys under which any JSON may stand, whose own keys are text by strangers too."""

_NUMBERS = frozenset({bool, int, float})


_OURS_IN_RUNS = _OURS | {"test_id"}
_ANY = frozenset({"content", "context", "tools", "value"})
"""Fields of a run that hold any JSON; numbers elsewhere are our own."""


def clean_run(run: Run, redactor: Redactor) -> Run:
    """Give a copy without secrets, before anything of it is cut: half of one is not found."""
    cleaned: Run = _RunCleaner(redactor).value(run)
    return cleaned


_NAMES: dict[type, tuple[str, ...]] = {}


def _names(value: Any) -> tuple[str, ...]:
    names = _NAMES.get(type(value))
    if names is None:
        names = _NAMES[type(value)] = tuple(field.name for field in fields(value))
    return names


class _RunCleaner:
    """Cleans one run, whose longest texts stand in it several times: each only once."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._texts: dict[str, str] = {}

    def value(self, value: Any) -> Any:
        kind = type(value)
        if kind is str:
            return self._text(value)
        if kind in _NAMES:  # a dataclass that was seen before
            return self._fields(value)
        return self._other(value)

    def _other(self, value: Any) -> Any:
        match value:
            case Enum():
                return value
            case str():
                return self._text(value)
            case tuple():
                cleaned = tuple(map(self.value, value))
                return value if all(map(is_, cleaned, value)) else cleaned
            case dict() | list() | int() | float():
                cleaned = self._redactor.value(value)
                return value if cleaned == value else cleaned
            case _:
                return self._fields(value) if is_dataclass(value) else value

    def _fields(self, value: Any) -> Any:
        changed = {}
        for name in _names(value):
            item = getattr(value, name)
            # Most are gaps, and numbers and words of our own: they are passed over here, at once.
            if not item or (type(item) in _NUMBERS and name not in _ANY):
                continue
            if name in _OURS_IN_RUNS and isinstance(item, str):
                continue
            cleaned = self.value(item)
            if cleaned is not item:
                changed[name] = cleaned
        return replace(value, **changed) if changed else value

    def _text(self, text: str) -> str:
        if text not in self._texts:
            self._texts[text] = self._redactor.text(text)
        return self._texts[text]


def clean_entry(entry: Entry, redactor: Redactor) -> Entry:
    """Give a copy without secrets. Keys, ids, times and words of ours stay as they are."""
    cleaned: Entry = _clean(entry, redactor)
    return cleaned


def _clean(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return no_lone_surrogates(redactor.text(value))
    if isinstance(value, list):
        return [_clean(item, redactor) for item in value]
    if isinstance(value, dict):
        # Most of an entry are gaps and numbers of our own: they are passed over here, at once.
        return {
            key: item
            if not item or (type(item) in _NUMBERS and key not in _FREE)
            else _clean_item(key, item, redactor)
            for key, item in value.items()
        }
    return value


def _clean_item(key: str, item: Any, redactor: Redactor) -> Any:
    if key in _OURS and isinstance(item, str | list):
        return _printable(item)
    if key in _FREE:
        return _printable(redactor.value(item))
    return _clean(item, redactor)


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return no_lone_surrogates(value)
    if isinstance(value, list):
        return [_printable(item) for item in value]
    if isinstance(value, dict):
        return {no_lone_surrogates(key): _printable(item) for key, item in value.items()}
    return value
