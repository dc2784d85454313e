"""The repository's Markdown as the tests read it: its fenced blocks, links and headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
_COMMENT = re.compile(r"<!--\s*(.*?)\s*-->\s*", re.DOTALL)
_ELSEWHERE = {".git", "node_modules", ".venv", "ci-judge-report"}
_MARKDOWN = MarkdownIt("commonmark").enable("table")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block. ``mark`` is the text of the HTML comment right before it, else empty."""

    file: str
    line: int
    language: str
    text: str
    mark: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def documents() -> list[Path]:
    """List every Markdown file of the repository."""
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*.md"))
    return sorted(
        ROOT / path
        for path in found
        if not _ELSEWHERE & set(path.parts) and not path.parts[0].startswith(".")
    )


def pages() -> list[Path]:
    """List the pages of the documentation, decisions included."""
    return [path for path in documents() if path.is_relative_to(DOCS)]


def blocks_of(path: Path) -> Iterator[Block]:
    """Give the fenced blocks of a file in their order."""
    mark = ""
    for token in _MARKDOWN.parse(path.read_text(encoding="utf-8")):
        if token.type == "fence":
            line = token.map[0] + 1 if token.map else 0
            yield Block(
                file=str(path.relative_to(ROOT)),
                line=line,
                language=token.info.split(" ")[0],
                text=token.content,
                mark=mark,
            )
        if token.type not in {"list_item_open", "bullet_list_open", "ordered_list_open"}:
            found = _COMMENT.fullmatch(token.content) if token.type == "html_block" else None
            mark = found[1] if found else ""


def links_of(path: Path) -> Iterator[str]:
    """Give where the links and images of a file lead, those in HTML too."""
    for token in _MARKDOWN.parse(path.read_text(encoding="utf-8")):
        for inner in (token, *(token.children or ())):
            if inner.type in {"link_open", "image"}:
                yield str(inner.attrs.get("href") or inner.attrs.get("src"))
            if inner.type in {"html_block", "html_inline"}:
                yield from _LinksInHtml.found_in(inner.content)


def anchors_of(path: Path) -> set[str]:
    """Give the ids of a file's headings, as GitHub makes them."""
    tokens = _MARKDOWN.parse(path.read_text(encoding="utf-8"))
    taken: set[str] = set()
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(each.content for each in inline.children or ())
            slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            taken.add(_free(slug, taken))
    return taken


def _free(slug: str, taken: set[str]) -> str:
    if slug not in taken:
        return slug
    return next(name for n in range(1, 1_000) if (name := f"{slug}-{n}") not in taken)


class _LinksInHtml(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.links += [text for name, text in attrs if name in {"href", "src", "srcset"} and text]

    @classmethod
    def found_in(cls, html: str) -> list[str]:
        parser = cls()
        parser.feed(html)
        return parser.links
