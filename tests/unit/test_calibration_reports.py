"""What people read of the judge's own error, in every format."""

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from ci_judge.document.corrections import with_corrections
from ci_judge.model.document import CalibrationEntry, ReportDocument
from ci_judge.renderers import console
from ci_judge.renderers.calibration_words import calibration_line, corrected_words
from ci_judge.renderers.registry import renderer
from tests.builders import Runs, a_group, a_judge, a_report, a_test


def a_calibration(**changes: Any) -> CalibrationEntry:
    calibration: CalibrationEntry = {
        "file": "calibration/calibration.json",
        "made": "2026-03-01T08:00:00.000Z",
        "problem": None,
        "labels": {
            "human_passes": 30,
            "agreed_passes": 29,
            "human_fails": 30,
            "agreed_fails": 24,
        },
    }
    return calibration | changes  # type: ignore[return-value]


def the_report(**changes: Any) -> tuple[ReportDocument, Runs]:
    test = a_test("refunds/haggles", passes=8, fails=2)
    judge = a_judge(calibration=a_calibration(**changes))
    document, runs = a_report(a_group(test, id="refunds"), judge=judge)
    return with_corrections(document), runs


def texts(document: ReportDocument, runs: Runs) -> dict[str, str]:
    return {
        "console": "".join(console.render(document, runs)),
        **{
            name: "".join(renderer(name).render(document, runs))
            for name in ("markdown", "html", "junit")
        },
    }


def test_every_format_shows_the_corrected_rate_beside_the_observed() -> None:
    document, runs = the_report()
    (test,) = document["groups"][0]["tests"]
    assert test["corrected"] is not None
    assert test["corrected"]["rate"] == pytest.approx(0.6 / (29 / 30 - 0.2), abs=1e-6)
    words = corrected_words(test)
    assert words.startswith("corrected 78 % (")
    for name, text in texts(document, runs).items():
        if name != "junit":
            assert words in text, name
            assert "failed 24 of 30 bad ones" in text, name
            assert "corrected rates are approximate" in text, name


def test_junit_has_it_as_a_property() -> None:
    document, runs = the_report()
    root = ET.fromstring(texts(document, runs)["junit"])  # noqa: S314 - our own text
    found = {each.get("name"): each.get("value") for each in root.iter("property")}
    assert (found["corrected"] or "").startswith("0.7826 ")
    assert "calibration" not in found


def test_a_calibration_of_another_judge_says_so_and_corrects_nothing() -> None:
    problem = 'not calibrated: judge.model is "other", and was "judge"'
    document, runs = the_report(problem=problem)
    (test,) = document["groups"][0]["tests"]
    assert test["corrected"] is None
    assert corrected_words(test) == ""
    assert problem in calibration_line(document["judge"])
    for name, text in texts(document, runs).items():
        if name in ("html", "junit"):
            assert "not calibrated: judge.model is" in text, name
        assert "corrected" not in text, name


def test_without_a_calibration_nothing_is_said() -> None:
    document, runs = a_report(a_group(a_test("refunds/haggles", passes=8, fails=2), id="refunds"))
    assert calibration_line(document["judge"]) == ""
    assert calibration_line(None) == ""
    for name, text in texts(with_corrections(document), runs).items():
        assert "calibrat" not in text, name


@pytest.mark.parametrize(
    "changes",
    [
        {"anytime": True},
        {"expected": []},
        {"requirement": "The price is 80.", "expected": [], "kind": "case"},
    ],
    ids=["may stop early", "checks alone", "case"],
)
def test_what_no_label_tells_about_is_not_corrected(changes: dict[str, Any]) -> None:
    test = a_test("refunds/haggles", passes=8, fails=2, **changes)
    test["gate"]["anytime"] = "anytime" in changes
    judge = a_judge(calibration=a_calibration())
    document, _ = a_report(a_group(test, id="refunds"), judge=judge)
    (test,) = with_corrections(document)["groups"][0]["tests"]
    assert test["corrected"] is None


def test_the_file_that_is_named_cannot_come_alive() -> None:
    document, runs = the_report(problem="not calibrated: <b>x</b> `y` \x1b[1m", file="a|b.json")
    told = texts(document, runs)
    assert "<b>x</b>" not in told["html"]
    assert "\x1b" not in "".join(told.values())


def test_fails_that_checks_found_are_no_error_of_the_judge() -> None:
    test = a_test("refunds/haggles", passes=8, fails=2, certain_fails=2)
    judge = a_judge(calibration=a_calibration())
    document, _ = a_report(a_group(test, id="refunds"), judge=judge)
    (test,) = with_corrections(document)["groups"][0]["tests"]
    assert test["corrected"] is not None
    missed = 1 - 24 / 30
    found = (0.8 - 0.8 * missed) / (29 / 30 - missed)
    assert test["corrected"]["rate"] == pytest.approx(found, abs=1e-6)
