"""How a stranger's text stands in a message: short, on one line, nothing invisible in it."""

import json
import math
import re
from typing import Any

_SHOWN_CHARS = 60
_BARE = re.compile(r"[\w.+%/-]{1,40}", re.ASCII)


def quoted(text: str) -> str:
    """Put text between double quotes, cut and escaped."""
    short = text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
    escaped = json.dumps(short, ensure_ascii=False)
    return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in escaped)


def bare(text: str) -> str:
    """Show what was typed as a number or a duration; quoted when it looks like neither."""
    return text if _BARE.fullmatch(text) else quoted(text)


def shown(value: Any) -> str:
    """Show any refused value."""
    match value:
        case bool() | None:
            return {True: "true", False: "false", None: "nothing"}[value]
        case str():
            return quoted(value)
        case float() if math.isnan(value):
            return "NaN"
        case dict():
            return "a map"
        case list():
            return "a list"
        case _:
            return f"{value!s:.{_SHOWN_CHARS}}"
