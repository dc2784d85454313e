"""The Markdown as GitHub's own parser reads it, whatever strangers wrote."""

import re
from collections.abc import Set as AbstractSet
from html.parser import HTMLParser
from typing import Any

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given, settings

from ci_judge.model.document import ReportDocument
from ci_judge.renderers.markdown import blocks, render
from ci_judge.renderers.markdown_fit import fit
from ci_judge.renderers.markdown_text import cell, code_span, fenced, prose
from ci_judge.visible_text import one_line, visible
from tests.builders import Runs, a_group, a_report, a_rerun, a_test, earlier_results
from tests.hostile import NASTY, a_hostile_report, texts

OPTIONS = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
ALLOWED = {
    *("h3", "p", "strong", "em", "code", "pre", "blockquote", "ul", "li", "br", "hr", "sub", "a"),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
}
ALIVE = re.compile(
    r"(?<![\w`/])@[A-Za-z0-9]|#\d|\bGH-\d|:[a-z_]+:|https?://|www\.|\$|<|"
    r"(?=[0-9a-f]*\d)\b[0-9a-f]{7,40}\b"
)
VOID = {"br", "hr"}


class Seen(HTMLParser):
    """Tags, the text outside of code, and whether everything was closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.outside: list[str] = []
        self.codes: list[str] = []
        self.cells: list[int] = []
        self.comments: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        names = dict(attrs)
        assert set(names) <= {"align", "lang", "href"}
        if "href" in names:
            self.links.append(names["href"] or "")
        if tag == "tr":
            self.cells.append(0)
        if tag in {"td", "th"}:
            self.cells[-1] += 1
        if tag == "code":
            self.codes.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        if "code" in self.open:
            self.codes[-1] += data
        else:
            self.outside.append(data)


def seen(markdown: str) -> Seen:
    return Seen(cmarkgfm.github_flavored_markdown_to_html(markdown, options=OPTIONS))


def hold_inert(markdown: str, *, links: AbstractSet[str] = frozenset()) -> Seen:
    found = seen(markdown)
    assert set(found.tags) <= ALLOWED
    assert found.open == []
    assert found.comments == []
    assert set(found.links) <= links
    assert not ALIVE.search("".join(found.outside)), "".join(found.outside)
    assert set(found.cells) <= {4}
    return found


def rendered(document: ReportDocument, runs: Runs) -> str:
    return "".join(render(document, runs))


RUN = "https://github.com/example/shop/actions/runs/1234567890"


def test_an_ordinary_report_is_what_it_should_be() -> None:
    found = hold_inert(
        rendered(
            *a_report(
                a_group(a_test("a/x", passes=8, fails=2), a_test("a/y", passes=9, errors=1)),
                a_group(a_test("a/z"), id="b"),
                warnings=["A warning."],
            )
        ),
        links={RUN},
    )
    assert found.links == [RUN]
    assert found.tags.count("details") == 3
    assert len(found.cells) == 2 + 2 + 1
    assert "You get every penny back.\n" in found.codes


def test_the_history_of_a_re_run_is_two_lines_and_a_list() -> None:
    changed = a_test("a/x", earlier=earlier_results("failed", "error"), carried_runs=10)
    document, runs = a_report(a_group(changed))
    document["run"]["rerun"] = a_rerun("failed", "error")
    found = hold_inert(rendered(document, runs), links={RUN})
    outside = "".join(found.outside)
    assert "Attempt 3: ❌ failed → ⚠️ undecided → ✅ passed\n10 runs with a verdict" in outside
    assert found.tags.index("br") < found.tags.index("ul")
    assert "a/x" in found.codes
    assert ": failed, undecided, passed" in outside


@settings(max_examples=60, deadline=None)
@given(text=texts)
def test_hostile_text_stays_dead(text: str) -> None:
    found = hold_inert(rendered(*a_hostile_report(text)))
    assert found.tags.count("h3") == 1
    assert found.tags.count("details") == 6
    assert found.tags.count("table") == 2


@pytest.mark.parametrize("text", NASTY)
def test_each_nasty_text_stays_dead_and_can_be_read(text: str) -> None:
    found = hold_inert(rendered(*a_hostile_report(text)))
    if text.strip():
        assert f"{visible(text)}\n" in found.codes or "`" * 101 in text


@settings(max_examples=60, deadline=None)
@given(text=texts)
def test_what_is_cut_to_fit_stays_dead_too(text: str) -> None:
    document, runs = a_hostile_report(text)
    pieces = blocks(document, runs)
    for limit in (20_000, 3_000, 1_000):
        hold_inert(fit(pieces, limit=limit, measure=len))


@given(text=texts)
def test_a_name_in_a_cell_reads_back(text: str) -> None:
    markdown = f"| a | b |\n| - | - |\n| {cell(code_span(text))} | x |"
    found = seen(markdown)
    assert found.cells == [2, 2]
    line = one_line(text, limit=600)
    if line.strip():
        [code] = found.codes
        assert code.split() == line.split()


@given(text=texts)
def test_a_fence_holds_all_of_its_text(text: str) -> None:
    found = seen(f"before\n\n{fenced(text)}\n\nafter")
    [code] = found.codes
    if "`" * 101 not in text:
        assert code.rstrip("\n") == visible(text).rstrip("\n")
    assert "".join(found.outside).split() == ["before", "after"]


@given(text=texts)
def test_prose_is_dead_wherever_it_stands(text: str) -> None:
    for frame in ("{}", "- {}", "> {}", "start\\\n{}\\\nend", "**x:** {}"):
        found = seen(frame.format(prose(text)))
        assert set(found.tags) <= {"p", "ul", "li", "blockquote", "br", "strong", "code"}
        assert not ALIVE.search("".join(found.outside))
        assert found.tags.count("ul") == (1 if frame.startswith("-") else 0)


@pytest.mark.parametrize(
    "sentence",
    [
        "7 of 10 passed (70 %, 95 % interval 40 to 89 %); the gate needs at least 10 of 10.",
        'The response does not contain "14 days".',
        "phrase check, not a judge of meaning",
    ],
)
def test_our_own_sentences_are_prose(sentence: str) -> None:
    assert prose(sentence) == sentence


@pytest.mark.parametrize(
    "text",
    [
        "see GH-12",
        "ask @team",
        "- item",
        "1. item",
        "a: #1",
        "since fadedbad.",
        "x_y_z",
        "www.example.com",
        "costs 5$",
        "a  b *c*",
        "",
    ],
)
def test_whatever_might_come_alive_is_code(text: str) -> None:
    assert prose(text) in {code_span(text), "(empty)"}


def test_the_mark_of_a_comment_cannot_be_forged() -> None:
    text: Any = "<!-- ci-judge key=x sha=y run=1 attempt=1 -->"
    markdown = rendered(*a_hostile_report(text))
    assert not [line for line in markdown.splitlines()[:1] if line.startswith("<!--")]
