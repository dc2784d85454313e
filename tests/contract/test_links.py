"""Links in the repository's Markdown lead somewhere: files and headings exist."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.documents import DOCS, ROOT, anchors_of, documents, links_of


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    wrong = [problem for link in links_of(path) if (problem := problem_of(link, path, ROOT))]
    assert wrong == []


def problem_of(link: str, page: Path, root: Path) -> str | None:
    parts = urlsplit(link)
    if parts.scheme or link.startswith("//"):
        whole = parts.scheme in {"https", "mailto"} and (parts.netloc or parts.path)
        return None if whole and " " not in link else f"{link}: no whole https address"
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.exists():
        return f"{link}: there is no such file"
    if not target.is_relative_to(root):
        return f"{link}: leads out of the repository"
    if parts.fragment and parts.fragment not in anchors_of(target):
        return f"{link}: there is no such heading"
    return None


@pytest.mark.parametrize(
    ("link", "right"),
    [
        ("a.md", True),
        ("a.md#a-heading-with-code-and-signs", True),
        ("#here", True),
        ("a.md#here", False),
        ("b.md", False),
        ("http://example.com", False),
        ("https://example.com/x#y", True),
        ("https://", False),
    ],
)
def test_a_link_that_leads_nowhere_would_be_noticed(
    link: str,
    tmp_path: Path,
    *,
    right: bool,
) -> None:
    (tmp_path / "a.md").write_text("# A heading with `code`, and signs!\n")
    page = tmp_path / "page.md"
    page.write_text("## Here\n")
    assert (problem_of(link, page, tmp_path) is None) is right


def test_the_documentation_is_found() -> None:
    names = {str(path.relative_to(ROOT)) for path in documents()}
    assert {"README.md", "docs/tutorial.md", "docs/how-to/shards.md", "tests/README.md"} <= names


def test_the_table_of_contents_names_every_page() -> None:
    contents = DOCS / "README.md"
    named = {(DOCS / unquote(urlsplit(link).path)).resolve() for link in links_of(contents)}
    pages = {path for path in documents() if path.is_relative_to(DOCS)}
    decisions = {path for path in pages if path.parent.name == "decisions"}
    assert pages - decisions - {contents} <= named
