"""Criteria: the ``##`` sections of acceptance files.

An id is ``{#id}`` where the heading gives one, else a slug of its text: lower case, NFKC, letters,
digits and combining marks of any script kept, emoji too, apostrophes dropped, every other run of
characters one hyphen, 60 characters at most. Both kinds are safe as file names.
"""

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema import read_text
from ci_judge.model.suite import Criterion
from ci_judge.suites.markdown import Heading, headings, unclosed_block, unspaced_headings

SLUG_LIMIT_CHARS = 60
_CRITERION_LEVEL = 2
_KEPT = ("L", "M", "N", "So")
_APOSTROPHES = "'\u2019"
_VARIATION_SELECTORS = "\ufe0e\ufe0f"
_ID = re.compile(r"[^\W_][\w.-]*\Z")
_NO_WORDS = re.compile(r"[\W\d]+\Z")


def slug(text: str) -> str:
    """Return the id that a title gives, by the rule of this module; empty where nothing is left."""
    letters = unicodedata.normalize("NFKC", text.translate(dict.fromkeys(map(ord, _APOSTROPHES))))
    lowered = unicodedata.normalize("NFKC", letters.lower())
    words = "".join(letter if _is_kept(letter) else " " for letter in lowered).split()
    return "-".join(words)[:SLUG_LIMIT_CHARS].strip("-")


def parse_criteria(text: str, *, file: str) -> tuple[Criterion, ...]:
    """Return the criteria of one acceptance file, in order.

    A description ends at the next ``##`` or ``#`` heading. Raises InvalidInput with every empty,
    unfit or repeated id; repeats name both lines.
    """
    sections = [heading for heading in headings(text) if heading.level == _CRITERION_LEVEL]
    problems = [problem for section in sections for problem in _id_problems(section, file=file)]
    if problems:
        raise InvalidInput(*problems)
    return unique_criteria(_criterion(section, file=file) for section in sections)


def unique_criteria(criteria: Iterable[Criterion]) -> tuple[Criterion, ...]:
    """Return the criteria as they came. Raises InvalidInput naming both places of a repeated id."""
    first: dict[str, Criterion] = {}
    problems = []
    for criterion in criteria:
        earlier = first.setdefault(criterion.id, criterion)
        if earlier is not criterion:
            problems.append(_repeated(earlier, criterion))
    if problems:
        raise InvalidInput(*problems)
    return tuple(first.values())


def load_criteria(files: Sequence[Path], *, root: Path) -> tuple[Criterion, ...]:
    """Read the criteria of all acceptance files; ids are unique over all of them.

    Raises InvalidInput with the problems of every file. A file without a criterion is one.
    """
    found: list[Criterion] = []
    problems: list[Problem] = []
    for path in files:
        try:
            found += _load(path, file=shown(path, root=root))
        except InvalidInput as error:
            problems += error.problems
    if problems:
        raise InvalidInput(*problems)
    return unique_criteria(found)


def criteria_doubts(files: Sequence[Path], *, root: Path) -> tuple[str, ...]:
    """Warn about the headings of acceptance files that load, a sentence each."""
    shown_files = ((path, shown(path, root=root)) for path in files)
    texts = ((read_text(path, file=file), file) for path, file in shown_files)
    return tuple(str(doubt) for text, file in texts for doubt in doubtful_headings(text, file=file))


def doubtful_headings(text: str, *, file: str) -> tuple[Problem, ...]:
    """Warn about what CommonMark reads otherwise than an author may have meant."""
    doubts = [*_unspaced(text, file=file), *_sums(text, file=file)]
    unclosed = unclosed_block(text)
    if unclosed is not None:
        line, kind = unclosed
        message = f"this {kind} is never closed: everything after it is part of it, no criteria"
        doubts.append(Problem(message=message, place=Place(file=file, line=line)))
    return tuple(doubts)


def shown(path: Path, *, root: Path) -> str:
    """Name a file as the user would: relative to the configuration's folder, with slashes."""
    try:
        return Path(os.path.relpath(path, root)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


def _is_kept(letter: str) -> bool:
    return unicodedata.category(letter).startswith(_KEPT) and letter not in _VARIATION_SELECTORS


def _criterion(section: Heading, *, file: str) -> Criterion:
    return Criterion(
        id=_id(section),
        title=section.text,
        description=section.body,
        place=Place(file=file, line=section.line),
    )


def _id(section: Heading) -> str:
    return slug(section.text) if section.explicit_id is None else section.explicit_id


def _id_problems(section: Heading, *, file: str) -> Iterable[Problem]:
    place = Place(file=file, line=section.line)
    if not section.text:
        yield Problem(
            message="this criterion's heading is empty",
            hint="give it a title: ## Refund policy",
            place=place,
        )
    elif section.explicit_id is None and not slug(section.text):
        yield Problem(
            message=f'the heading "{section.text}" holds no letter or digit to make an id of',
            hint="give it one: ## Title {#an-id}",
            place=place,
        )
    elif section.explicit_id is not None and not _is_fit(section.explicit_id):
        yield Problem(
            message=f'"{section.explicit_id}" cannot be the id of a criterion',
            hint="letters, digits, - _ and . without spaces, beginning with a letter or digit",
            place=place,
        )


def _is_fit(name: str) -> bool:
    return _ID.match(name) is not None and len(name) <= SLUG_LIMIT_CHARS


def _repeated(first: Criterion, second: Criterion) -> Problem:
    return Problem(
        message=f'two criteria have the id "{second.id}": {first.place} and {second.place}',
        hint="reword one heading or give it an id of its own: ## Title {#another-id}",
        place=second.place,
    )


def _load(path: Path, *, file: str) -> tuple[Criterion, ...]:
    text = read_text(path, file=file)
    criteria = parse_criteria(text, file=file)
    if not criteria:
        other = next(iter(headings(text)), None)
        raise InvalidInput.of(
            "this acceptance file holds no criterion"
            + (f', and "{other.text}" is a heading of level {other.level}' if other else ""),
            hint="each criterion is a level-two heading with its text: ## Refund policy",
            place=Place(file=file, line=other.line if other else None),
        )
    return criteria


def _unspaced(text: str, *, file: str) -> Iterable[Problem]:
    for number, line in unspaced_headings(text):
        yield Problem(
            message=f'"{line}" is no heading',
            hint="write a space after the hashes",
            place=Place(file=file, line=number),
        )


def _sums(text: str, *, file: str) -> Iterable[Problem]:
    for heading in headings(text):
        if heading.setext and heading.level == _CRITERION_LEVEL and _NO_WORDS.match(heading.text):
            yield Problem(
                message=f'"{heading.text}" is read as a criterion, for a line of dashes follows it',
                hint="put a blank line above the dashes if they are a rule",
                place=Place(file=file, line=heading.line),
            )
