"""What chat endpoints call things: the message, what was said before, the answer."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ci_judge.model.suite import JsonValue
from ci_judge.rules.json_outline import leaves

MESSAGE: Final = "{{message}}"
HISTORY: Final = "{{history}}"
UUID: Final = "{{uuid}}"

_MESSAGE_NAMES = (
    *("message", "question", "user_message", "usermessage", "user_input", "userinput", "query"),
    *("prompt", "input", "text", "content", "utterance", "msg", "q"),
)
_HISTORY_NAMES = ("history", "chat_history", "chathistory", "conversation", "previous_messages")
_ID_NAMES = re.compile(
    r"(?:session|conversation|thread|chat|user|request|client)_?id", re.IGNORECASE
)
_ANSWER_NAMES = (
    *("reply", "answer", "response", "output", "completion", "generated_text", "result"),
    *("message", "content", "text", "data"),
)
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w-]{0,60}")
_LONGEST_TOLD = 200
_WANTED = re.compile(
    r"""\bmissing(?: required)?(?: field| parameter| property)?:? ["'`]?(\w+)"""
    r"""|(\w+)["'`]?(?: field| parameter| property)? (?:(?:is|was) )?(?:required|missing)\b""",
    re.IGNORECASE,
)


def message_name(names: Iterable[str]) -> str | None:
    """Return which of a request's fields takes the message, None where none is known by name."""
    return _first(_MESSAGE_NAMES, names)


def history_name(names: Iterable[str]) -> str | None:
    """Return which field takes what was said before."""
    return _first(_HISTORY_NAMES, names)


def is_id(name: str) -> bool:
    """Tell whether a field names a conversation or whoever holds it."""
    return _ID_NAMES.fullmatch(name) is not None


def is_plain_name(name: object) -> bool:
    """Tell whether a field's name can be written into a file without a second thought."""
    return isinstance(name, str) and _PLAIN_NAME.fullmatch(name) is not None


def answer_path(reply: JsonValue) -> str | None:
    """Return the dotted path of the text in a reply that is most likely its answer."""
    texts = [leaf for leaf in leaves(reply) if isinstance(leaf.value, str)]
    known = [leaf for leaf in texts if _rank(leaf.path) is not None]
    if known:
        return min(known, key=lambda leaf: (_rank(leaf.path), leaf.path.count("."))).path
    return max(texts, key=lambda leaf: len(leaf.value)).path if texts else None


def error_words(reply: JsonValue) -> str | None:
    """Return what a reply says went wrong, cut to one short line."""
    if not isinstance(reply, Mapping):
        return None
    said = reply.get("detail") or reply.get("error") or reply.get("message")
    return " ".join(said.split())[:_LONGEST_TOLD] if isinstance(said, str) else None


def wanted_name(words: str) -> str | None:
    """Name the field that a refusal asks for ("question is required"), if it is a known one."""
    found = {name for match in _WANTED.finditer(words) for name in match.groups() if name}
    known = {name for name in found if name.lower() in _MESSAGE_NAMES}
    return known.pop() if len(known) == 1 else None


def _rank(path: str) -> int | None:
    """Rank by the last name, or by the one above a message's content (OpenAI's shape)."""
    last = path.rpartition(".")[2].lower()
    return _ANSWER_NAMES.index(last) if last in _ANSWER_NAMES else None


def _first(known: Iterable[str], names: Iterable[str]) -> str | None:
    by_lower = {name.lower(): name for name in names}
    return next((by_lower[each] for each in known if each in by_lower), None)
