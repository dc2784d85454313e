"""Text in the evidence that speaks to the judge instead of to the user. It flags, never decides.

A second, cheap defence behind the prompt: fixed patterns and no model, so it finds what is said the
usual way and nothing else. It looks at what the system under test said (answers, what was captured
with them, texts inside a case's value) and never at what the suite's author wrote. It reads through
look-alike forms of letters (NFKC), invisible characters between letters, and letters written as
invisible tags.
Other languages than English (but for the commonest sentence), letters of other scripts that look
alike, and encoded text are not seen through.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

from ci_judge.model.evidence import CaseValue, Evidence, Reply
from ci_judge.model.judging import Suspicion, SuspicionKind
from ci_judge.model.suite import JsonValue
from ci_judge.rules.suspicion_signs import SIGNS, Sign

SCANNED_CHARS: Final = 200_000
"""Of a longer text the first and the last half of these are looked at."""
_BEFORE_CHARS: Final = 30
_EXCERPT_CHARS: Final = 120

_FLAG: Final = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{2,6}\U000e007f")
_TAG_OFFSET: Final = 0xE0000
_TAGS: Final = {code: code - _TAG_OFFSET for code in range(0xE0020, 0xE007F)}
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_HIDDEN: Final = re.compile(
    "[\u202d\u202e\U000e0001-\U000e007f]"
    "|[\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]{8}"
)
"""Overrides of the writing direction, tags outside of flags, and runs too long for joiners."""


def find_suspicions(
    evidence: Evidence, *, redact: Callable[[str], str] = str
) -> tuple[Suspicion, ...]:
    """Return what in the evidence seems addressed to the judge: at most one of a kind, quoted.

    Takes some microseconds for an ordinary answer and less than a second for any. ``redact`` takes
    the secrets out of a text before a piece of it is quoted.
    """
    found: dict[SuspicionKind, Suspicion] = {}
    for text in _texts(evidence):
        signs = _signs(text)
        shown = _signs(redact(text)) if signs else {}
        for kind in signs:
            found.setdefault(kind, Suspicion(kind=kind, found=shown.get(kind, "")))
    return tuple(found.values())


def _signs(text: str) -> dict[SuspicionKind, str]:
    """Return the kinds of sign in a text, each with its first quotation."""
    first: dict[SuspicionKind, str] = {}
    for kind, excerpt in _scan(_bounded(text)):
        first.setdefault(kind, excerpt)
    return first


def _texts(evidence: Evidence) -> Iterator[str]:
    if isinstance(evidence, CaseValue):
        return _strings(evidence.value)
    return (text for reply in evidence.replies for text in _said(reply))


def _said(reply: Reply) -> Iterator[str]:
    """Yield the answer, then the texts of what was captured, keys and all: it is a stranger's."""
    yield reply.text
    yield from _strings([reply.context, reply.tools], with_keys=True)


def _strings(value: JsonValue, *, with_keys: bool = False) -> Iterator[str]:
    """Yield the texts inside a JSON value. The keys and shape of a case's are its author's own."""
    pending = [value]
    while pending:
        match pending.pop():
            case str() as text:
                yield text
            case dict() as entries:
                pending.extend(reversed(entries.values()))
                pending.extend(reversed(entries) if with_keys else ())
            case list() as items:
                pending.extend(reversed(items))
            case _:
                continue


def _bounded(text: str) -> str:
    if len(text) <= SCANNED_CHARS:
        return text
    half = SCANNED_CHARS // 2
    return f"{text[:half]}\n{text[-half:]}"


def _scan(text: str) -> Iterator[tuple[SuspicionKind, str]]:
    """Yield each kind of sign in a text with a quotation; a kind may come more than once."""
    if not text.isascii():
        hidden = _HIDDEN.search(_FLAG.sub("", text))
        if hidden:
            yield "hidden", _code_points(hidden[0])
        text = _plain(text)
    lowered = text.lower()
    for sign in SIGNS:
        if any(word in lowered for word in sign.words):
            match = _first(sign, text)
            if match:
                yield sign.kind, _excerpt(text, match)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", _UNSEEN.sub("", text.translate(_TAGS)))


def _first(sign: Sign, text: str) -> re.Match[str] | None:
    return next((m for m in sign.pattern.finditer(text) if not _excused(sign, text, m)), None)


def _excused(sign: Sign, text: str, match: re.Match[str]) -> bool:
    """Whether the words before it turn its meaning round ("I will not ignore …")."""
    before = text[max(0, match.start() - _BEFORE_CHARS) : match.start()]
    return sign.unless is not None and sign.unless.search(before) is not None


def _excerpt(text: str, match: re.Match[str]) -> str:
    room = _EXCERPT_CHARS - min(_EXCERPT_CHARS, match.end() - match.start())
    low = max(0, match.start() - room // 2)
    return " ".join(text[low : low + _EXCERPT_CHARS].split())


def _code_points(characters: str) -> str:
    first = " ".join(f"U+{ord(character):04X}" for character in characters[:4])
    return f"{first} …" if len(characters) > 4 else first  # noqa: PLR2004 - as many as shown
