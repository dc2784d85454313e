"""Dotted paths into JSON: ``choices.0.message.content``."""

import json
from dataclasses import dataclass
from typing import TypeAlias

from ci_judge.model.suite import JsonValue

_MOST_KEYS = 8
_MOST_CHARS = 40
_MOST_INDEX_DIGITS = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What stands at the path: any JSON value, null, false, 0 and empty text among them."""

    value: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """The path leads nowhere.

    ``reached`` is its longest part that exists ("" is the whole value), ``wanted`` the step that
    is not there, ``available`` what stands at ``reached``, in a few words.
    """

    path: str
    reached: str
    wanted: str
    available: str

    def __str__(self) -> str:
        where = f'"{self.reached}"' if self.reached else "the reply"
        return f'no "{self.wanted}": {where} {self.available}'


Lookup: TypeAlias = Found | Missing


def look_up(value: JsonValue, path: str) -> Lookup:
    """Follow a dotted path: keys of objects, indexes (from 0) of lists. "" is the value itself."""
    steps = path.split(".") if path else []
    for depth, step in enumerate(steps):
        match _step(value, step):
            case Found(value=inner):
                value = inner
            case _:
                reached = ".".join(steps[:depth])
                return Missing(path=path, reached=reached, wanted=step, available=_offer(value))
    return Found(value=value)


def _step(value: JsonValue, step: str) -> Found | None:
    match value:
        case dict() if step in value:
            return Found(value=value[step])
        case list() if _is_index(step) and int(step) < len(value):
            return Found(value=value[int(step)])
        case _:
            return None


def _is_index(step: str) -> bool:
    # int() refuses thousands of digits, and no list is that long
    return step.isascii() and step.isdecimal() and len(step) <= _MOST_INDEX_DIGITS


def _offer(value: JsonValue) -> str:
    match value:
        case dict():
            return f"has {_keys(value)}" if value else "is an empty object"
        case list():
            return f"is a list of {len(value)}"
        case str():
            return "is text"
        case _:
            return f"is {json.dumps(value)}"


def _key(key: str) -> str:
    # a long one is not cut: it may hold a secret, half of which nobody would find
    return f'"{key}"' if len(key) <= _MOST_CHARS else f"a key of {len(key)} characters"


def _keys(value: dict[str, JsonValue]) -> str:
    shown = ", ".join(map(_key, list(value)[:_MOST_KEYS]))
    rest = len(value) - _MOST_KEYS
    return f"{shown} and {rest} more" if rest > 0 else shown
