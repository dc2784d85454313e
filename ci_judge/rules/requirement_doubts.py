"""What in the words of a requirement makes its verdicts unreliable. English, and careful.

A doubt is only worth its line where following it helps, so each pattern asks for clear signs and
other languages are left alone. A quoted phrase is checked exactly, whatever a judge makes of the
rest: what it says is no concern of these rules.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ci_judge.rules.compound_requirements import conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """What is doubtful in a requirement, and what to write instead."""

    message: str
    hint: str


_PHRASE = re.compile('["\u201c\u201d\u201e][^"\u201c\u201d\u201e]*["\u201c\u201d\u201e]')
_WORD = re.compile(r"[A-Za-z'\u2019]+|\d+")
_LETTERS = re.compile(r"[^\W\d_]")
_ENGLISH_SHARE = 0.9

_SUBJECTS_TEXT = (
    "a an and answer answers as assistant be bot by chatbot customer customer's do does expected "
    "for gives good-quality has in is are it its kind make makes message model must of output "
    "produces provides provide give query question questions reply replies request response "
    "responses respond responds result returns return sense should shall so something that the "
    "there this to user user's users very way will with works work"
)
_SUBJECTS = frozenset(_SUBJECTS_TEXT.split())
_PRAISE_TEXT = (
    "accurate accurately adequate adequately amazing appropriate appropriately awesome best better "
    "correct correctly decent excellent fine good great helpful helpfully high ideal nice nicely "
    "ok okay perfect perfectly proper properly quality reasonable reasonably right satisfactory "
    "satisfying suitable suitably useful valid well"
)
_PRAISE = frozenset(_PRAISE_TEXT.split())
_A_VERB = re.compile(r"[A-Za-z]{4,}s")


def requirement_doubts(text: str) -> Iterator[Doubt]:
    """Yield what is doubtful in an expectation that a judge is to mark; nothing if not English."""
    if not _is_english(text):
        return
    bare = " ".join(_PHRASE.sub('""', text).split())
    for look in _LOOKS:
        yield from look(bare)


def is_vague(text: str) -> bool:
    """Tell whether a text asks for nothing that can be checked: empty praise, or a lone word."""
    bare = _PHRASE.sub('""', text)
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(bare)]
    if '""' in bare or not _is_english(text):
        return False
    if len(words) <= 1:
        return not (words and _A_VERB.fullmatch(words[0]) and words[0] not in _SUBJECTS)
    return all(word in _SUBJECTS or word in _PRAISE for word in words)


def _is_english(text: str) -> bool:
    letters = _LETTERS.findall(text)
    plain = sum(letter.isascii() for letter in letters)
    return not letters or plain >= _ENGLISH_SHARE * len(letters)


def _nothing_to_check(bare: str) -> Iterator[Doubt]:
    if is_vague(bare):
        yield Doubt(
            message="says nothing that a judge could check",
            hint='say what the answer holds, such as: States the "14 days" window; what it must '
            "hold word for word stands in double quotes",
        )


# --- what code does better ---------------------------------------------------------------

_NUMBER = r"(?:\d[\d,.]*|ten|fifteen|twenty|thirty|forty|fifty|hundred|a hundred)"
_COUNTED = r"(?:words?|characters?|chars|letters?|tokens?|syllables?)"
_LENGTH = re.compile(
    rf"\b(?:exactly|at (?:most|least)|(?:no )?(?:more|fewer|less) than|under|below|within|over|up "
    rf"to|maximum of|minimum of|limited to|longer than|shorter than|between)\s+"
    rf"(?:{_NUMBER}\s+(?:and|to)\s+)?{_NUMBER}\s+{_COUNTED}\b"
    rf"|[<\u2264]=?\s*\d+\s+{_COUNTED}\b"
    rf"|\bin\s+{_NUMBER}\s+{_COUNTED}\s+or\s+(?:less|fewer)\b"
    rf"|\b(?:exactly|at (?:most|least)|(?:no )?(?:more|fewer|less) than)\s+(?:[5-9]|\d\d+|ten|"
    rf"twenty)\s+(?:sentences|paragraphs|lines|items|bullets?(?: points)?|steps|entries)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\bcorrect(?:ly)?\s+(?:counts?\b|number\s+of\b)", re.IGNORECASE)
_RIGHT_SUM = re.compile(
    r"\b(?:correct|right|accurate|proper)(?:ly)?\s+(?:calculat|comput|add(?:s|ed|ing)?\s+up|"
    r"multipl|divid|subtract|sum(?:s|med)?\b|total(?:s|led)?\b|"
    r"converts?\s+(?:\w+\s+){0,3}(?:to|into)\b)\w*"
    r"|\b(?:calculat|comput)(?:es?|ed|ing|ions?|ations?)\b(?:\s+[\w%$.,]+){0,6}?\s+"
    r"(?:correct|right|accurate)(?:ly)?\b"
    r"|\bmathematically\s+correct\b",
    re.IGNORECASE,
)
_SUM = re.compile(
    r"\b(?:sum|total|average|mean|product|difference|percentage|balance)\b(?:\s+\w+){0,5}?\s+"
    r"(?:is|are|be)\s+(?:correct|right|accurate|(?:correctly|properly|accurately)\s+\w+)\b"
    r"|\badds?\s+up\s+(?:to|correctly)\b"
    r"|\b\d[\d.,]*\s*(?:%|percent)\s+of\s+[$\u20ac\u00a3]?\d[\d.,]*"
    r"|\d\s*[+*\u00d7\u00f7]\s*\d[\d.,]*\s*=",
    re.IGNORECASE,
)
_UNITS = r"(?:days?|weeks?|months?|years?|hours?|business days|working days)"
_TODAY = re.compile(
    r"\b(?:today's|tomorrow's|yesterday's|the\s+current|the\s+present)\s+"
    r"(?:date|time|weekday|year|month|day of the week)\b"
    rf"|\b(?:correct|right)\s+(?:date|weekday|day of the week|time zone|number of {_UNITS})\b"
    rf"|\bnumber\s+of\s+{_UNITS}\s+(?:between|until|since|left|remaining)\b",
    re.IGNORECASE,
)
_FROM_TODAY = re.compile(
    rf"\b{_UNITS}\s+(?:from|after|before)\s+(?:today|now|tomorrow|yesterday)\b", re.IGNORECASE
)
_NO_ANSWER = (
    r"ask(?:s|ed|ing)?|not|never|cannot|\w+n['\u2019]t|unable|refus\w+|declin\w+|without|no|whether|"
    r"how"
)
_ABSENT = re.compile(rf"\b(?:{_NO_ANSWER})\b", re.IGNORECASE)
_REPORTED = re.compile(
    rf"\b(?:{_NO_ANSWER}|(?:say|state|explain|tell|mention|inform|warn|note|confirm|advise|remind|"
    r"claim|quote|repeat|promise|offer|require|allow)(?:s|es|d|ed|ing)?|must be|needs?|tells)\b",
    re.IGNORECASE,
)
_COMPUTE = "leave it to code: a @case that returns actual and expected"
_COUNT_IT = "leave it to code: the check max_chars or regex, or a @case that counts"
_RESULT = f"{_COMPUTE}, or the check json_path or regex with the result"
_DATE = f"{_COMPUTE}, or the check json_path or regex with the date that is right"
_FOR_CODE = (
    (_LENGTH, _REPORTED, "counting", _COUNT_IT),
    (_COUNT, _ABSENT, "counting", _COUNT_IT),
    (_RIGHT_SUM, _ABSENT, "arithmetic", _RESULT),
    (_SUM, _REPORTED, "arithmetic", _RESULT),
    (_TODAY, _ABSENT, "dates", _DATE),
    (_FROM_TODAY, _REPORTED, "dates", _DATE),
)
"""What to find, what ahead of it in its clause makes it harmless, what it is, what to do.

