"""What is said of a request that does not fit: FastAPI's ``detail``, or a few plain words."""

from collections.abc import Iterator

from ci_judge.model.suite import JsonValue
from ci_judge.rules.chat_shapes import error_words, wanted_name
from ci_judge.transport import HttpReply

_MOST = 3
_MOST_CHARS = 120


def validation_words(reply: HttpReply) -> str | None:
    """Say which fields the target wants, None where the reply does not tell it in this form.

    Redacted before it is cut, as everything quoted from a reply.
    """
    try:
        document = reply.json()
    except ValueError:
        return None
    details = document.get("detail") if isinstance(document, dict) else None
    found = list(_entries(details)) if isinstance(details, list) else []
    if not found:
        return None
    return ", ".join(_cut(reply.redact(" ".join(f"{path}: {why}".split()))) for path, why in found)


def missing_field(reply: HttpReply) -> str | None:
    """Name the one field of the body that is missing, if that is what the reply says."""
    try:
        document = reply.json()
    except ValueError:
        return None
    return _located(reply, document) or wanted_name(error_words(document) or "")


def _located(reply: HttpReply, document: JsonValue) -> str | None:
    """Name the field of the body that the first of FastAPI's details says is missing."""
    details = document.get("detail") if isinstance(document, dict) else None
    first = details[0] if isinstance(details, list) and details else None
    if not isinstance(first, dict) or "missing" not in str(first.get("type", "")):
        return None
    match first.get("loc"):
        case ["body", str() as field] if field.isidentifier() and len(field) <= _MOST_CHARS:
            return reply.redact(field)
        case _:
            return None


def _entries(details: list[JsonValue]) -> Iterator[tuple[str, str]]:
    for entry in details[:_MOST]:
        location = entry.get("loc") if isinstance(entry, dict) else None
        why = entry.get("msg") if isinstance(entry, dict) else None
        if isinstance(location, list) and isinstance(why, str):
            yield ".".join(map(str, location)), why


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"
