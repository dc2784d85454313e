"""Captured context and tool calls as readers of each format see them."""

from typing import Any

from ci_judge.renderers.html_report import render as html
from ci_judge.renderers.junit import render as junit
from ci_judge.renderers.markdown import render as markdown
from tests.builders import a_group, a_report, a_run, a_test

CAPTURED = [
    {"turn": 1, "context": "from <terms.md>", "tools": None},
    {"turn": 2, "context": None, "tools": [{"name": "find_order"}]},
]


def reported(captured: Any) -> Any:
    test = a_test("c/asks", passes=0, fails=1)
    return a_report(a_group(test, id="c"), runs=[a_run("c/asks", 1, "fail", captured=captured)])


def test_the_html_folds_it_away_beside_the_transcript() -> None:
    text = "".join(html(*reported(CAPTURED)))
    before, opened, rest = text.partition('<details class="captured">')
    assert opened
    assert '<div class="talk">' in before
    folded = rest.partition("</details>")[0]
    assert "Captured context, turn 1" in folded
    assert "from &lt;terms.md&gt;" in folded
    assert "Captured tool calls, turn 2" in folded
    assert "find_order" in folded
    assert "Captured context, turn 2" not in folded
    assert '<details class="captured"' not in "".join(html(*reported([])))


def test_texts_tell_it_shortened_behind_what_was_said() -> None:
    long = [{"turn": 1, "context": "begin" + "x" * 5_000 + "end", "tools": None}]
    for render in (markdown, junit):
        text = "".join(render(*reported(CAPTURED)))
        assert text.index("Assistant") < text.index("Captured context, turn 1")
        assert text.index("find_order") > text.index("Captured tool calls, turn 2")
        cut = "".join(render(*reported(long)))
        assert "begin" in cut
        assert "4008 characters left out" in cut
        assert "Captured" not in "".join(render(*reported([])))
