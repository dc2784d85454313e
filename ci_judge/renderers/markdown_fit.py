"""Markdown as whole blocks, and how it gives way where it is too long."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ci_judge.renderers.wording import counted

_JOINT: Final = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """A shorter form of a block. The lower ``order`` is, the earlier it is resorted to.

    ``what`` and ``how`` say what the reader misses: ("transcript", "shortened"). An empty ``text``
    leaves the block out.
    """

    order: int
    text: str
    what: str
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of Markdown that stands by itself, and its shorter forms, longest first."""

    text: str
    fallbacks: tuple[Fallback, ...] = ()


def fit(blocks: Sequence[Block], *, limit: int, measure: Callable[[str], int]) -> str:
    """Join the blocks; where that is longer than ``limit``, as few as needed give way.

    ``measure`` counts in the units of ``limit`` and must be additive over texts. Among equals the
    later block gives way first. What was cut is said in the last line. When nothing is left to
    cut the result may still be longer than ``limit``.
    """
    texts = [block.text for block in blocks]
    taken: dict[int, Fallback] = {}
    excess = measure(_joined(texts)) - limit
    for position, fallback in _in_order(blocks):
        if excess + _note_size(taken, measure) <= 0:
            break
        excess -= measure(texts[position]) - measure(fallback.text)
        texts[position] = fallback.text
        taken[position] = fallback
    return _joined([*texts, _note(taken)])


def whole(blocks: Sequence[Block]) -> str:
    """Join the blocks as they are."""
    return _joined([block.text for block in blocks])


def _in_order(blocks: Sequence[Block]) -> list[tuple[int, Fallback]]:
    ways = [(position, way) for position, block in enumerate(blocks) for way in block.fallbacks]
    return sorted(ways, key=lambda way: (way[1].order, -way[0]))


def _note_size(taken: dict[int, Fallback], measure: Callable[[str], int]) -> int:
    note = _note(taken)
    return measure(_JOINT + note) if note else 0


def _note(taken: dict[int, Fallback]) -> str:
    if not taken:
        return ""
    counts = Counter((way.what, way.how) for way in taken.values())
    cuts = [f"{counted(count, what)} {how}" for (what, how), count in sorted(counts.items())]
    return f"_Shortened to fit here: {', '.join(cuts)}. The report's files have everything._"


def _joined(texts: Sequence[str]) -> str:
    return _JOINT.join(text for text in texts if text) + "\n"
