"""When the first text came, and which trace a run belongs to, as readers of reports see them."""

from typing import Any

from ci_judge.renderers.html_report import render as html
from ci_judge.renderers.junit import render as junit
from ci_judge.renderers.markdown import render as markdown
from ci_judge.renderers.phrase_marks import marked_pieces
from ci_judge.renderers.shown_runs import passages
from tests.builders import a_check, a_group, a_report, a_run, a_test

TRACE = "0af7651916cd43dd8448eb211c80319c"
WAITS = {"p50": 0.25, "p95": 0.5, "max": 0.75}


def reported(*, first_token: Any = None, **run: Any) -> Any:
    test = a_test("c/asks", passes=0, fails=1, first_token=first_token)
    return a_report(a_group(test, id="c"), runs=[a_run("c/asks", 1, "fail", **run)])


def test_the_html_tells_when_the_first_text_was_there() -> None:
    text = "".join(html(*reported(first_token=WAITS, first_token_seconds=0.4)))
    assert "answered in 0.21 s, first text after 0.40 s" in text
    assert "median 0.25 s, 95 % within 0.50 s, longest 0.75 s" in text
    assert "irst text" not in "".join(html(*reported()))


def test_a_failing_run_names_its_trace_in_every_format() -> None:
    for render in (html, markdown, junit):
        assert TRACE in "".join(render(*reported(trace_id=TRACE)))
        assert "Trace" not in "".join(render(*reported()))


def test_a_check_that_looked_elsewhere_marks_nothing_in_the_answer() -> None:
    seen = a_check(kind="contains", wanted="14 days", item=None)
    inside = a_check(kind="contains", wanted="14 days", item=None, inside="context")
    assert [piece.marked for piece in marked_pieces("14 days", [seen])] == [True]
    assert [piece.marked for piece in marked_pieces("14 days", [inside])] == [False]


def test_a_check_that_looked_elsewhere_says_so() -> None:
    check = a_check(kind="contains", wanted="refund", item=None, inside="tools", passed=False)
    run = a_run("c/asks", 1, "fail", checks=[check], reason="something else")
    told = dict(passages(a_test("c/asks", passes=0, fails=1), run))
    assert told["Check"] == 'contains "refund" in tools: found not in the response'
