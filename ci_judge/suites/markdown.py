"""Headings and prose of a Markdown text; the only module that imports markdown-it-py."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_EXPLICIT_ID = re.compile(r"\{#([^{}]*)\}\s*\Z")
_CLOSING_HASHES = re.compile(r"(?:^|\s)#+\s*\Z")
_UNSPACED = re.compile(r"##[^\s#]")
_FRONT_MATTER = {"---": ("---", "..."), "+++": ("+++",)}


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - suites of cases alone have no criteria

    return MarkdownIt("commonmark")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading at the top level of a document.

    ``level`` is 1 to 6, ``line`` counts from 1, ``text`` is plain (no marks, links or comments),
    ``explicit_id`` is what ``{#...}`` held, None without it. ``setext`` headings are underlined.
    ``body`` is the Markdown up to the next heading of its own level or above, comments cut.
    """

    level: int
    text: str
    explicit_id: str | None
    line: int
    setext: bool
    body: str


def headings(markdown: str) -> Iterator[Heading]:
    """Yield the top-level headings of the text, in order; front matter makes none.

    Fences, HTML comments, quotes and lists hold none, as CommonMark reads them.
    """
    text = without_front_matter(markdown)
    tokens = _parser().parse(text)
    lines = _without_comments(text.split("\n"), tokens)
    found = [index for index, token in enumerate(tokens) if _is_heading(token)]
    for place, index in enumerate(found):
        level = _level(tokens[index])
        later = (tokens[other] for other in found[place + 1 :])
        end = next((_lines(token)[0] for token in later if _level(token) <= level), len(lines))
        yield _heading(tokens, index, lines=lines, end=end)


def unclosed_block(markdown: str) -> tuple[int, str] | None:
    """Return line and kind of a code fence or comment that swallows the rest of the text."""
    text = without_front_matter(markdown)
    lines = text.split("\n")
    for token in _parser().parse(text):
        if token.level == 0 and token.type == "fence" and not _is_closed(token, lines):
            return _lines(token)[0] + 1, "code fence"
        if token.level == 0 and token.type == "html_block" and _is_open_comment(token.content):
            return _lines(token)[0] + 1, "comment"
    return None


def unspaced_headings(markdown: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of ``##Title`` in prose, which CommonMark takes for no heading."""
    tokens = _parser().parse(without_front_matter(markdown))
    for opening, inline in pairwise(tokens):
        if opening.type == "paragraph_open" and opening.level == 0:
            for number, line in enumerate(inline.content.split("\n"), start=_lines(opening)[0] + 1):
                if _UNSPACED.match(line):
                    yield number, line


def paragraphs(markdown: str) -> Iterator[str]:
    """Yield the prose of the text, one paragraph or list item at a time, without its marks.

    Headings, code blocks and HTML are left out.
    """
    for opening, inline in pairwise(_parser().parse(markdown)):
        if opening.type == "paragraph_open":
            yield _one_line(map(_piece, inline.children or ()))


def without_front_matter(markdown: str) -> str:
    r"""Blank the front matter (between ``---`` or ``+++`` lines), so that line numbers stay.

    Line ends become ``\n`` and a byte order mark is dropped. A first line that a blank line
    follows is a rule, not front matter.
    """
    text = markdown.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    closers = _FRONT_MATTER.get(lines[0].rstrip(), ())
    if not closers or not lines[1:] or not lines[1].strip():
        return text
    ends = (at for at, line in enumerate(lines) if at and line.rstrip() in closers)
    end = next(ends, -1)
    return "\n".join([""] * (end + 1) + lines[end + 1 :])


def _is_heading(token: "Token") -> bool:
    return token.type == "heading_open" and token.level == 0


def _level(token: "Token") -> int:
    return int(token.tag[1:])


def _lines(token: "Token") -> tuple[int, int]:
    """First line (from 0) and the one after the last; block tokens always have them."""
    start, end = token.map or (0, 0)
    return start, end


def _is_closed(token: "Token", lines: Sequence[str]) -> bool:
    start, end = _lines(token)
    return end - start > 1 and lines[end - 1].strip().startswith(token.markup)


def _is_open_comment(content: str) -> bool:
    return content.lstrip().startswith("<!--") and "-->" not in content


def _heading(tokens: "Sequence[Token]", index: int, *, lines: Sequence[str], end: int) -> Heading:
    token = tokens[index]
    start, after = _lines(token)
    text, explicit_id = _plain(tokens[index + 1].children or ())
    return Heading(
        level=_level(token),
        text=text,
        explicit_id=explicit_id,
        line=start + 1,
        setext=token.markup in {"-", "="},
        body="\n".join(lines[after:end]).strip("\n").rstrip(),
    )


def _plain(children: "Iterable[Token]") -> tuple[str, str | None]:
    """Return the visible text of inline tokens and the id that its last words give."""
    visible = [(child, piece) for child in children if (piece := _piece(child))]
    while visible and not visible[-1][1].strip():
        visible.pop()
    pieces = [piece for _, piece in visible]
    is_text = bool(visible) and visible[-1][0].type == "text"
    found = _EXPLICIT_ID.search(pieces[-1]) if is_text else None
    if found is None:
        return _one_line(pieces), None
    pieces[-1] = pieces[-1][: found.start()]
    return _CLOSING_HASHES.sub("", _one_line(pieces)), found.group(1).strip()


def _piece(token: "Token") -> str:
    match token.type:
        case "softbreak" | "hardbreak":
            return " "
        case "text" | "text_special" | "code_inline" | "image":
            return token.content
        case _:
            return ""


def _one_line(pieces: Iterable[str]) -> str:
    return " ".join("".join(pieces).split())


def _without_comments(lines: Sequence[str], tokens: "Iterable[Token]") -> list[str]:
    """Cut comments that stand by themselves: what an author hid is no part of a description."""
    kept = list(lines)
    for token in tokens:
        if token.type == "html_block" and token.level == 0 and "<!--" in token.content:
            start, end = _lines(token)
            visible = _COMMENT.sub("", "\n".join(lines[start:end])).strip("\n")
            kept[start:end] = [visible, *[""] * (end - start - 1)]
    return kept