What the answer is only to report ("says that a password has at least 8 characters") stands in the
requirement already, and nobody has to work it out.
"""


def _left_to_a_judge(bare: str) -> Iterator[Doubt]:
    told: set[str] = set()
    for pattern, harmless, matter, hint in _FOR_CODE:
        found = pattern.search(bare)
        if found is None or matter in told:
            continue
        if harmless.search(re.split(r"[.;,]\s", bare[: found.start()])[-1]):
            continue
        told.add(matter)
        yield Doubt(message=f'leaves {matter} to the judge ("{found[0].strip()}")', hint=hint)


# --- how it is put -----------------------------------------------------------------------

_NOT = (
    r"(?:not|never|cannot|(?:is|are|do|does|did|wo|ca|should|must|was|were|has|have|would)"
    r"n['\u2019]t)"
)
_UNDONE = (
    r"(?:fail(?:s|ed|ing)?\s+to|omit(?:s|ted|ting)?|forget(?:s|ting)?\s+to|neglect(?:s|ed|ing)?\s+to"
    r"|lack(?:s|ing)?|avoid(?:s|ed|ing)?|leave(?:s)?\s+out|without"
    r"|un(?:helpful|clear|friendly|kind|true|necessary|related|reasonable|willing|able|aware|safe)"
    r"|im(?:polite|possible|proper)|in(?:correct|accurate|complete|appropriate))"
)
_SAYS = r"(?:says?|claims?|states?|thinks?|believes?|implies|imply|suggests?|pretends?)"
_SUBJECT = r"(?:(?!(?:and|or|nor|but|if|when|because|not|never)\b)[\w'\u2019]+\s+)"
_VERB = r"(?:is|are|does|do|can|could|will|would|was|were|has|have|should|must|may)"
_DOUBLE = re.compile(
    rf"\b{_NOT}\s+(?:(?:be|seem|sound|look|at all|also|ever)\s+)?{_UNDONE}\b"
    rf"|\b{_NOT}\s+{_SAYS}\s+(?:that\s+)?{_SUBJECT}{{1,3}}?"
    rf"(?:{_VERB}(?:\s+not\b|n['\u2019]t\b)|{_SUBJECT}?cannot\b|doesn['\u2019]t\b)",
    re.IGNORECASE,
)
"""Not what is not said of a thing ("facts that are not in the context"): that is one demand."""


def _double_negation(bare: str) -> Iterator[Doubt]:
    found = _DOUBLE.search(bare)
    if found is not None:
        yield Doubt(
            message=f'holds a double negation ("{found[0]}"), which judges misread',
            hint="say it with one negation, or better what must be there instead",
        )


def _several_conditions(bare: str) -> Iterator[Doubt]:
    judged = [part for part in conditions(bare) if '""' not in part]
    if len(judged) > 1:
        listed = " ".join(f"- {part}" for part in judged)
        yield Doubt(
            message=f"asks for {len(judged)} things in one verdict",
            hint=f"make expected a list, so that each gets a verdict of its own: {listed}",
        )


_LOOKS: tuple[Callable[[str], Iterator[Doubt]], ...] = (
    _nothing_to_check,
    _left_to_a_judge,
    _double_negation,
    _several_conditions,
)
