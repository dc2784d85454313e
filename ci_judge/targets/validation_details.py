"""What a web framework says of a request that does not fit (FastAPI's ``detail``)."""

from collections.abc import Iterator

from ci_judge.model.suite import JsonValue
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
        details = reply.json()["detail"]
        location = details[0]["loc"]
        missing = "missing" in details[0].get("type", "")
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    field = location[1] if isinstance(location, list) and len(location) == 2 else None  # noqa: PLR2004 - body and name
    plain = isinstance(field, str) and field.isidentifier() and len(field) <= _MOST_CHARS
    return reply.redact(str(field)) if missing and plain and location[0] == "body" else None


def _entries(details: list[JsonValue]) -> Iterator[tuple[str, str]]:
    for entry in details[:_MOST]:
        location = entry.get("loc") if isinstance(entry, dict) else None
        why = entry.get("msg") if isinstance(entry, dict) else None
        if isinstance(location, list) and isinstance(why, str):
            yield ".".join(map(str, location)), why


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"
