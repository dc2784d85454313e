"""Waivers in whole runs: what is waived fails no step, in every command that makes a report."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ci_judge.cli.front import commands
from ci_judge.errors import InvalidInput
from ci_judge.renderers.report_schema import validate_report
from tests.projects import Project, a_project, knows_refunds, scenario
from tests.small_suites import SmallSuite, a_row, a_small_suite, by_id

NOW = 1_750_000_000.0
"""The time of tests.projects: 2025-06-15."""


def a_waiver(test: str, expires: str, **changes: str) -> dict[str, str]:
    return {"test": test, "reason": "known", "owner": "Ann", "expires": expires} | changes


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with a_project(tmp_path, knows_refunds) as made:
        made.write(scenario("Fine"), scenario("Wrong", "wrong"), scenario("Broken", "broken"))
        yield made


def waive(folder: Path, *waivers: dict[str, str]) -> None:
    (folder / "waivers.yaml").write_text(json.dumps(list(waivers)), "utf-8")


def results(report: Any) -> dict[str, str]:
    return {key: test["result"] for key, test in by_id(report).items()}


def test_a_failure_is_waived_until_its_day_is_past(project: Project) -> None:
    waive(project.folder, a_waiver("refunds/wrong", "2025-06-15"))
    project.run()
    report = project.report()
    assert results(report) == {
        "refunds/fine": "passed",
        "refunds/wrong": "waived",
        "refunds/broken": "error",
    }
    assert (report["exit_code"], report["summary"]["waived"]) == (3, 1)
    assert by_id(report)["refunds/wrong"]["waiver"]["owner"] == "Ann"
    assert "waived until 2025-06-15 by Ann" in project.everything_said()

    waive(project.folder, a_waiver("refunds/wrong", "2025-06-14"))
    project.run()
    report = project.report()
    assert results(report)["refunds/wrong"] == "failed"
    assert report["exit_code"] == 1
    assert any("ended on 2025-06-14: it counts again" in text for text in report["warnings"])


def test_only_waived_failures_leave_the_step_green_and_the_headline_says_so(
    project: Project,
) -> None:
    project.write(scenario("Fine"), scenario("Wrong", "wrong"))
    waive(project.folder, a_waiver("refunds/wrong", "2025-07-01"))
    finished = project.run(max_failures=1)
    document = finished.document
    assert (document["exit_code"], document["status"]) == (0, "passed")
    assert document["headline"] == "1 of 2 gates passed, 1 waived."
    assert document["run"]["complete"]  # a waived test is no failure that --maxfail stops at


def test_what_could_not_be_decided_is_never_waived(project: Project) -> None:
    waive(project.folder, a_waiver("refunds/broken", "2025-07-01"))
    project.write(scenario("Broken", "broken"))
    project.run()
    assert results(project.report()) == {"refunds/broken": "error"}
    assert project.report()["exit_code"] == 3


def test_a_waiver_of_no_test_sends_nothing(project: Project) -> None:
    waive(project.folder, a_waiver("refunds/wrog", "2025-07-01"))
    with pytest.raises(InvalidInput) as caught:
        project.run()
    assert "matches no test" in str(caught.value)
    assert not project.bot.requests


def test_a_waiver_of_a_test_that_was_not_selected_is_no_mistake(project: Project) -> None:
    from ci_judge.workflows.planning import Selection  # noqa: PLC0415 - one use

    waive(project.folder, a_waiver("refunds/wrong", "2025-07-01"))
    project.run(selection=Selection(names="fine"))
    assert results(project.report()) == {"refunds/fine": "passed"}


# --- commands that make reports of reports ----------------------------------------------------


@pytest.fixture
def suite(tmp_path: Path) -> Iterator[SmallSuite]:
    with a_small_suite(tmp_path / "suite") as made:
        made.write(a_row("asks", "right"), a_row("haggles", "2 of 4"), a_row("sulks", "wrong"))
        soon = datetime.now(UTC).date() + timedelta(days=10)
        waived = [a_waiver(f"refunds/{name}", soon.isoformat()) for name in ("haggles", "sulks")]
        waive(made.folder, *waived)
        yield made


def command(suite: SmallSuite, *words: str) -> Any:
    target = suite.folder / "made"
    arguments = [*words, "--report-dir", str(target)]
    result = CliRunner().invoke(commands, arguments, standalone_mode=False)
    assert result.exception is None, result.exception
    report = json.loads((target / "report.json").read_text("utf-8"))
    assert not validate_report(report)
    assert result.return_value == report["exit_code"]
    return report


def test_other_gates_over_a_report_keep_its_waivers(suite: SmallSuite) -> None:
    report = suite.run("out", gate="rate")
    assert results(report) == {
        "refunds/asks": "passed",
        "refunds/haggles": "passed",
        "refunds/sulks": "waived",
    }
    stricter = command(suite, "regate", str(suite.report("out")), "--threshold", "0.9")
    assert results(stricter)["refunds/haggles"] == "waived"
    assert (stricter["exit_code"], stricter["summary"]["waived"]) == (0, 2)
    milder = command(suite, "regate", str(suite.report("out")), "--threshold", "0")
    assert results(milder)["refunds/sulks"] == "passed"
    assert milder["summary"]["waived"] == 0


def test_merged_shards_keep_their_waivers(suite: SmallSuite) -> None:
    whole = suite.run("whole")
    for index in (1, 2):
        suite.run(f"part{index}", shard=f"{index}/2")
    parts = [str(suite.report(f"part{index}")) for index in (1, 2)]
    merged = command(suite, "merge", *parts)
    assert results(merged) == results(whole)
    assert [by_id(merged)[key]["waiver"] for key in by_id(merged)] == [
        by_id(whole)[key]["waiver"] for key in by_id(whole)
    ]
    assert merged["headline"] == whole["headline"]
    assert merged["summary"]["waived"] == whole["summary"]["waived"] > 0
    assert merged["exit_code"] == 0


def test_a_missing_shard_is_waived_by_nothing(suite: SmallSuite) -> None:
    suite.run("part1", shard="1/2")
    merged = command(suite, "merge", str(suite.report("part1")))
    assert "error" in results(merged).values()
    assert merged["exit_code"] == 3


def test_another_judge_over_the_evidence_keeps_the_waivers(suite: SmallSuite) -> None:
    suite.run("out")
    config = ["--config", str(suite.folder / "ci-judge.yaml")]
    again = command(suite, "rejudge", str(suite.report("out")), *config)
    assert results(again)["refunds/sulks"] == "waived"
    assert again["exit_code"] == 0
