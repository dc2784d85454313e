"""What a check wants, and what was there instead, in words."""

import json
from collections.abc import Callable, Sequence

from ci_judge.model.suite import Check, CheckKind, JsonValue

_LONGEST_WANTED = 200


def wanted_words(check: Check) -> str:
    """Say what a check wants."""
    match check.kind:
        case CheckKind.JSON_PATH:
            return f"{check.operand['path']} = {json_words(check.operand['equals'])}"
        case CheckKind.MAX_LATENCY | CheckKind.MAX_CHARS | CheckKind.MAX_COST:
            return f"at most {_limit(check)}"
        case CheckKind.TOOLS_CALLED:
            return names_words(check.operand)
        case _ if isinstance(check.operand, str):
            return check.operand
        case _:
            return json_words(check.operand)


def json_words(value: JsonValue, *, redact: Callable[[str], str] = str) -> str:
    """Write a JSON value without its secrets, and not at length."""
    text = redact(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST_WANTED else f"{text[:_LONGEST_WANTED]}…"


def _limit(check: Check) -> str:
    match check.kind:
        case CheckKind.MAX_LATENCY:
            return f"{check.operand:g} s"
        case CheckKind.MAX_CHARS:
            return f"{check.operand} characters"
        case _:
            return usd_words(check.operand)


def names_words(names: Sequence[str]) -> str:
    """List the names of tools."""
    return ", ".join(names) or "no tool"


def usd_words(amount: float) -> str:
    """Write an amount with as many digits as it has."""
    return f"{amount:.10f}".rstrip("0").rstrip(".") + " USD"
