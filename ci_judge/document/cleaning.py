"""Makes runs and entries fit for the disk: secrets out, and every text legal UTF-8."""

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar

from ci_judge.model.document import ReportDocument, RunEntry, VerdictEntry
from ci_judge.model.judging import Run
from ci_judge.redaction import Redactor
from ci_judge.visible_text import no_lone_surrogates

Entry = TypeVar("Entry", ReportDocument, RunEntry, VerdictEntry)

_OURS = frozenset(
    {
        *("anchor", "code", "decision", "finished", "id", "kind", "outcome", "provider", "result"),
        *("role", "started", "status", "test", "time", "version"),
    }
)
"""Keys whose texts hold the report together; no pattern of a user's may break one."""

_FREE = frozenset({"content", "context", "evidence", "tools", "turns"})
"""Keys under which any JSON may stand, whose own keys are text by strangers too."""


_OURS_IN_RUNS = _OURS | {"test_id"}
_ANY = frozenset({"content", "context", "tools", "value"})
"""Fields of a run that hold any JSON; numbers elsewhere are our own."""


def clean_run(run: Run, redactor: Redactor) -> Run:
    """Give a copy without secrets, before anything of it is cut: half of one is not found."""
    cleaned: Run = _RunCleaner(redactor).value(run)
    return cleaned


class _RunCleaner:
    """Cleans one run, whose longest texts stand in it several times: each only once."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._texts: dict[str, str] = {}

    def value(self, value: Any) -> Any:
        match value:
            case Enum():
                return value
            case str():
                return self._text(value)
            case tuple():
                return tuple(map(self.value, value))
            case dict() | list() | int() | float():
                return self._redactor.value(value)
            case _:
                return self._fields(value) if is_dataclass(value) else value

    def _fields(self, value: Any) -> Any:
        held = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(
            value,
            **{
                name: self.value(item)
                for name, item in held.items()
                if not (name in _OURS_IN_RUNS and isinstance(item, str))
                if name in _ANY or not isinstance(item, int | float)
            },
        )

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
        return {key: _clean_item(key, item, redactor) for key, item in value.items()}
    return value


def _clean_item(key: str, item: Any, redactor: Redactor) -> Any:
    if key in _OURS and isinstance(item, str):
        return no_lone_surrogates(item)
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
