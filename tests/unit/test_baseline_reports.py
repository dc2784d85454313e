"""How the comparison reads in each format, and where no baseline was."""

from typing import Any, cast

import pytest

from ci_judge.model.document import BaselineEntry, ChangeEntry, ReportDocument
from ci_judge.renderers import console, html_report, markdown
from ci_judge.renderers.changes import baseline_age, baseline_line, change_counts, change_words, was
from tests.builders import Runs, a_group, a_report, a_test

SHA = "0123456789abcdef0123456789abcdef01234567"


def a_baseline(**changes: Any) -> BaselineEntry:
    entry: dict[str, Any] = {
        "source": "run.baseline: earlier.json",
        "problem": None,
        "commit": SHA,
        "url": "https://github.example/octo-org/example/actions/runs/3",
        "started": "2026-02-27T09:30:00.000Z",
        "age_seconds": 3 * 86_400.0,
        "note": None,
        "removed": [],
        "weaker": [],
        "alpha": 0.05,
        "suite": None,
        "criteria": [],
    }
    return cast("BaselineEntry", entry | changes)


def a_change(kind: str, **changes: Any) -> ChangeEntry:
    entry: dict[str, Any] = {"kind": kind, "let_off": False, "result": "passed"}
    entry |= {"passes": 10, "judged": 10, "reasons": [], "waiver": None}
    entry |= {"difference": None}
    return cast("ChangeEntry", entry | changes)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (None, ""),
        (a_change("newly_failing"), "newly failing, was 10 of 10"),
        (a_change("newly_undecided"), "newly undecided, was 10 of 10"),
        (a_change("newly_passing", passes=2), "newly passing, was 2 of 10"),
        (a_change("newly_passing", passes=8), "newly passing"),
        (a_change("worse_within_noise"), "lower, within noise, was 10 of 10"),
        (a_change("higher", passes=1_000, judged=2_000), "was 1,000 of 2,000"),
        (a_change("unchanged", passes=16, judged=20), ""),
        (a_change("only_by_gate", passes=4, judged=4), ""),
        (a_change("added", passes=None, judged=None, result=None), "not in the baseline"),
        (
            a_change("not_comparable", reasons=["its gate changed", "another target"]),
            "not comparable with the baseline: its gate changed; another target, was 10 of 10",
        ),
    ],
)
def test_what_is_said_of_a_test(change: ChangeEntry | None, words: str) -> None:
    assert change_words(a_test(passes=8, fails=2, change=change)) == words


def test_what_it_was_is_said_where_it_was_another() -> None:
    assert was(a_test(passes=8, fails=2, change=a_change("lower"))) == "was 10 of 10"
    assert was(a_test(change=a_change("unchanged"))) == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "of unknown age"),
        (0.0, "of the same minute"),
        (59.0, "of the same minute"),
        (60.0, "1 minute older"),
        (7_300.0, "2 hours older"),
        (86_400.0, "1 day older"),
        (-90_000.0, "1 day newer"),
    ],
)
def test_the_age(seconds: float | None, words: str) -> None:
    assert baseline_age(a_baseline(age_seconds=seconds)) == words


def a_compared_report(**changes: Any) -> tuple[ReportDocument, Runs]:
    tests = (
        a_test("g/a", passes=8, fails=2, change=a_change("newly_failing")),
        a_test("g/b", change=a_change("unchanged")),
        a_test("g/c", change=a_change("added", passes=None, judged=None, result=None)),
    )
    removed = [{"id": "g/gone", "name": "Gone", "result": "passed"}]
    baseline = a_baseline(**({"removed": removed} | changes))
    return a_report(a_group(*tests), baseline=baseline)


def test_every_format_says_what_it_was_compared_with_and_what_came_of_it() -> None:
    document, runs = a_compared_report()
    counts = "1 newly failing, 1 added, 1 removed"
    assert change_counts(document) == counts
    lines = "".join(console.render(document, runs))
    page = "".join(html_report.render(document, runs))
    text = "".join(markdown.render(document, runs))
    for shown in (lines, page):
        assert f"Compared with commit {SHA[:10]}, 3 days older: {counts}" in shown
    link = f"[`{SHA[:10]}`](https://github.example/octo-org/example/actions/runs/3)"
    assert f"Compared with {link}, 3 days older: **{counts}**" in text
    for shown in (lines, page, text):
        assert "newly failing, was 10 of 10" in shown
        assert "g/gone" in shown
        assert "significant" not in shown
    assert "| 8 of 10 (was 10 of 10) |" in text
    assert "- newly failing: `A`\n- added: `C`\n- removed: `g/gone`\n" in text
    assert 'Newly failing: <a href="#test-g-a">A</a>' in page
    assert 'Added: <a href="#test-g-c">C</a>' in page


def test_where_there_was_none_every_format_says_why() -> None:
    document, runs = a_report(a_group(a_test()), baseline=a_baseline(problem="it has expired"))
    assert baseline_line(document) == "Not compared with a baseline: it has expired"
    for render in (console.render, html_report.render, markdown.render):
        assert "Not compared with a baseline: it has expired" in "".join(render(document, runs))


def test_without_a_comparison_no_format_speaks_of_one() -> None:
    document, runs = a_report(a_group(a_test()))
    for render in (console.render, html_report.render, markdown.render):
        shown = "".join(render(document, runs))
        assert "ompared with" not in shown
        assert "the baseline" not in shown


def test_a_note_says_what_could_not_be_compared() -> None:
    document, _ = a_compared_report(note="only a part of the suite ran", removed=[])
    assert baseline_line(document).endswith("1 added (only a part of the suite ran)")


def test_a_baseline_without_a_commit_is_named_by_its_time() -> None:
    document, runs = a_compared_report(commit=None)
    assert "the report of 2026-02-27" in baseline_line(document)
    assert "report of 2026-02-27" in "".join(markdown.render(document, runs))


def test_a_run_that_fails_for_what_is_gone_says_so_first() -> None:
    document, runs = a_report(
        a_group(a_test()), status="failed", exit_code=1, baseline=a_baseline()
    )
    document["summary"]["regressions"] = 2
    said = "2 tests of the baseline gone; The only test passed"
    for render in (console.render, html_report.render, markdown.render):
        assert said in "".join(render(document, runs))


def test_many_removed_tests_are_counted() -> None:
    removed = [{"id": f"g/{number}", "name": "x", "result": "passed"} for number in range(25)]
    document, runs = a_compared_report(removed=removed)
    assert "and 5 more" in "".join(console.render(document, runs))
    assert "and 5 more" in "".join(markdown.render(document, runs))
    assert "and 5 more tests" in "".join(html_report.render(document, runs))


def test_what_stopped_early_is_not_passed_over_in_silence() -> None:
    stopped = a_test(change=a_change("only_by_gate"))
    document, _ = a_report(a_group(stopped), baseline=a_baseline())
    assert change_counts(document) == "1 compared by the gate alone"
