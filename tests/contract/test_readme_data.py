"""The README's dataset and waivers are what they say."""

from datetime import date
from pathlib import Path

from ci_judge.model.suite import GateDefaults, Suite
from ci_judge.suites.scenarios import load_scenarios
from ci_judge.suites.waivers import load_waivers, with_waivers
from tests.contract.test_readme import block
from tests.model_builders import a_criterion, a_scenario


def test_the_dataset_makes_the_tests_that_are_named(tmp_path: Path) -> None:
    (tmp_path / "faq.yaml").write_text(block("from: questions.jsonl"), "utf-8")
    row = '{"id": "sunday", "question": "When on Sundays?", "answer": "ten to four"}\n'
    (tmp_path / "questions.jsonl").write_text(row, "utf-8")
    (test,) = load_scenarios(
        [tmp_path / "faq.yaml"],
        (a_criterion("opening-hours"),),
        GateDefaults(),
        root=tmp_path,
        targets=frozenset(),
    )
    assert test.id == "opening-hours/knows-the-answer[sunday]"
    assert test.expectations[0].phrases == ("ten to four",)


def test_the_waiver_is_one(tmp_path: Path) -> None:
    (tmp_path / "waivers.yaml").write_text(block("expires: 2026-07-31"), "utf-8")
    today = date(2026, 6, 1)
    scenario = a_scenario("haggles", criterion=a_criterion("refund-policy"))
    suite = with_waivers(
        Suite(scenarios=(scenario,)), load_waivers(tmp_path, today=today), today=today
    )
    assert suite.scenarios[0].waiver is not None
