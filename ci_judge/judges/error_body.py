"""One sentence out of whatever shape an error answer has."""

import re
from collections.abc import Callable
from typing import Any

from ci_judge.transport import HttpReply
from ci_judge.visible_text import one_line

_LIMIT = 300
_TITLE = re.compile(r"<title[^<>]*>(.{0,500}?)</title>", re.IGNORECASE | re.DOTALL)
_HIDDEN = re.compile(r"<(script|style)\b.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_TEXT_KEYS = ("message", "msg", "detail", "error", "error_description", "title", "reason")
_KIND_KEYS = ("error_type", "type", "code")
_MAX_DEPTH = 5


def error_sentence(reply: HttpReply) -> str:
    """Return what an error answer says, on one line, at most 300 characters; may be empty."""
    try:
        return error_words(reply.json(), redact=reply.redact)
    except ValueError:
        return one_line(_plain(reply.shown()[:20_000]), limit=_LIMIT)


def error_words(value: Any, *, redact: Callable[[str], str]) -> str:
    """Return what a JSON value says of an error, on one line, at most 300 characters."""
    return one_line(redact(_said(value, depth=0)), limit=_LIMIT)


def _said(value: Any, *, depth: int) -> str:
    if depth > _MAX_DEPTH:
        return ""
    match value:
        case str():
            return _plain(value)
        case list():
            said = (_said(item, depth=depth + 1) for item in value[:3])
            return "; ".join(text for text in said if text)
        case dict():
            return _said_by_object(value, depth)
        case _:
            return ""


def _said_by_object(value: dict[str, Any], depth: int) -> str:
    said = next(filter(None, (_said(value.get(k), depth=depth + 1) for k in _TEXT_KEYS)), "")
    kind = next((value[k] for k in _KIND_KEYS if isinstance(value.get(k), str)), "")
    where = _where(value.get("loc"))
    if not said or kind in said or kind == "error":
        return f"{said}{where}" or kind
    return f"{kind}: {said}{where}"


def _where(loc: Any) -> str:
    if not isinstance(loc, list) or not loc:
        return ""
    return f" (at {'.'.join(str(part) for part in loc)})"


def _plain(text: str) -> str:
    if "<" not in text:
        return text
    title = _TITLE.search(text)
    return title[1] if title and title[1].strip() else _TAG.sub(" ", _HIDDEN.sub(" ", text))
