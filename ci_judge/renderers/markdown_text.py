"""Other people's text in GitHub's Markdown: only ever in code, where nothing comes alive."""

import re
from typing import Final

from ci_judge.visible_text import one_line, visible

SPAN_CHARS: Final = 600
_RUNS_OF_BACKTICKS = re.compile("`+")
_SHORTEST_FENCE: Final = 3
_LONGEST_RUN: Final = 100

_HARMLESS_WORD = re.compile(
    r"""[("]?(?:
        (?![A-Fa-f]{7,}\b)                    # such a word may be a commit's
        [A-Za-z]{1,24}(?:['-][a-z]{1,24})?    # words; "GH-12" is none
      | [0-9]{1,6}(?:\.[0-9]{1,6}){0,2}%?     # numbers, releases
      | [0-9]{1,3}(?:,[0-9]{3}){1,3}          # 12,000
      | %|\u2013|-
    )[.,;:)"]{0,3}""",
    re.VERBOSE,
)
_LOOKS_LIKE_A_LIST = re.compile(r"-|[0-9]+[.)]")


def code_span(text: str, *, limit: int = SPAN_CHARS) -> str:
    """Wrap one line of text so that it shows as it is, in paragraphs and table cells alike."""
    line = one_line(text, limit=limit)
    if not line.strip():
        return "(empty)"
    ticks = "`" * _free_length(line)
    pad = " " if line.startswith(("`", " ")) or line.endswith(("`", " ")) else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def cell(markdown: str) -> str:
    """Make Markdown fit for a table cell, where a pipe ends the cell even inside of code."""
    return markdown.replace("|", r"\|")


def prose(text: str) -> str:
    """Show a sentence as prose if it is plain words and numbers, else as code.

    Sentences are ours, but a report can be forged: whatever could become a mention, reference,
    link, image, emoji or tag is not plain.
    """
    line = one_line(text, limit=SPAN_CHARS)
    plain = all(_HARMLESS_WORD.fullmatch(word) for word in line.split(" "))
    return line if plain and not _LOOKS_LIKE_A_LIST.match(line) else code_span(line)


def fenced(text: str) -> str:
    """Wrap any text in a code block with a fence longer than every run of backticks in it.

    GitHub's parser counts no further than 255 in a fence, so absurdly long runs are shortened.
    """
    shown = _RUNS_OF_BACKTICKS.sub(_bounded, visible(text))
    fence = "`" * max(_SHORTEST_FENCE, max(_run_lengths(shown), default=0) + 1)
    return f"{fence}text\n{shown}\n{fence}"


def _free_length(line: str) -> int:
    """Find the shortest run of backticks that is not in the line: only its equal ends a span.

    One longer than all would do by the standard, but GitHub's parser gives up beyond 80.
    """
    taken = set(_run_lengths(line))
    return next(length for length in range(1, len(line) + 2) if length not in taken)


def _run_lengths(text: str) -> list[int]:
    return [len(run) for run in _RUNS_OF_BACKTICKS.findall(text)]


def _bounded(run: re.Match[str]) -> str:
    extra = len(run[0]) - _LONGEST_RUN
    return run[0] if extra <= 0 else f"{run[0][:_LONGEST_RUN]}[{extra} more backticks]"
