"""Which tests a person asked for: ``-k`` and ``-m`` expressions with and, or, not, parentheses."""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from ci_judge.model.suite import Test

Selects: TypeAlias = Callable[[Test], bool]

_TOKEN = re.compile(r"""\s*(?:([()])|"([^"]*)"|'([^']*)'|([^\s()"']+))""")
_WORDS = frozenset({"and", "or", "not"})
MAX_DEPTH = 50


class BadExpression(ValueError):
    """A ``-k`` or ``-m`` expression that cannot be read; the text says why."""


def select_by_name(expression: str) -> Selects:
    """Read a ``-k`` expression: a word selects tests with it in id or name, ignoring case."""
    return _parse(expression, _names)


def select_by_tag(expression: str) -> Selects:
    """Read a ``-m`` expression: a word selects the tests of exactly this tag or kind."""
    return _parse(expression, _carries)


def _names(word: str) -> Selects:
    wanted = word.casefold()
    return lambda test: wanted in test.id.casefold() or wanted in test.name.casefold()


def _carries(word: str) -> Selects:
    return lambda test: word in test.tags or word == getattr(test, "kind", "case")


def _parse(expression: str, meaning: Callable[[str], Selects]) -> Selects:
    parser = _Parser(list(_tokens(expression)), meaning)
    selects = parser.either(depth=0)
    parser.finish()
    return selects


def _tokens(expression: str) -> Iterator[tuple[str, bool]]:
    """Give (text, quoted) pairs; quoted words are never operators."""
    rest = expression.rstrip()
    position = 0
    while position < len(rest):
        match = _TOKEN.match(rest, position)
        if match is None:
            raise BadExpression(f"a quote is not closed in {expression!r}")
        position = match.end()
        bracket, double, single, word = match.groups()
        quoted = double if double is not None else single
        yield (quoted, True) if quoted is not None else (bracket or word, False)


class _Parser:
    """Recursive descent: either = both ("or" both)*; both = one ("and" one)*."""

    def __init__(self, tokens: list[tuple[str, bool]], meaning: Callable[[str], Selects]) -> None:
        self._tokens = tokens
        self._meaning = meaning
        self._position = 0

    def either(self, *, depth: int) -> Selects:
        if depth > MAX_DEPTH:
            raise BadExpression(f"more than {MAX_DEPTH} parentheses deep")
        options = [self._both(depth)]
        while self._take("or"):
            options.append(self._both(depth))
        return lambda test: any(selects(test) for selects in options)

    def finish(self) -> None:
        if self._position < len(self._tokens):
            raise BadExpression(
                f'"{self._tokens[self._position][0]}" stands where "and" or "or" should'
            )

    def _both(self, depth: int) -> Selects:
        needs = [self._one(depth)]
        while self._take("and"):
            needs.append(self._one(depth))
        return lambda test: all(selects(test) for selects in needs)

    def _one(self, depth: int) -> Selects:
        negated = False
        while self._take("not"):
            negated = not negated
        inner = self._grouped(depth) if self._take("(") else self._word()
        return (lambda test: not inner(test)) if negated else inner

    def _grouped(self, depth: int) -> Selects:
        inner = self.either(depth=depth + 1)
        if not self._take(")"):
            raise BadExpression('a closing ")" is missing')
        return inner

    def _word(self) -> Selects:
        if self._position >= len(self._tokens):
            raise BadExpression("it ends where a word should follow")
        text, quoted = self._tokens[self._position]
        if not quoted and (text in _WORDS or text in "()"):
            raise BadExpression(f'"{text}" stands where a word should')
        self._position += 1
        return self._meaning(text)

    def _take(self, wanted: str) -> bool:
        here = self._tokens[self._position : self._position + 1]
        if here != [(wanted, False)]:
            return False
        self._position += 1
        return True
