"""Where the wanted and unwanted phrases stand in a response, so that a reader's eye finds them."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from ci_judge.model.document import CheckEntry

_MARKED_KINDS = {"phrase": True, "contains": True, "not_contains": False}
"""Kind of check to the result with which its text stands in the response."""


class Piece(NamedTuple):
    """A stretch of the response."""

    text: str
    marked: bool


def marked_pieces(text: str, checks: Iterable[CheckEntry]) -> list[Piece]:
    """Split a response at the phrases that checks found in it. Joined, the pieces are the text.

    The checks have decided already; what is not found here again is simply not marked.
    """
    phrases = [_pattern(check["wanted"]) for check in checks if _stands_there(check)]
    if not phrases:
        return [Piece(text, marked=False)]
    pattern = re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.IGNORECASE)
    return list(_split(text, pattern))


def _stands_there(check: CheckEntry) -> bool:
    if check["inside"] is not None or not check["wanted"].strip():
        return False
    return _MARKED_KINDS.get(check["kind"]) is check["passed"]


def _pattern(phrase: str) -> str:
    """Match the words whatever white space stands between them, and no half words."""
    words = r"\s+".join(re.escape(word) for word in phrase.split())
    before = r"(?<![A-Za-z0-9])" if phrase.lstrip()[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if phrase.rstrip()[-1].isalnum() else ""
    return f"{before}{words}{after}"


def _split(text: str, pattern: re.Pattern[str]) -> Iterable[Piece]:
    end = 0
    for found in pattern.finditer(text):
        if found.start() > end:
            yield Piece(text[end : found.start()], marked=False)
        yield Piece(found.group(), marked=True)
        end = found.end()
    if end < len(text):
        yield Piece(text[end:], marked=False)
