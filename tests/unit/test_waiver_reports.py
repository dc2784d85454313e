"""Waived tests in every report: shown apart, with reason, owner and last day, never as passed."""

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from ci_judge.model.document import ReportDocument
from ci_judge.model.document import TestEntry as Entry
from ci_judge.renderers import console, html_report, junit, markdown
from ci_judge.renderers.changes import named_changes
from ci_judge.renderers.next_steps import next_step
from ci_judge.renderers.wording import verdict
from ci_judge.sinks.outputs import Published, outputs_of
from tests.builders import Runs, a_group, a_report, a_test
from tests.unit.test_annotations import annotate
from tests.unit.test_comparing import a_baseline, by_id, held, kinds

WAIVER = {
    "reason": "The vendor mends it",
    "owner": "Ann",
    "expires": "2026-03-31",
    "file": "waivers.yaml",
    "line": 1,
}
TOLD = "waived until 2026-03-31 by Ann: The vendor mends it"


def a_waived_test(name: str = "refund-policy/asks", **changes: Any) -> Entry:
    values: dict[str, Any] = {"passes": 7, "fails": 3, "result": "waived", "waiver": WAIVER}
    return a_test(name, **(values | changes))


def a_waived_report(*others: Entry) -> tuple[ReportDocument, Runs]:
    return a_report(a_group(a_waived_test(), *others), status="passed", exit_code=0)


def html(document: ReportDocument, runs: Runs) -> str:
    return "".join(html_report.render(document, runs))


def test_the_verdict_counts_what_is_waived() -> None:
    document, _ = a_waived_report(a_test("g/a"), a_test("g/b"))
    assert verdict(document) == "2 of 3 tests passed, 1 waived"
    document, _ = a_waived_report()
    assert verdict(document) == "0 of 1 test passed, 1 waived"
    document, _ = a_report(a_group(a_waived_test(), a_test("g/b", passes=0, fails=9)))
    assert verdict(document) == "1 of 2 tests failed, 1 waived"
    advisory = a_test("g/c", passes=0, fails=9, advisory=True)
    document, _ = a_report(
        a_group(a_waived_test(), a_test("g/b"), advisory), status="passed", exit_code=0
    )
    assert verdict(document) == "1 test passed, 1 waived, 1 advisory test did not"


def test_the_console_says_why_by_whom_and_until_when() -> None:
    document, runs = a_waived_report(a_test("g/a"))
    text = "".join(console.render(document, runs))
    assert "~ Asks  7 of 10, 70 %" in text
    assert f"    waiver: {TOLD}\n" in text
    assert "next: mend it before 2026-03-31 is over: then it counts again." in text
    assert "1 passed, 1 waived, " in text
    assert "✓ 1 of 2 tests passed, 1 waived" in text


def test_markdown_shows_them_apart_and_their_story() -> None:
    document, runs = a_waived_report(a_test("g/a"))
    text = "".join(markdown.render(document, runs))
    assert "**Waived:** 1 test failed, and may for a while (waivers.yaml)" in text
    assert f"- `Asks`: `{TOLD}`" in text
    assert "**1 waived**" in text
    assert "| 🩹 `Asks` |" in text
    assert "<details><summary>1 passed</summary>" in text


def test_html_has_a_notice_a_tile_and_a_filter() -> None:
    page = html(*a_waived_report(a_test("g/a")))
    assert f": {TOLD}</li>" in page
    assert "<dt>Waived</dt><dd>1</dd>" in page
    assert 'id="show-waived"' in page
    assert f"<span>Waiver: {TOLD}.</span>" in page
    assert '<details class="test card waived" open>' in page


def test_junit_skips_them_with_the_reason() -> None:
    document, runs = a_waived_report(a_test("g/a"))
    root = ET.fromstring("".join(junit.render(document, runs)).encode())  # noqa: S314 - our own
    assert (root.get("skipped"), root.get("failures")) == ("1", "0")
    (skipped,) = root.iter("skipped")
    assert str(skipped.get("message")).startswith(f"{TOLD}; ")
    (waiver,) = (each for each in root.iter("property") if each.get("name") == "waiver")
    assert waiver.get("value") == TOLD


