"""Acceptance files: which headings are criteria, their ids and their text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.errors import InvalidInput
from ci_judge.suites.criteria import (
    SLUG_LIMIT_CHARS,
    criteria_doubts,
    doubtful_headings,
    load_criteria,
    parse_criteria,
    slug,
)


def ids(text: str) -> list[str]:
    return [criterion.id for criterion in parse_criteria(text, file="acceptance.md")]


def problems(text: str) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        parse_criteria(text, file="acceptance.md")
    return [str(problem) for problem in caught.value.problems]


def test_a_criterion_is_a_level_two_heading_with_the_text_up_to_the_next() -> None:
    text = "# Shop\n\nIntro.\n\n## Refund policy\n\nFirst.\n\n### Detail\nSecond.\n\n## Delivery\n"
    first, second = parse_criteria(text, file="docs/acceptance.md")
    assert (first.id, first.title) == ("refund-policy", "Refund policy")
    assert first.description == "First.\n\n### Detail\nSecond."
    assert str(first.place) == "docs/acceptance.md:5"
    assert (second.id, second.description, second.place.line) == ("delivery", "", 12)


def test_a_level_one_heading_ends_a_criterion_and_is_none() -> None:
    (criterion,) = parse_criteria("## One\nText.\n\n# Part two\nOther.\n", file="a.md")
    assert criterion.description == "Text."


@pytest.mark.parametrize(
    "block",
    [
        "```sh\n## no\n```",
        "````\n```\n## no\n```\n## no\n````",
        "~~~\n## no\n```\n## no\n~~~",
        "    ## no",
        "- item\n\n  ```\n  ## no\n  ```",
        "- ## no",
        "> ## no",
        "<!--\n## no\n-->",
        "<!-- note\n-----\n-->",
        "<!-- a --> ## no",
        "##no",
        "### no",
        "\\## no",
    ],
)
def test_what_is_no_heading_of_the_document_is_no_criterion(block: str) -> None:
    assert ids(f"## Before\n\n{block}\n\n## After\n") == ["before", "after"]


def test_fenced_examples_stay_in_the_description() -> None:
    (criterion,) = parse_criteria("## One\n```\n## example\n```\n", file="a.md")
    assert criterion.description == "```\n## example\n```"


def test_comments_do_not_reach_the_description() -> None:
    text = "## One\nSeen.\n\n<!-- draft\n## Hidden\nnot agreed -->\n\nSeen too. `<!--` is code.\n"
    (criterion,) = parse_criteria(text, file="a.md")
    assert "draft" not in criterion.description
    assert "not agreed" not in criterion.description
    assert criterion.description.startswith("Seen.")
    assert criterion.description.endswith("`<!--` is code.")


def test_a_comment_opened_in_code_hides_nothing() -> None:
    assert ids("## A\nWrite `<!--` here.\n\n```html\n<!-- open\n```\n\n## B\n") == ["a", "b"]


@pytest.mark.parametrize(
    ("heading", "title", "identifier"),
    [
        ("## Closed ##", "Closed", "closed"),
        ("##\tTab", "Tab", "tab"),
        ("   ## Three spaces", "Three spaces", "three-spaces"),
        (
            "## With `code`, [link](https://x.test/y) and *stress*",
            None,
            "with-code-link-and-stress",
        ),
        ("## Ends with \\#", "Ends with #", "ends-with"),
        ("## Important <!-- TODO: review -->", "Important", "important"),
        ("Underlined\n----------", "Underlined", "underlined"),
        ("Over two\nlines\n---", "Over two lines", "over-two-lines"),
        ("## Named {#my-id}", "Named", "my-id"),
        ("## Named {#my-id} ##", "Named", "my-id"),
        ("## Named ## {#my-id}", "Named", "my-id"),
        ("## Named {#my-id} <!-- note -->", "Named", "my-id"),
        ("## Code `{#not-an-id}`", "Code {#not-an-id}", "code-not-an-id"),
        ("## Q&amp;A", "Q&A", "q-a"),
    ],
)
def test_titles_and_ids(heading: str, title: str | None, identifier: str) -> None:
    (criterion,) = parse_criteria(f"{heading}\n\nText.\n", file="a.md")
    assert criterion.id == identifier
    assert title is None or criterion.title == title
    assert criterion.description == "Text."


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("返金ポリシー", "返金ポリシー"),
        ("Über uns", "über-uns"),
        ("Cafe\u0301 hours", "café-hours"),
        ("ＦＡＱ １", "faq-1"),  # noqa: RUF001 - full-width letters on purpose
        ("हिन्दी नीति", "हिन्दी-नीति"),
        ("🎉", "🎉"),
        ("❤️ care", "❤-care"),
        ("Don't ask", "dont-ask"),
        ("../../etc/passwd", "etc-passwd"),
        ("...", ""),
    ],
)
def test_slugs_keep_every_script(title: str, expected: str) -> None:
    assert slug(title) == expected


@given(st.text(max_size=200))
def test_a_slug_is_short_stable_and_safe_as_a_file_name(title: str) -> None:
    made = slug(title)
    assert len(made) <= SLUG_LIMIT_CHARS
    assert len(made.encode()) + len(".yaml") <= 255
    assert slug(made) == made
    assert not set(made) & set("/\\.:\0 \n")
    assert not made.startswith("-")


def test_every_repeated_id_names_both_lines() -> None:
    text = "## Setup\n\n## Setup\n\n## Setup 1\n\n## A {#same}\n\n## B {#same}\n"
    first, second = problems(text)
    assert 'the id "setup": acceptance.md:1 and acceptance.md:3' in first
    assert 'the id "same": acceptance.md:7 and acceptance.md:9' in second


def test_every_unfit_heading_is_named_with_its_line() -> None:
    text = "## \n\n## ...\n\n## A {#}\n\n## B {#a/b}\n\n## C {#two words}\n\n## D {#.hidden}\n"
    lines = [problem.split(": ")[0] for problem in problems(text)]
    assert lines == [f"acceptance.md:{number}" for number in (1, 3, 5, 7, 9, 11)]


@pytest.mark.parametrize(
    "matter", ["---\ntitle: Shop\nowner: a\n---\n", "+++\ntitle = 1\n+++\n", "---\na: b\n...\n"]
)
def test_front_matter_makes_no_criterion_and_keeps_line_numbers(matter: str) -> None:
    (criterion,) = parse_criteria(f"{matter}\n## Refunds\n", file="a.md")
    assert criterion.id == "refunds"
    assert criterion.place.line == matter.count("\n") + 2


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert ids("---\n\n## One\n\n---\n\n## Two\n") == ["one", "two"]


def test_byte_order_mark_and_windows_line_ends_change_nothing() -> None:
    plain = "## One\n\nFirst.\n\n## Two\n\nSecond.\n"
    windows = "\ufeff" + plain.replace("\n", "\r\n")
    assert parse_criteria(windows, file="a.md") == parse_criteria(plain, file="a.md")


def test_doubtful_headings_are_pointed_out() -> None:
    text = "## One\n\n##Nospace\n\n912\n---\nx\n\n```\n##fenced\n```\n\n```\n## swallowed\n"
    doubts = [str(doubt) for doubt in doubtful_headings(text, file="a.md")]
    assert [doubt.split(": ")[0] for doubt in doubts] == ["a.md:3", "a.md:5", "a.md:13"]
    (comment,) = doubtful_headings("## One\n\n<!-- open\n## gone\n", file="a.md")
    assert "comment is never closed" in comment.message
    assert doubtful_headings("## One\n\n```\nok\n```\n\n<!-- ok -->\n", file="a.md") == ()


def test_several_files_share_one_set_of_ids(tmp_path: Path) -> None:
    one, two = tmp_path / "one.md", tmp_path / "sub" / "two.md"
    two.parent.mkdir()
    one.write_text("## Refunds\n", encoding="utf-8")
    two.write_text("# Only a title\n\n## Refunds\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"one\.md:1 and sub/two\.md:3"):
        load_criteria([one, two], root=tmp_path)
    two.write_text("## Delivery\n\n##Nospace\n", encoding="utf-8")
    loaded = load_criteria([one, two], root=tmp_path)
    assert [criterion.id for criterion in loaded] == ["refunds", "delivery"]
    (doubt,) = criteria_doubts([one, two], root=tmp_path)
    assert doubt.startswith("sub/two.md:3: ")


def test_the_problems_of_all_files_come_at_once(tmp_path: Path) -> None:
    empty, faulty = tmp_path / "empty.md", tmp_path / "faulty.md"
    empty.write_text("# Only a title\n", encoding="utf-8")
    faulty.write_text("## ...\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        load_criteria([empty, tmp_path / "absent.md", faulty], root=tmp_path)
    files = [str(problem.place) for problem in caught.value.problems]
    assert files == ["empty.md:1", "absent.md", "faulty.md:1"]
