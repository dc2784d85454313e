"""How reports show a test that stopped as soon as it was decided: counts, no rate, no dot."""

import json
from typing import Any
from xml.etree import ElementTree as ET

from ci_judge.model import document as entries
from ci_judge.model.judging import Outcome
from ci_judge.model.results import Tally, TestResult
from ci_judge.model.suite import GateKind
from ci_judge.renderers.forest_plot import plot_row
from ci_judge.renderers.next_steps import next_step
from ci_judge.renderers.progress import result_line
from ci_judge.renderers.registry import renderer
from ci_judge.renderers.report_schema import validate_report
from ci_judge.renderers.stopped_tests import passes_of, stop_words
from ci_judge.rules.gates import decide
from tests.builders import Runs, a_group, a_report, a_run, a_test
from tests.model_builders import a_rule, a_scenario


def a_stopped_test(**changes: Any) -> entries.TestEntry:
    """3 passes and a fail of 10 planned runs; one later run was under way by then."""
    test = a_test("refunds/asks", passes=3, fails=1)
    gate = {
        **test["gate"],
        "early_stop": True,
        "anytime": True,
        "needs": "at least 10 of 10",
        "sentence": "stopped after 4 of 10: lost, with 3 passed and 1 failed.",
        "more_runs": None,
    }
    stopped: dict[str, Any] = {
        "planned": 10,
        "made": 5,
        "stopped": True,
        "stopped_after": 4,
        "not_needed": 5,
        "uncounted": 1,
        "rate": None,
        "interval": [0.1429, 0.9975],
        "gate": gate,
    }
    return a_test("refunds/asks", passes=3, fails=1, **{**stopped, **changes})


def adaptive(**changes: Any) -> entries.TestEntry:
    test = a_stopped_test(**changes)
    test["gate"]["kind"] = "adaptive"
    test["gate"]["min_runs"] = 2
    return test


def shown(test: entries.TestEntry, form: str) -> str:
    document, _ = a_report(a_group(test, id="refunds"))
    outcomes: tuple[Outcome, ...] = ("pass", "pass", "fail", "pass", "fail")
    runs = Runs({test["id"]: [a_run(test["id"], n, o) for n, o in enumerate(outcomes, start=1)]})
    return "".join(renderer(form).render(document, runs))


def test_the_words_say_where_it_stopped_and_how_it_ended() -> None:
    assert stop_words(a_stopped_test()) == "stopped after 4 of 10: lost"
    assert stop_words(adaptive()) == "stopped after 4 of up to 10: lost"
    won = a_stopped_test()
    won["gate"]["decision"] = "met"
    assert stop_words(won) == "stopped after 4 of 10: won"
    won["gate"]["decision"] = "undecided"
    assert stop_words(won) == "stopped after 4 of 10: not decided"
    assert stop_words(a_test()) == ""
    assert (passes_of(a_stopped_test()), passes_of(a_test())) == ("3 of 4", "10 of 10")


def test_the_console_shows_counts_and_interval_and_what_was_saved() -> None:
    text = shown(a_stopped_test(), "console")
    assert (
        "✗ Asks  3 of 4, stopped after 4 of 10: lost (interval 14.3 to 99.8 %), needs at least"
        in text
    )
    assert "without a verdict" not in text
    assert "5 of 10 runs, 5 runs not needed" in text


def test_markdown_has_a_bar_without_a_rate() -> None:
    text = shown(a_stopped_test(), "markdown")
    (row,) = [line for line in text.splitlines() if line.startswith("| ❌")]
    assert "| 3 of 4 | `···├" in row
    assert "` stopped after 4 of 10: lost (14.3 to 99.8 %) |" in row
    assert "●" not in row
    assert "5 runs not needed" in text
    assert "without a rate, which would mislead" in text


def test_html_marks_the_test_and_the_run_that_does_not_count() -> None:
    text = shown(a_stopped_test(), "html")
    assert "<span>stopped after 4 of 10: lost</span>" in text
    assert 'aria-label="Run 5: failed, not counted"' in text
    assert "Run 5 failed, not counted</h5>" in text
    assert "Run 3 failed</h5>" in text
    assert 'class="fail uncounted"' in text
    assert "Runs not needed" in text


def test_the_plot_has_a_band_and_no_dot() -> None:
    row = plot_row(a_stopped_test(), group="Refunds")
    assert (row.low, row.rate, row.percent, row.counts) == ("14.29%", None, "n/a", "3 of 4")
    assert row.may_stop
    assert row.words == (
        "failed: stopped after 4 of 10: lost, interval 14.3 to 99.8 %, threshold 70 %"
    )


def test_junit_says_where_it_stopped_and_no_rate() -> None:
    (case,) = ET.fromstring(shown(a_stopped_test(), "junit").encode()).iter("testcase")  # noqa: S314 - our own
    facts = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert (facts["stopped_after"], facts["runs"], facts["passes"]) == ("4", "10", "3")
    assert "rate" not in facts


def test_json_keeps_every_run_that_was_made() -> None:
    report = json.loads(shown(a_stopped_test(), "json"))
    assert validate_report(report) == ()
    (test,) = report["groups"][0]["tests"]
    assert len(test["runs"]) == test["made"] == 5
    assert report["summary"]["saved_by_early_stop"] == 5


def test_no_number_of_runs_is_advised_from_a_rate_that_misleads() -> None:
    assert "lower the threshold." in next_step(a_stopped_test())
    assert "set runs" not in next_step(a_stopped_test())


def test_a_test_that_needed_all_its_runs_shows_the_interval_alone() -> None:
    test = a_stopped_test(
        stopped=False, stopped_after=None, not_needed=0, uncounted=0, planned=4, made=4
    )
    assert "✗ Asks  3 of 4, interval 14.3 to 99.8 %, needs" in shown(test, "console")
    assert "no rate (14.3 to 99.8 %)" in shown(test, "markdown")


def test_the_line_of_a_finished_test_says_that_it_stopped() -> None:
    tally = Tally(planned=10, passes=3, fails=1, not_needed=6)
    rule = a_rule(early_stop=True, kind=GateKind.LOWER_BOUND)
    result = TestResult(
        test=a_scenario(gate=rule),
        tally=tally,
        gate=decide(rule, tally),
        latency=None,
        duration_seconds=1.0,
    )
    assert result_line(result) == "✗ refunds/asks  3 of 4, stopped after 4 of 10, failed"
