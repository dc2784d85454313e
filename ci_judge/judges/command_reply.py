"""Reading what a judge command wrote: a verdict as of any judge in words, or likelihoods."""

import json
import re
from typing import Any, NoReturn

from ci_judge.judges.reply import ReplyProblem, read_reply
from ci_judge.model.judging import Likelihood, Opinion

_PROBABILITY = re.compile(r"[\"']probability[\"']\s*:")
_PASS = re.compile(r"[\"']pass[\"']\s*:")


class _Unreadable(Exception):
    """Carries the sentence of a ReplyProblem out of the reading."""


def read_command_reply(text: str, *, items: int) -> tuple[Opinion, ...] | ReplyProblem:
    """Return one opinion an item, in order, or why there is none.

    ``{"pass": bool, "reason": text}`` and ``{"items": [...]}`` are read as every verdict is; where
    there is a ``probability`` (a number in [0, 1]) instead, nothing may stand around the JSON.
    """
    if not _PROBABILITY.search(text):
        return read_reply(text, items=items)
    try:
        return _likelihoods(text, items)
    except _Unreadable as problem:
        return ReplyProblem(message=str(problem))


def _likelihoods(text: str, items: int) -> tuple[Likelihood, ...]:
    if _PASS.search(text):
        raise _Unreadable("the output holds both a 'pass' and a 'probability'")
    value = _json(text)
    listed = value.get("items") if isinstance(value, dict) and "items" in value else [value]
    if not isinstance(listed, list) or len(listed) != items:
        count = len(listed) if isinstance(listed, list) else 0
        raise _Unreadable(f"the output holds {count} of {items} probabilities")
    return tuple(map(_likelihood, listed))


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise _Unreadable("the output holds a 'probability' and is not JSON as a whole") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Unreadable("the output holds a key twice")
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _likelihood(value: Any) -> Likelihood:
    if not isinstance(value, dict) or "probability" not in value:
        raise _Unreadable("an item of the output has no 'probability'")
    p, reason = value["probability"], value.get("reason")
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
        shown = json.dumps(p, ensure_ascii=True)[:40]
        raise _Unreadable(f"'probability' must be a number from 0 to 1, the output says {shown}")
    return Likelihood(probability=float(p), reason=reason if isinstance(reason, str) else "")
