"""The hidden first line of our comment: whose it is, and which run wrote it."""

import re
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote, unquote

Rank: TypeAlias = tuple[int, int]
"""(run id, attempt): the higher one is the newer run."""

_MARKER = re.compile(
    r"<!-- ci-judge key=(?P<key>\S+) sha=(?P<sha>\S*) run=(?P<run>\S*) attempt=(?P<attempt>\S*) -->"
)
_MOST_DIGITS = 18
_SHORT_SHA = 7
_EMPTY = "%"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a comment comes from.

    ``key`` tells several comments under one pull request apart; ``run`` and ``attempt`` are those
    of the workflow run, ``sha`` is the commit that was judged.
    """

    key: str
    sha: str
    run: str
    attempt: str

    @property
    def marker(self) -> str:
        """The hidden first line by which a later run finds the comment again."""
        return (
            f"<!-- ci-judge key={_word(self.key)} sha={_word(self.sha)}"
            f" run={_word(self.run)} attempt={_word(self.attempt)} -->"
        )

    @property
    def rank(self) -> Rank:
        """How new the run is; what is no number is older than every number."""
        return _number(self.run), _number(self.attempt)

    @property
    def shown(self) -> str:
        """Name the run and commit for people."""
        return f'run {self.run or "?"}, attempt {self.attempt or "?"}, commit "{self.short_sha}"'

    @property
    def short_sha(self) -> str:
        return self.sha[:_SHORT_SHA] or "?"


def origin_of(body: str) -> Origin | None:
    """Read a comment's first line; None where it is no marker of ours."""
    first, *_ = body.splitlines() or [""]
    found = _MARKER.fullmatch(first.rstrip())
    return None if found is None else Origin(**{k: _text(v) for k, v in found.groupdict().items()})


def _word(text: str) -> str:
    """Spell text as one word that cannot end an HTML comment."""
    # a variable of the environment may hold halves of characters
    return quote(text, safe="/:", errors="surrogatepass") or _EMPTY


def _text(word: str) -> str:
    return "" if word == _EMPTY else unquote(word, errors="surrogatepass")


def _number(text: str) -> int:
    readable = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if readable else -1