def test_a_waiver_that_was_not_needed_stays_in_sight() -> None:
    document, runs = a_report(a_group(a_test(waiver=WAIVER)))
    told = "its waiver was not needed (until 2026-03-31 by Ann: The vendor mends it)"
    assert told in "".join(markdown.render(document, runs))
    assert told in html(document, runs)
    error = a_test(errors=1, waiver=WAIVER)
    document, runs = a_report(a_group(error))
    assert "its waiver does not cover this" in "".join(console.render(document, runs))


def test_an_advisory_test_stays_advisory() -> None:
    document, runs = a_report(a_group(a_waived_test(advisory=True), a_test("g/a")))
    assert "! Asks" in "".join(console.render(document, runs))
    assert document["summary"]["waived"] == 0


def test_the_outputs_count_them() -> None:
    document, _ = a_waived_report(a_test("g/a"))
    outputs = outputs_of(document, Published())
    assert (outputs["waived"], outputs["failed"], outputs["status"]) == ("1", "0", "passed")


# --- against a baseline ----------------------------------------------------------------------


def _held(now: Entry, was: Entry, **changes: Any) -> ReportDocument:
    document, _ = a_report(a_group(now), **changes)
    return held(document, a_baseline(was), fail_on="regression")


@pytest.mark.parametrize(
    ("was", "kind"),
    [
        (a_test(), "newly_failing"),
        (a_test(passes=7, fails=3), "unchanged"),
        (a_test(passes=9, fails=1), "worse_within_noise"),
        (a_waived_test(), "unchanged"),
    ],
)
def test_the_failure_that_is_waived_is_no_regression_but_a_new_waiver_is(
    was: Entry, kind: str
) -> None:
    document = _held(a_waived_test(), was, status="passed", exit_code=0)
    assert kinds(document) == {was["id"]: kind}
    new = int(was["waiver"] is None)
    assert (document["exit_code"], document["summary"]["regressions"]) == (new, new)
    weaker = [words for words, _ in named_changes(document) if "weaker" in words]
    assert weaker == ([] if was["waiver"] else ["weaker rule, newly waived"])


def test_a_waiver_that_ended_is_a_regression() -> None:
    document = _held(a_test(passes=7, fails=3), a_waived_test())
    assert kinds(document) == {"refund-policy/asks": "newly_failing"}
    assert (document["exit_code"], document["summary"]["regressions"]) == (1, 1)
    assert by_id(document)["refund-policy/asks"]["change"] is not None
    assert ("no longer waived", ["refund-policy/asks"]) in [
        (words, [test["id"] for test in tests]) for words, tests in named_changes(document)
    ]


@pytest.mark.parametrize("term", ["reason", "owner", "expires"])
def test_a_renewed_waiver_is_told(term: str) -> None:
    renewed = a_waived_test(waiver={**WAIVER, term: "2026-04-30"})
    document = _held(renewed, a_waived_test(), status="passed", exit_code=0)
    assert [words for words, _ in named_changes(document)] == [
        "weaker rule, waiver renewed or changed"
    ]
    moved = a_waived_test(waiver={**WAIVER, "line": 7})
    document = _held(moved, a_waived_test(), status="passed", exit_code=0)
    assert named_changes(document) == []


def test_a_new_waiver_of_a_test_that_passes_or_is_new_is_told_too() -> None:
    document = _held(a_test(waiver=WAIVER), a_test())
    assert [words for words, _ in named_changes(document)] == ["weaker rule, newly waived"]
    document = _held(a_waived_test("g/new"), a_test(), status="passed", exit_code=0)
    words = [words for words, _ in named_changes(document)]
    assert words == ["added", "weaker rule, newly waived"]


def test_the_next_step_names_the_last_day() -> None:
    assert "2026-03-31" in next_step(a_waived_test())


def test_a_waived_test_is_annotated_as_a_notice() -> None:
    seen = annotate(a_waived_test(), a_test("g/a"), status="passed", exit_code=0)
    assert [one.name for one in seen.commands] == ["notice", "notice"]
    assert seen.commands[1].properties["title"] == "Gate failed, waived (waivers.yaml)"
    assert seen.commands[1].properties["line"] == "12"
