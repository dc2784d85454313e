"""Finds the list of scenarios in a model's reply: in a fence, in prose, behind its thoughts."""

import json
import re
from typing import Any

from ci_judge.judges.chat_wire import Silence
from ci_judge.judges.reply import after_thinking
from ci_judge.model.evidence import FailureCode

_MAX_CHARS = 1_000_000
_MAX_STARTS = 200
_START = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder(strict=False)


def read_listing(words: str) -> list[Any] | Silence:
    """Return the first list of scenarios, unchecked, or why there is none."""
    if len(words) > _MAX_CHARS:
        return _silence("the reply is too long to be read")
    text = after_thinking(words)
    start = _START.search(text)
    for _ in range(_MAX_STARTS):
        if start is None:
            break
        value, end = _value_at(text, start.start())
        listed = _listed(value)
        if listed is not None:
            return listed
        start = _START.search(text, end)
    return _silence("the reply holds no list of scenarios in valid JSON")


def _value_at(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON value that begins there and its end; nothing where none does."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start + 1


def _listed(value: Any) -> list[Any] | None:
    listed = value.get("scenarios") if isinstance(value, dict) else value
    if isinstance(listed, list) and any(_like_a_scenario(each) for each in listed):
        return listed
    return None


def _like_a_scenario(value: Any) -> bool:
    return isinstance(value, dict) and "message" in value


def _silence(message: str) -> Silence:
    return Silence(code=FailureCode.UNREADABLE_VERDICT, message=message)
