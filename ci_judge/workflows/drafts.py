"""First scenarios for a criterion, made from its own words: the offline provider of generate.

Every expectation quotes a phrase, so that the stub can check each of them. The phrase is what the
criterion itself quotes, else a number with its unit, else the longest run of telling words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from ci_judge.model.suite import Criterion, Message, ScenarioKind
from ci_judge.rules.phrases import UnbalancedQuote, negated_phrases, quoted_phrases
from ci_judge.suites.markdown import paragraphs
from ci_judge.workflows.approaches import ADVERSARIAL, USUAL, Approach

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")  # noqa: RUF001 - full-width on purpose
_QUOTES = re.compile('["\u201c\u201d\u201e\u201f\u00ab\u00bb]')
_NUMBER = re.compile(
    r"(?<![\w.,])([$€£]?\d+(?:[.,:]\d+)*(?:\s?(?:to|and|[-\u2013])\s?\d+(?:[.,:]\d+)*)?"
    r"(?:\s?[%$€£])?)((?:\s[^\W\d_]+){0,2})"
)
_WORD = re.compile(r"[^\W_](?:[\w\u2019'-]*\w)?")
_DENIAL = re.compile(
    r"\b(?:not|never|cannot|nor|neither|avoids?|refuses?|\w+n['\u2019]t)\b", re.IGNORECASE
)
_MAX_WORDS = 3
_GRAMMAR = """
a about after all also always an and another answer answers any anybody anyone anything are as
asked asks assistant at be before bot both but by call calls can could customer customers do
does each every explain explains for from gets give gives had has have he her here his how
however i if in into is it its itself may me mention mentions more most must name names no not
of off on one only or other our out over put refers replies reply response said say says shall
she should show shows so some somebody someone something speak state stated states such tell
tells than that the their them then there these they this those to under up us use user users
via was we were what when whenever where which while who will with within without would yes you
your
"""
_SMALL_WORDS = frozenset(_GRAMMAR.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A scenario to be written. ``expected`` quotes at least one phrase."""

    name: str
    kind: ScenarioKind
    message: str
    expected: str
    history: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """One sentence of a criterion as an expectation; ``about`` says what to ask for, or nothing."""

    expected: str
    about: str = ""


def draft_scenarios(
    criterion: Criterion, *, count: int, adversarial: bool = False
) -> tuple[Draft, ...]:
    """Return up to ``count`` drafts, always the same; a criterion of few words has fewer."""
    approaches = ADVERSARIAL if adversarial else USUAL
    points = _points(criterion)
    subject = _uncapitalised(_unquoted(criterion.title))
    return tuple(islice(_drafts(points, approaches, subject=subject), count))


def _drafts(
    points: Sequence[_Point], approaches: Sequence[Approach], *, subject: str
) -> Iterator[Draft]:
    """Pair every approach with every point once, the first points and approaches first."""
    for shift in range(len(points)):
        for place, approach in enumerate(approaches):
            number = (place + shift) % len(points)
            point = points[number]
            about = f"{subject}, above all {point.about}" if point.about else subject
            yield Draft(
                name=approach.name if len(points) == 1 else f"{approach.name}, point {number + 1}",
                kind=approach.kind,
                message=approach.message_about(about),
                expected=point.expected,
                history=approach.history_about(about),
            )


def _points(criterion: Criterion) -> Sequence[_Point]:
    """Take the sentences that say most surely what an answer holds, all of one sort."""
    sentences = tuple(_sentences(criterion.description))
    plain = tuple(_unquoted(each) for each in sentences if not _DENIAL.search(each))
    sorts: tuple[Iterable[_Point | None], ...] = (
        map(_quoted_point, sentences),
        map(_number_point, plain),
        map(_word_point, plain),
    )
    for points in sorts:
        found = tuple(dict.fromkeys(point for point in points if point))
        if found:
            return _told_apart(found)
    return (_title_point(criterion),)


def _title_point(criterion: Criterion) -> _Point:
    title = _unquoted(criterion.title)
    words = (_telling_words(title), title, criterion.id)
    points = (_checked(_Point(expected=f'Speaks about "{each}".')) for each in words)
    return next(filter(None, points))


def _told_apart(points: Sequence[_Point]) -> Sequence[_Point]:
    """Ask for one point only where there are several."""
    return points if len(points) > 1 else (_Point(expected=points[0].expected),)


def _sentences(description: str) -> Iterator[str]:
    for paragraph in paragraphs(description):
        for sentence in _SENTENCE_END.split(paragraph):
            if sentence.strip():
                yield " ".join(sentence.split())


def _quoted_point(sentence: str) -> _Point | None:
    if not _phrases(sentence) or negated_phrases(sentence):
        return None
    rest = sentence
    for phrase in _phrases(sentence):
        rest = rest.replace(phrase, " . ")
    return _Point(expected=sentence, about=_uncapitalised(_telling_words(rest, most=2)))


def _phrases(text: str) -> tuple[str, ...]:
    """Return the quoted phrases, none where the quotes are not clear."""
    try:
        return quoted_phrases(text)
    except UnbalancedQuote:
        return ()


def _checked(point: _Point) -> _Point | None:
    return point if _phrases(point.expected) else None


def _number_point(sentence: str) -> _Point | None:
    found = _NUMBER.search(sentence)
    if found is None:
        return None
    number, unit = found.groups()
    words = takewhile(lambda word: word.lower() not in _SMALL_WORDS, unit.split())
    return _point(sentence, phrase=" ".join([number, *words]))


def _word_point(sentence: str) -> _Point | None:
    phrase = _telling_words(sentence)
    return _point(sentence, phrase=phrase) if phrase else None


def _point(sentence: str, *, phrase: str) -> _Point | None:
    before, _, after = sentence.partition(phrase)
    about = _uncapitalised(_telling_words(f"{before} . {after}", most=2))
    return _checked(_Point(expected=f'{before}"{phrase}"{after}', about=about))


def _telling_words(text: str, *, most: int = _MAX_WORDS) -> str:
    """Return the longest run of up to ``most`` words that are not mere grammar, empty if none."""
    return max(_runs(text, most=most), key=lambda run: (run.count(" "), len(run)), default="")


def _runs(text: str, *, most: int) -> Iterator[str]:
    """Yield the runs of telling words that single blanks join, at most ``most`` words long."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        small = word.group().lower() in _SMALL_WORDS
        if run and (small or len(run) == most or text[run[-1].end() : word.start()] != " "):
            yield text[run[0].start() : run[-1].end()]
            run = []
        if not small:
            run.append(word)
    if run:
        yield text[run[0].start() : run[-1].end()]


def _unquoted(text: str) -> str:
    return " ".join(_QUOTES.sub("", text).split())


def _uncapitalised(text: str) -> str:
    """Lower the first letter of a title inside a sentence; FAQ and iPhone stay as they are."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
