"""Every example, run as its README block says, comes out as it says."""

import json
import shutil
from pathlib import Path
from typing import Any

import junitparser
import pytest

from tests.e2e.commands import REPOSITORY, ci_judge, copy_of, python


def report_of(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "ci-judge-report/report.json").read_text())
    return report


def results_of(report: dict[str, Any]) -> dict[str, str]:
    return {test["id"]: test["result"] for group in report["groups"] for test in group["tests"]}


@pytest.fixture(scope="module")
def faq_bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_of("faq-bot", tmp_path_factory.mktemp("faq"))
    result = ci_judge("run", cwd=folder)
    assert result.exit_code == 1, result.out + result.err
    assert result.err == ""
    return folder


def test_the_faq_bot_fails_the_one_scenario_that_shows_its_flaw(faq_bot: Path) -> None:
    results = results_of(report_of(faq_bot))
    failed = [test for test, result in results.items() if result != "passed"]
    assert failed == ["refund-policy/asks-how-to-get-money-back"]
    assert len(results) >= 6


def test_eight_of_ten_runs_of_it_pass_whatever_the_concurrency(faq_bot: Path) -> None:
    (test,) = [
        test
        for group in report_of(faq_bot)["groups"]
        for test in group["tests"]
        if test["result"] == "failed"
    ]
    assert (test["passes"], test["fails"], test["errors"]) == (8, 2, 0)
    assert test["interval"] == pytest.approx([0.4902, 0.9433], abs=1e-4)
    assert test["gate"]["decision"] == "not_proven"


def test_all_report_files_are_written_and_agree(faq_bot: Path) -> None:
    folder = faq_bot / "ci-judge-report"
    assert sorted(path.name for path in folder.iterdir()) == [
        "attempts.jsonl",
        "junit.xml",
        "report.html",
        "report.json",
        "summary.md",
    ]
    xml = junitparser.JUnitXml.fromfile(str(folder / "junit.xml"))
    summary = report_of(faq_bot)["summary"]
    assert (xml.tests, xml.failures, xml.errors) == (summary["tests"], 1, 0)
    assert "Asks how to get money back" in (folder / "report.html").read_text()
    assert "Asks how to get money back" in (folder / "summary.md").read_text()


def test_the_json_holds_every_run_that_the_ledger_holds(faq_bot: Path) -> None:
    heading, *lines = (faq_bot / "ci-judge-report/attempts.jsonl").read_text().splitlines()
    assert json.loads(heading)["ledger"] == 1
    ledger = {(run["test"], run["number"]) for run in map(json.loads, lines)}
    report = report_of(faq_bot)
    runs = [
        (test["id"], run["number"])
        for group in report["groups"]
        for test in group["tests"]
        for run in test["runs"]
    ]
    assert len(runs) == len(set(runs)) == report["summary"]["runs_made"]
    assert set(runs) == ledger


def test_rendering_the_json_again_gives_the_same_files(faq_bot: Path, tmp_path: Path) -> None:
    before = faq_bot / "ci-judge-report"
    again = tmp_path / "again"
    shutil.copytree(before, again)
    for name in ("junit.xml", "report.html", "summary.md"):
        (again / name).unlink()
    result = ci_judge("render", str(again / "report.json"), cwd=tmp_path)
    assert result.exit_code == 0, result.err
    for name in ("junit.xml", "report.html", "summary.md"):
        assert (again / name).read_text() == (before / name).read_text(), name


def test_python_cases_with_the_stub_show_the_broken_discount(tmp_path: Path) -> None:
    folder = copy_of("python-cases", tmp_path)
    result = ci_judge("run", cwd=folder)
    assert result.exit_code == 1, result.out + result.err
    assert results_of(report_of(folder)) == {
        "case_arithmetic.py::test_discount": "passed",
        "case_arithmetic.py::test_discount_beyond_the_price": "failed",
        "case_support.py::test_refund_reply": "passed",
    }


def test_the_library_example_prints_what_failed_and_exits_with_the_suite(tmp_path: Path) -> None:
    folder = copy_of("faq-bot", tmp_path)
    script = REPOSITORY / "examples" / "run_suite.py"
    result = python(str(script), str(folder / "ci-judge.yaml"), cwd=tmp_path)
    assert result.exit_code == 1, result.err
    assert result.out.startswith("1 of ")
    assert "- refund-policy/asks-how-to-get-money-back: 8 of 10 passed" in result.out


def test_generating_again_gives_the_committed_scenarios(tmp_path: Path) -> None:
    folder = copy_of("faq-bot", tmp_path)
    committed = {path.name: path.read_text() for path in (folder / "scenarios/generated").iterdir()}
    assert committed
    result = ci_judge("generate", "--force", cwd=folder)
    assert result.exit_code == 0, result.err
    generated = {path.name: path.read_text() for path in (folder / "scenarios/generated").iterdir()}
    assert generated == committed
