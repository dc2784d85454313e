"""What checks see of what ``target.capture`` found: text to search, and the names of tools."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ci_judge.model.evidence import Reply
from ci_judge.model.suite import CheckPlace, JsonValue

_CALL = re.compile(r"(?:use|call|function)$")
"""The end of what types of content are called that are calls of tools."""

_BETWEEN = "\n\N{SYMBOL FOR RECORD SEPARATOR}\n"
"""Keeps a phrase, whose white space may be any, from reaching from one text into the next."""

PLACE_WORDS: dict[CheckPlace, str] = {"tools": "the tool calls", "context": "the context"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Nameless:
    """A captured call of a tool in which no name is found, as ``shown``."""

    shown: JsonValue


def captured_as_replies(replies: Sequence[Reply], place: CheckPlace) -> tuple[Reply, ...]:
    """Return the replies with what was captured instead of their answers.

    Where nothing was, the text is empty and the value None. The text of what is no text is its
    JSON, and below it every text inside, free of JSON's backslashes (arguments of tools are often
    JSON within JSON).
    """
    return tuple(_instead(reply, getattr(reply, place)) for reply in replies)


def _instead(reply: Reply, value: JsonValue) -> Reply:
    return replace(reply, text=_searchable(value), value=value)


def _searchable(value: JsonValue) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    whole = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _BETWEEN.join((whole, *_texts(value)))


def whole_of(text: str) -> str:
    """Return the part of a searchable text that is for people: the value itself."""
    return text.partition(_BETWEEN)[0]


def _texts(value: JsonValue) -> Iterator[str]:
    """Yield the texts in a value; an explicit stack, since nesting is somebody else's choice."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case dict() as items:
                waiting.extend(reversed(items.values()))
            case list() as items:
                waiting.extend(reversed(items))
            case _:
                pass


def called_names(replies: Sequence[Reply]) -> tuple[str, ...] | Nameless:
    """Return the names of the tools called for all answers, in order.

    Known are calls as OpenAI writes them (``function.name``), as Anthropic does (``name``, among
    other blocks of content), maps with a ``name``, and plain names. One call need be in no list.
    """
    names: list[str] = []
    for reply in replies:
        calls = reply.tools if isinstance(reply.tools, list) else [reply.tools]
        for call in calls:
            match _name(call):
                case Nameless() as nameless:
                    return nameless
                case str() as name:
                    names.append(name)
                case None:
                    pass
    return tuple(names)


def _name(call: JsonValue) -> str | Nameless | None:
    """Return the name of a call, None for what is none: nothing, or a block of another type."""
    match call:
        case None:
            return None
        case str(name) | {"function": {"name": str(name)}} | {"name": str(name)} if name.strip():
            return name.strip()
        case {"type": str() as type_} if not _CALL.search(type_):
            return None
        case _:
            return Nameless(shown=call)


def follows(wanted: Sequence[str], names: Sequence[str]) -> bool:
    """Tell whether the names hold the wanted ones in this order, others between them or not.

    Nothing wanted means that nothing may have been called.
    """
    if not wanted:
        return not names
    left = iter(names)
    return all(any(name == found for found in left) for name in wanted)
