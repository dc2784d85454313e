"""Bytes of an answer to text and to JSON: tolerant of encodings, strict about meaning."""

import codecs
import json
import math
import re
from typing import Any, NoReturn

MAX_DEPTH = 200
"""Arrays and objects nested deeper than this are refused: later walks must not overflow."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9._:+-]+)", re.IGNORECASE)
# Codecs of Python's own that are no charset of any server, some of them of quadratic cost.
_NO_CHARSET = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"})
_WIDE = ("utf-16", "utf-32")
_GZIP_MAGIC = b"\x1f\x8b"


def declared_charset(content_type: str) -> str | None:
    """Return the codec of a Content-Type's charset, None when absent or unknown."""
    match = _CHARSET.search(content_type)
    if match is None:
        return None
    try:
        name = codecs.lookup(match[1]).name
    except LookupError:
        return None
    return None if name.replace("-", "_") in _NO_CHARSET else name


def _strict(body: bytes, codec: str) -> str | None:
    try:
        return body.decode(codec)
    except (UnicodeError, LookupError):
        return None


def _exact_text(body: bytes, content_type: str) -> str | None:
    """Return the text if some likely encoding fits every byte.

    UTF-8 goes before the declared charset: bytes that happen to be valid UTF-8 are UTF-8, and
    servers that declare latin-1 by habit are common. The wide encodings are the exception.
    """
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return _strict(body[len(mark) :], codec)
    declared = declared_charset(content_type)
    codecs_in_order = ["utf-8"] if declared is None else ["utf-8", declared]
    if declared is not None and declared.startswith(_WIDE):
        codecs_in_order.reverse()
    texts = (_strict(body, codec) for codec in codecs_in_order)
    return next((text for text in texts if text is not None), None)


def decode_text(body: bytes, *, content_type: str) -> str:
    """Return the body as text; bytes that fit no likely encoding become U+FFFD."""
    text = _exact_text(body, content_type)
    return body.decode("utf-8", "replace") if text is None else text


def parse_json(body: bytes, *, content_type: str) -> Any:
    """Return the JSON value. Raises ValueError with one line for anything else."""
    if body.startswith(_GZIP_MAGIC):
        raise ValueError("the body is compressed (gzip), but no Content-Encoding says so")
    text = _exact_text(body, content_type)
    if text is None:
        raise ValueError("the body is no valid UTF-8")
    if not text.strip():
        raise ValueError("the body is empty")
    return _loads(text)


def _loads(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"the body is not JSON: {error.msg} ({where})") from None
    if _deeper_than(value, MAX_DEPTH, text):
        raise ValueError(f"the JSON is nested more than {MAX_DEPTH} deep")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"the JSON holds {name}, which JSON has no number for")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("the JSON holds a number too large to be read")
    return number


def _deeper_than(value: Any, limit: int, text: str) -> bool:
    if text.count("[") + text.count("{") <= limit:
        return False
    level = [value]
    for _ in range(limit):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return False
    return True


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [child for child in value.values() if isinstance(child, dict | list)]
    if isinstance(value, list):
        return [child for child in value if isinstance(child, dict | list)]
    return []
