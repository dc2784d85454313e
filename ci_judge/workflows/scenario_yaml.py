"""Scenario files as a person would write them: block style, one order of keys, ``>-`` for prose.

What a person sent in several lines stands as ``|-``. What cannot be seen is written as an escape in
double quotes, so that nobody commits what they cannot read.
"""

import json
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator

from ci_judge.model.suite import Message
from ci_judge.visible_text import visible
from ci_judge.workflows.drafts import Draft

_PLAIN = re.compile(r"[^\W\d_][\w ,.'?!()-]*")
_PLAIN_LIMIT_CHARS = 80
_WIDTH_CHARS = 88
_LINE_END = re.compile(r"\r\n?|\n")
_RESERVED = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_UNPRINTABLE = ("Cc", "Cs", "Cn", "Co")


def scenario_yaml(criterion_id: str, drafts: Iterable[Draft], *, header: Iterable[str]) -> str:
    """Return the text of one scenario file; ``header`` becomes its comment, a line each."""
    comment = [f"# {line}" for line in header]
    entries = ["\n".join(_entry(draft)) for draft in drafts]
    top = [*comment, f"criterion: {_scalar(criterion_id, indent=2)}", "scenarios:"]
    return "\n".join(top) + "\n" + "\n\n".join(entries) + "\n"


def _entry(draft: Draft) -> Iterator[str]:
    yield f"  - name: {_scalar(draft.name, indent=6)}"
    yield f"    kind: {draft.kind}"
    if draft.history:
        yield "    history:"
        yield from (line for message in draft.history for line in _message(message))
    yield f"    message: {_message_text(draft.message, indent=6)}"
    yield f"    expected: {_scalar(draft.expected, indent=6)}"


def _message(message: Message) -> Iterator[str]:
    yield f"      - role: {message.role}"
    yield f"        content: {_message_text(str(message.content), indent=10)}"


def _message_text(text: str, *, indent: int) -> str:
    """Write what was sent, in the lines in which it was sent."""
    lines = [_printable(line).rstrip() for line in _LINE_END.split(text.strip())]
    if len(lines) <= 1:
        return _scalar(text, indent=indent)
    lines[0] = lines[0].lstrip()
    whole = "\n".join(lines)
    if _hides(whole):
        return _escaped(whole)
    margin = " " * indent
    return "\n".join(["|-", *(f"{margin}{line}" if line else "" for line in lines)])


def _scalar(text: str, *, indent: int) -> str:
    """Write one line of text so that YAML reads back the very same (blanks are made single)."""
    words = " ".join(_printable(text).split())
    if _hides(words):
        return _escaped(words)
    if _is_plain(words):
        return words
    if '"' not in words and len(words) <= _PLAIN_LIMIT_CHARS and " " not in words:
        return json.dumps(words, ensure_ascii=False)
    lines = textwrap.wrap(words, _WIDTH_CHARS, break_long_words=False, break_on_hyphens=False)
    return "".join([">-", *(f"\n{' ' * indent}{line}" for line in lines)])


def _is_plain(text: str) -> bool:
    fits = len(text) <= _PLAIN_LIMIT_CHARS and _PLAIN.fullmatch(text) is not None
    return fits and text.lower() not in _RESERVED


def _hides(text: str) -> bool:
    return visible(text) != text


def _escaped(text: str) -> str:
    """Write text in double quotes, where the escapes of ``visible`` are those of YAML."""
    return visible(json.dumps(text, ensure_ascii=False), keep="")


def _printable(text: str) -> str:
    """Turn what YAML may not hold into blanks."""
    return "".join(" " if _is_unprintable(letter) else letter for letter in text)


def _is_unprintable(letter: str) -> bool:
    return letter == "\ufeff" or unicodedata.category(letter) in _UNPRINTABLE
