"""Quoted phrases of an expectation, and whether an answer holds them."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_CLOSERS = {'"': '"', "\u201c": "\u201d", "\u201d": "\u201d", "\u201e": "\u201c\u201d"}
"""Which marks end a phrase that each mark begins: straight, English, Swedish, German."""
_MARK = re.compile('["\u201c\u201d\u201e]')
_OTHER_MARKS = re.compile("\u00ab([^\u00ab\u00bb]+)\u00bb|\u300c([^\u300c\u300d]+)\u300d")
_SPACES = re.compile(r"\s+")
_ASCII_DIGITS = frozenset("0123456789")
_ASCII_WORD = frozenset("0123456789abcdefghijklmnopqrstuvwxyz")

_NEGATION = r"(?:not|never|without|avoid(?:s|ing)?|cannot|\w+n['\u2019]t|nor|neither)"
_SAYING = (
    r"(?:say|mention|contain|includ|stat|us|claim|promis|offer|quot|reveal|repeat|nam|tell|writ|"
    r"return|show|giv|suggest|recommend|refer)(?:e|es|s|ing|ning)?"
)
_NEGATED_SAYING = re.compile(
    rf"\b{_NEGATION}(?:\s+\w+)??\s+{_SAYING}\b(?!.*\b{_SAYING}\b)"
    rf"|\bno\s+mention\b(?!.*\b{_SAYING}\b)"
    rf"|\b(?:without|never)(?:\s+the)?(?:\s+(?:word|words|phrase))?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE_END = re.compile(r"[.;:!?](?=\s|$)|\b(?:but|instead|yet|however|although)\b", re.IGNORECASE)


class UnbalancedQuote(ValueError):
    """A double quote without a partner (an inch mark is one).

    ``column`` counts the characters of the whole text from 1 to the mark at fault.
    """

    def __init__(self, column: int, why: str = "has no partner") -> None:
        super().__init__(f"the double quote at character {column} {why}")
        self.column = column


class EmptyPhrase(UnbalancedQuote):
    """Two quotes with nothing between them: a phrase that every answer would hold."""


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    """Index of the opening mark."""
    end: int
    """Index of the closing mark."""


def quoted_phrases(text: str) -> tuple[str, ...]:
    """Return the phrases in straight or curly double quotes, in order.

    Whitespace runs (line breaks of a block too) come back as one space, none at the ends.
    Raises UnbalancedQuote for a mark that is not clearly one half of a pair: a lone one, an inch
    mark (``5" screen``), one behind a backslash, or one mark inside another pair.
    """
    return tuple(_phrase(text, span) for span in _spans(text))


def negated_phrases(text: str) -> tuple[str, ...]:
    """Return the phrases that the text seems to forbid: must not say "X", never mentions "X".

    They are looked for all the same (a phrase is a phrase), so this is for a warning.
    Raises UnbalancedQuote like quoted_phrases.
    """
    spans = list(_spans(text))
    return tuple(_phrase(text, span) for span in spans if _is_negated(text, spans, span))


def other_quotations(text: str) -> tuple[str, ...]:
    """Return what stands in guillemets or corner brackets, marks and all: it is no phrase here."""
    return tuple(found[0] for found in _OTHER_MARKS.finditer(text))


def holds_phrase(text: str, phrase: str) -> bool:
    """Tell whether the text holds the phrase, ignoring case, line breaks and composition.

    Where an end of the phrase and its neighbour in the text are both ASCII letters or digits it is
    no match: "14 days" is not in "114 days". Other scripts match as plain text.
    """
    return folded_holds(folded(text), phrase)


def folded(text: str) -> str:
    """Return the text as it is compared: NFC, case-folded, whitespace runs as one space."""
    composed = unicodedata.normalize("NFC", text)
    # folding may leave letters decomposed, so compose once more
    return _SPACES.sub(" ", unicodedata.normalize("NFC", composed.casefold()))


def folded_holds(folded_text: str, phrase: str) -> bool:
    """Do what holds_phrase does for a text that is folded already."""
    wanted = folded(phrase).strip()
    before = "(?<![0-9a-z])" if wanted[:1] in _ASCII_WORD else ""
    after = "(?![0-9a-z])" if wanted[-1:] in _ASCII_WORD else ""
    return re.search(before + re.escape(wanted) + after, folded_text) is not None


def _phrase(text: str, span: _Span) -> str:
    return " ".join(text[span.start + 1 : span.end].split())


def _spans(text: str) -> Iterator[_Span]:
    marks = [match.start() for match in _MARK.finditer(text)]
    _refuse_escaped(text, marks)
    for start, end in zip(marks[::2], marks[1::2], strict=False):
        _refuse_unclear(text, start, end)
        yield _Span(start, end)
    if len(marks) % 2:
        raise UnbalancedQuote(marks[-1] + 1, _inch_or_lone(text, marks[-1]))


def _refuse_escaped(text: str, marks: list[int]) -> None:
    for mark in marks:
        if text[mark - 1 : mark] == "\\":
            raise UnbalancedQuote(mark + 1, "stands behind a backslash, which has no meaning here")


def _refuse_unclear(text: str, start: int, end: int) -> None:
    before = text[start - 1 : start]
    if before in _ASCII_DIGITS or _seems_to_close(text, start):
        raise UnbalancedQuote(start + 1, _inch_or_lone(text, start))
    if text[end] not in _CLOSERS[text[start]] or _seems_to_open(text, end):
        raise UnbalancedQuote(start + 1)
    if not text[start + 1 : end].strip():
        raise EmptyPhrase(start + 1, "begins an empty phrase")


def _inch_or_lone(text: str, mark: int) -> str:
    if text[mark - 1 : mark] in _ASCII_DIGITS:
        return "has no partner or is an inch mark (write inches as a word, or use a check)"
    return "has no partner"


def _seems_to_close(text: str, mark: int) -> bool:
    before, after = text[mark - 1 : mark], text[mark + 1 : mark + 2]
    return before.isalnum() and after.isspace()


def _seems_to_open(text: str, mark: int) -> bool:
    before, after = text[mark - 1 : mark], text[mark + 1 : mark + 2]
    return before.isspace() and after.isalnum()


def _is_negated(text: str, spans: list[_Span], span: _Span) -> bool:
    lead = text[: span.start]
    for other in reversed(spans):
        if other.end < span.start:
            lead = lead[: other.start] + '"' + lead[other.end :]
    clause = _CLAUSE_END.split(lead)[-1]
    return _NEGATED_SAYING.search(clause) is not None
