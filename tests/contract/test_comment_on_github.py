"""A whole comment, marker and report, as GitHub's own parser reads it."""

import pytest
from hypothesis import given, settings

from ci_judge.renderers.markdown import blocks
from ci_judge.renderers.markdown_fit import fit
from ci_judge.sinks.comment import LARGEST_UNITS
from ci_judge.sinks.comment_origin import Origin, origin_of
from ci_judge.sinks.fitting import fitted, utf8_bytes, utf16_units
from ci_judge.sinks.step_summary import LARGEST_BYTES
from tests.builders import a_group, a_report, a_test
from tests.contract.test_markdown_on_github import ALIVE, ALLOWED, Seen, hold_inert, seen
from tests.hostile import NASTY, a_hostile_report, texts


def whole_comment(text: str, limit: int = LARGEST_UNITS) -> str:
    """Put a comment together as the sink does, with this text wherever a stranger's could be."""
    name = text[:100]
    origin = Origin(key=name, sha=name, run=name, attempt=name)
    document, runs = a_hostile_report(text)
    pieces = blocks(document, runs)
    head = f"{origin.marker}\n"
    room = limit - utf16_units(head)
    body = fitted(lambda most: fit(pieces, limit=most, measure=utf16_units), room, utf16_units)
    assert origin_of(head + body) == origin
    return head + body


def hold_marked(markdown: str) -> Seen:
    found = seen(markdown)
    assert len(found.comments) == 1
    assert found.comments[0].startswith(" ci-judge key=")
    assert set(found.tags) <= ALLOWED
    assert found.open == []
    assert found.links == []
    assert not ALIVE.search("".join(found.outside))
    return found


@pytest.mark.parametrize("text", NASTY)
def test_nothing_comes_alive_behind_the_marker(text: str) -> None:
    found = hold_marked(whole_comment(text))
    before = found.tags[: found.tags.index("h3")]
    assert set(before) <= _OF_WEAKER_RULES, "the verdict comes first, but for weaker rules"
    assert found.tags.count("h3") == 1


_OF_WEAKER_RULES = {"blockquote", "p", "strong", "code"}


@settings(max_examples=40, deadline=None)
@given(text=texts)
def test_nothing_comes_alive_in_a_short_one_either(text: str) -> None:
    for limit in (20_000, 6_000):
        comment = whole_comment(text, limit)
        assert utf16_units(comment) <= limit
        hold_marked(comment)


@pytest.mark.parametrize("letter", ["x", "é", "漢", "😀", "@octo-user ", "`"])
def test_a_report_of_any_size_is_cut_at_whole_blocks_and_says_what_is_missing(letter: str) -> None:
    text = letter * (600 // len(letter))
    tests = [
        a_test(f"big/{number}", name=f"{number} {text}", passes=1, fails=9) for number in range(900)
    ]
    pieces = blocks(*a_report(a_group(*tests)))
    for limit, measure in ((LARGEST_UNITS, utf16_units), (LARGEST_BYTES, utf8_bytes)):
        made = fitted(lambda most, m=measure: fit(pieces, limit=most, measure=m), limit, measure)  # type: ignore[misc]  # bound now
        assert measure(made) <= limit
        assert "Shortened to fit here" in made
        assert "**900 failed**" in made
        hold_inert(made, links={"https://github.com/example/shop/actions/runs/1234567890"})
