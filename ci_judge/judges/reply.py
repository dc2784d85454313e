"""Reading a boolean judge's words: tolerant about wrapping, strict about meaning.

A verdict is a JSON object whose ``pass`` is a JSON boolean. It may stand anywhere in the text (in a
fence, in prose); there may be several if they agree, and verdicts on parts inside of it if they
add up to it. Whatever looks like a verdict and cannot be read makes the whole reply unreadable,
because half a verdict must never decide.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from ci_judge.model.judging import Decision

_MAX_CHARS = 1_000_000
_MAX_STARTS = 2_000
_WRAPPERS = ("result", "verdict")
_THINKING = re.compile(
    r"\s*<(think|thinking|thought|reasoning)>(.*?)(</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_THOUGHT_BEGINS = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
# A backslash that JSON does not know stays a backslash, as in "\$14" or "C:\data".
_ESCAPE = re.compile(r"\\(?P<legal>[\"\\/bfnrt]|u[0-9a-fA-F]{4})?")
_UNREAD_VERDICT = re.compile(
    r"[\"'`\u201c\u201d]pass[\"'`\u201c\u201d]\s*:|[{,]\s*pass\s*[:=]", re.IGNORECASE
)
_START = re.compile(r"[{\[]")
# A bracket in prose ("[sic]", "{name}") is skipped; what begins like JSON and is none is not.
_BROKEN_JSON = re.compile(r"(?:\[\s*)*\{\s*[\"'`\u201c\u201d]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyProblem:
    """Why a reply holds no verdict, in one sentence."""

    message: str


class _Unreadable(Exception):
    """Carries the sentence of a ReplyProblem out of the recursion."""


def read_reply(text: str, *, items: int) -> tuple[Decision, ...] | ReplyProblem:
    """Return one decision an item, in order, or why there is none."""
    if len(text) > _MAX_CHARS:
        return ReplyProblem(message="the reply is too long to be a verdict")
    try:
        return _agreed(list(_verdicts(text, items)), items)
    except _Unreadable as problem:
        return ReplyProblem(message=str(problem))


def _agreed(found: list[tuple[Decision, ...]], items: int) -> tuple[Decision, ...]:
    if not found:
        wanted = "a verdict object" if items == 1 else f"{items} verdicts"
        raise _Unreadable(f"the reply does not hold {wanted}")
    if len({tuple(decision.passed for decision in verdict) for verdict in found}) > 1:
        raise _Unreadable("the reply holds verdicts that disagree")
    return found[0]


def _verdicts(text: str, items: int) -> Iterator[tuple[Decision, ...]]:
    repaired = _ESCAPE.sub(lambda m: m[0] if m["legal"] else "\\\\", after_thinking(text))
    position, found = 0, False
    for value, start, end in _json_values(repaired):
        _refuse_leftover(repaired[position:start], behind_verdict=found)
        position = end
        verdict = _verdict(value, items)
        if verdict is not None:
            found = True
            yield verdict
    _refuse_leftover(repaired[position:], behind_verdict=found)


def after_thinking(text: str) -> str:
    """Return a reply without the thoughts that some models write in front of it."""
    position = 0
    while position < len(text) and (thought := _THINKING.match(text, position)):
        position = thought.end()
    return text[position:]


def _refuse_leftover(text: str, *, behind_verdict: bool) -> None:
    if _UNREAD_VERDICT.search(text):
        raise _Unreadable("the reply holds a verdict that is not valid JSON")
    # Thoughts stand in front of all else (some servers swallow the tag that begins them); what is
    # said inside of them is no verdict.
    if _THOUGHT_BEGINS.search(text) or (behind_verdict and _THOUGHT_ENDS.search(text)):
        raise _Unreadable("the reply mixes its verdict with thoughts")


def _json_values(text: str) -> Iterator[tuple[Any, int, int]]:
    """Yield each outermost JSON object or array of a text with its place."""
    decoder = json.JSONDecoder(
        strict=False, object_pairs_hook=_object, parse_constant=_refuse_constant
    )
    position = 0
    for _ in range(_MAX_STARTS):
        start = _START.search(text, position)
        if start is None:
            return
        try:
            value, position = decoder.raw_decode(text, start.start())
        except RecursionError:
            raise _Unreadable("the reply is nested too deeply") from None
        except ValueError:
            if _BROKEN_JSON.match(text, start.start()):
                raise _Unreadable("the reply holds an object that is not valid JSON") from None
            position = start.end()
        else:
            yield value, start.start(), position
    raise _Unreadable("the reply holds too many brackets to be read")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if any(key == "pass" and one is not value["pass"] for key, one in pairs):
        raise _Unreadable("the reply holds verdicts that disagree")
    if any(key != "pass" and key.strip().lower() == "pass" for key in value):
        raise _Unreadable("the reply holds a verdict whose 'pass' is spelt otherwise")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _verdict(value: Any, items: int) -> tuple[Decision, ...] | None:
    """Return the decisions of a JSON value, None when it does not try to be a verdict."""
    value = _unwrapped(value)
    if isinstance(value, dict) and "pass" in value:
        return _exactly([value], items)
    listed = value.get("items") if isinstance(value, dict) else value
    if isinstance(listed, list) and any(isinstance(v, dict) and "pass" in v for v in listed):
        return _exactly(listed, items)
    return None


def _unwrapped(value: Any) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        ((name, inner),) = value.items()
        if name in _WRAPPERS and isinstance(inner, dict | list):
            return inner
    return value


def _exactly(values: list[Any], items: int) -> tuple[Decision, ...]:
    if len(values) != items:
        raise _Unreadable(f"the reply holds {len(values)} of {items} verdicts")
    return tuple(map(_decision, values))


def _decision(value: Any) -> Decision:
    if not isinstance(value, dict) or "pass" not in value:
        raise _Unreadable("an item of the reply has no 'pass'")
    passed, reason = value["pass"], value.get("reason")
    if not isinstance(passed, bool):
        shown = json.dumps(passed, ensure_ascii=True)[:40]
        raise _Unreadable(f"'pass' must be true or false, the reply says {shown}")
    parts = list(_verdicts_within(value))
    if parts and all(parts) is not passed:
        raise _Unreadable("the reply holds verdicts that disagree")
    return Decision(passed=passed, reason=reason if isinstance(reason, str) else "")


def _verdicts_within(value: dict[str, Any]) -> Iterator[bool]:
    """Yield what the objects deep inside a verdict say of themselves; what is no true is false."""
    pending = list(value.values())
    while pending:
        here = pending.pop()
        if isinstance(here, list):
            pending.extend(here)
        elif isinstance(here, dict):
            if "pass" in here:
                yield here["pass"] is True
            pending.extend(here.values())
