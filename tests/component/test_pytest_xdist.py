"""``pytest --ci-judge -n 2``: workers that learn their items one by one, and one report of all."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from ci_judge.renderers.report_schema import validate_report
from tests.plugged_pytest import SECONDS, Plugged, plugged_pytest
from tests.small_suites import a_row, by_id

pytest_plugins = ["pytester"]

CASES = """\
from ci_judge import case

@case('says "14 days"')
def test_right():
    return "You have 14 days."

@case('says "14 days"')
def test_wrong():
    return "You have some time."
"""


@pytest.fixture
def plugged(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plugged]:
    with plugged_pytest(pytester, monkeypatch) as made:
        yield made


def messages(plugged: Plugged) -> Counter[str]:
    return Counter(request.body["message"] for request in plugged.suite.served.requests)


def results(report: Any) -> dict[str, str]:
    return {test: entry["result"] for test, entry in by_id(report).items()}


def without_what_varies(report: Any) -> Any:
    """Give a test's entries without times and traces."""
    varies = {"latency", "duration_seconds", "latency_seconds", "started", "trace_id", "replies"}

    def stable(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: stable(item) for key, item in value.items() if key not in varies}
        return [stable(item) for item in value] if isinstance(value, list) else value

    return stable({"groups": report["groups"], "settings": report["settings"]})


@pytest.mark.parametrize("dist", ["load", "loadfile", "worksteal", "loadscope"])
def test_every_test_runs_exactly_once_and_the_reports_are_one(plugged: Plugged, dist: str) -> None:
    rows = [a_row(f"asks {n}", f"right {n}") for n in range(9)]
    plugged.suite.write(
        *rows,
        a_row("begs", "wrong"),
        a_row("waits", "right", criterion="delivery", advisory=True),
        a_row("later", "right", criterion="delivery", skip="not yet"),
        cases=CASES,
    )
    result = plugged.run("-n", "2", "--dist", dist)
    result.assert_outcomes(passed=11, failed=2, skipped=1)
    assert set(messages(plugged).values()) == {4}
    report = plugged.report()
    assert not validate_report(report)
    assert Counter(results(report).values()) == {"passed": 11, "failed": 2, "skipped": 1}
    assert report["run"]["complete"] is True
    assert report["run"]["shard"] is None
    assert report["warnings"].count(report["warnings"][0]) == 1
    folder = plugged.suite.folder / "ci-judge-report"
    assert {path.name for path in folder.iterdir()} == {
        *("report.json", "junit.xml", "report.html", "summary.md", "attempts.jsonl")
    }
    result.stdout.fnmatch_lines(["html: ci-judge-report/report.html"])


def test_the_merged_report_is_that_of_one_process(plugged: Plugged) -> None:
    rows = [a_row(f"asks {n}", f"{n} of 4") for n in range(5)]
    plugged.suite.write(*rows, cases=CASES)
    plugged.run("-n", "0")
    alone = plugged.report()
    plugged.suite.bot.forget()
    plugged.run("-n", "2")
    assert without_what_varies(plugged.report()) == without_what_varies(alone)


def test_failures_of_workers_read_as_those_of_one_process(plugged: Plugged) -> None:
    plugged.suite.write(a_row("haggles", "1 of 4"), a_row("breaks", "broken"))
    result = plugged.run("-n", "2", "--junitxml", "out.xml")
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["1 of 4 passed (25 %, 95 % interval 5 to 70 %)*", "*Why it failed*"]
    )
    assert "Traceback" not in result.stdout.str()


def test_a_mistake_is_a_usage_error_before_any_worker_starts(plugged: Plugged) -> None:
    plugged.suite.write(a_row("asks", "right"), run={"runns": 3})
    result = plugged.run("-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: ci-judge: ci-judge.yaml:*runns*"])
    assert "created" not in result.stdout.str()


def test_each_worker_judging_everything_is_refused(plugged: Plugged) -> None:
    plugged.suite.write(a_row("asks", "right"))
    result = plugged.run("-n", "2", "--dist", "each")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert plugged.asked() == 0


def test_what_only_the_whole_can_tell_is_refused(plugged: Plugged) -> None:
    plugged.suite.write(a_row("asks", "right"), run={"fail_on": "regression"})
    result = plugged.run("-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: ci-judge: *regression*-n 0*"])


def test_where_no_worker_could_start_there_is_no_report_and_that_is_said(plugged: Plugged) -> None:
    address = "http://127.0.0.1:{{port}}/"
    serve = {"command": [sys.executable, "-c", "pass"], "ready_url": address}
    plugged.suite.write(a_row("asks", "right"), target={"url": address, "serve": serve})
    result = plugged.run("-n", "2")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["no report: no worker has left one"])


def test_no_more_is_spent_than_the_budget_has(plugged: Plugged) -> None:
    rows = [a_row(f"asks {n}", f"right {n}") for n in range(6)]
    plugged.suite.write(*rows, budget={"requests": 12})
    plugged.run("-n", "2")
    assert plugged.asked() <= 12
    report = plugged.report()
    assert report["settings"]["budget"]["requests"] == 12
    assert report["summary"]["budget"]["requests"] == 12


def test_the_whole_is_compared_with_the_baseline(plugged: Plugged) -> None:
    rows = [a_row(f"asks {n}", f"right {n}") for n in range(4)]
    plugged.suite.write(*rows, a_row("gone", "right"))
    plugged.run("-n", "0")
    (plugged.suite.folder / "base.json").write_text(json.dumps(plugged.report()))
    plugged.suite.write(*rows, run={"baseline": "base.json"})
    plugged.run("-n", "2")
    baseline = plugged.report()["baseline"]
    assert [test["id"] for test in baseline["removed"]] == ["refunds/gone"]
    assert plugged.report()["settings"]["run"]["baseline"] == "base.json"


def test_with_x_what_nobody_ran_is_said_to_be_missing(plugged: Plugged) -> None:
    rows = [a_row(f"begs {n}", f"wrong {n}") for n in range(30)]
    plugged.suite.write(*rows)
    result = plugged.run("-n", "2", "-x")
    assert result.ret != 0
    report = plugged.report()
    found = results(report)
    assert len(found) == 30
    assert found["refunds/begs-29"] == "error"
    assert report["run"]["complete"] is False
    assert any("no worker finished " in text for text in report["warnings"])
    assert report["run"]["missing_shards"] == []


def test_a_worker_that_dies_costs_its_own_part_of_the_report(plugged: Plugged) -> None:
    (plugged.suite.folder / "test_dies.py").write_text(
        "import os\ndef test_dies():\n    os._exit(1)\n"
    )
    rows = [a_row(f"asks {n}", f"right {n}") for n in range(8)]
    plugged.suite.write(*rows)
    result = plugged.run("-n", "2")
    assert result.ret == 1
    assert set(messages(plugged)) == {f"right {n}" for n in range(8)}
    assert set(results(plugged.report())) == {f"refunds/asks-{n}" for n in range(8)}


def test_an_interrupt_leaves_one_partial_report_and_no_process(plugged: Plugged) -> None:
    rows = [a_row(f"asks {n}", f"right {n}") for n in range(40)]
    plugged.suite.write(*rows, run={"runs": 50})
    command = [sys.executable, "-m", "pytest", "--ci-judge", "-n", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        plugged.suite.bot.bell.wait(SECONDS)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert plugged.report()["run"]["complete"] is False
