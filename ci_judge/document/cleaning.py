"""Makes entries fit for the disk: secrets out of every text, and every text legal UTF-8."""

from typing import Any, TypeVar

from ci_judge.model.document import ReportDocument, RunEntry
from ci_judge.redaction import Redactor
from ci_judge.visible_text import no_lone_surrogates

Entry = TypeVar("Entry", ReportDocument, RunEntry)

_OURS = frozenset(
    {
        *("anchor", "code", "decision", "finished", "id", "kind", "outcome", "provider", "result"),
        *("role", "started", "status", "test", "version"),
    }
)
"""Keys whose texts hold the report together; no pattern of a user's may break one."""

_FREE = frozenset({"content", "evidence", "turns"})
"""Keys under which any JSON may stand, whose own keys are text by strangers too."""


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
