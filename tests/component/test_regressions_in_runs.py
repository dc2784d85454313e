"""Whole runs held against an earlier one: the samples are in the reports, and chance is allowed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ci_judge.cli.front import commands
from tests.small_suites import SmallSuite, a_row, a_small_suite, by_id

ADAPTIVE = {"gate": "adaptive", "runs": {"min": 10, "max": 30}, "threshold": "0.4"}
ASKS = "refunds/asks"


@pytest.fixture
def suite(tmp_path: Path) -> Iterator[SmallSuite]:
    with a_small_suite(tmp_path) as made:
        yield made


def baseline_of(suite: SmallSuite, message: str, **run: Any) -> str:
    suite.write(a_row("asks", message), run=run)
    suite.run("before")
    return str(suite.report("before"))


def now(suite: SmallSuite, message: str, baseline: str, **run: Any) -> Any:
    """Run with another answer to the same question: the words of a message decide it."""
    suite.write(a_row("asks", message), run=run)
    report = json.loads(Path(baseline).read_text("utf-8"))
    by_id(report)[ASKS]["turns"] = [message]
    Path(baseline).write_text(json.dumps(report), "utf-8")
    return suite.run("now", baseline=baseline, fail_on="regression")


def test_a_drop_beyond_chance_fails_the_step_though_every_gate_passes(suite: SmallSuite) -> None:
    rules = {"runs": 20, "gate": "rate"}
    before = baseline_of(suite, "right", **rules)
    report = now(suite, "3 of 4", before, **rules)
    test = by_id(report)[ASKS]
    assert (test["result"], test["passes"]) == ("passed", 15)
    assert test["change"]["kind"] == "significantly_worse"
    assert test["change"]["difference"]["p"] == pytest.approx(0.011264, abs=1e-6)
    assert (report["status"], report["summary"]["regressions"]) == ("failed", 1)


def test_a_drop_that_may_be_chance_does_not(suite: SmallSuite) -> None:
    rules = {"runs": 20, "gate": "rate"}
    before = baseline_of(suite, "right", **rules)
    report = now(suite, "9 of 10", before, **rules)
    assert by_id(report)[ASKS]["change"]["kind"] == "worse_within_noise"
    assert report["status"] == "passed"


def test_adaptive_tests_are_compared_by_their_first_runs(suite: SmallSuite) -> None:
    before = baseline_of(suite, "right", **ADAPTIVE)
    report = now(suite, "7 of 10", before, **ADAPTIVE)
    test = by_id(report)[ASKS]
    assert test["prefix"] == {"runs": 10, "judged": 10, "passes": 7}
    difference = test["change"]["difference"]
    assert (difference["was_passes"], difference["was_judged"]) == (10, 10)
    assert (difference["passes"], difference["judged"]) == (7, 10)
    assert test["change"]["kind"] in {"worse_within_noise", "significantly_worse"}


def test_a_test_that_stops_early_is_compared_by_its_gate_alone(suite: SmallSuite) -> None:
    rules = {"runs": 20, "gate": "rate", "early_stop": True}
    before = baseline_of(suite, "right", **rules)
    change = by_id(now(suite, "3 of 4", before, **rules))[ASKS]["change"]
    assert (change["kind"], change["difference"]) == ("only_by_gate", None)


def test_a_lowered_threshold_fails_the_step_unless_that_is_allowed(suite: SmallSuite) -> None:
    before = baseline_of(suite, "right", threshold="0.5", gate="rate")
    report = now(suite, "right", before, threshold="0.4", gate="rate")
    assert report["status"] == "failed"
    weaker = [{"kind": "threshold", "was": "0.5", "now": "0.4", "tests": [ASKS]}]
    assert report["baseline"]["weaker"] == weaker
    report = now(suite, "right", before, threshold="0.4", gate="rate", allow_weaker=True)
    assert report["status"] == "passed"
    assert report["baseline"]["weaker"] == weaker


def test_shards_are_tested_as_a_whole_once_they_are_merged(suite: SmallSuite) -> None:
    rules = {"runs": 20, "gate": "rate", "fail_on": "regression"}
    names = ("one", "two", "three")
    suite.write(*(a_row(name, "right") for name in names), run=rules)
    suite.run("before", fail_on="error")
    before = suite.report("before")
    suite.write(*(a_row(name, "9 of 10") for name in names), run=rules)
    document = json.loads(before.read_text("utf-8"))
    for test in by_id(document).values():
        test["turns"] = ["9 of 10"]
    before.write_text(json.dumps(document), "utf-8")
    parts = [
        suite.run(f"s{index}", shard=f"{index}/2", baseline=str(before), concurrency=1)
        for index in (1, 2)
    ]
    assert [(part["baseline"]["suite"], part["exit_code"]) for part in parts] == [(None, 0)] * 2
    shown = [str(suite.report(f"s{index}")) for index in (1, 2)]
    flags = ["--baseline", str(before), "--report-dir", str(suite.folder / "merged")]
    result = CliRunner().invoke(commands, ["merge", *shown, *flags], standalone_mode=False)
    assert result.exception is None, result.exception
    merged = json.loads(suite.report("merged").read_text("utf-8"))
    whole = merged["baseline"]["suite"]
    assert (whole["tests"], whole["was_passes"], whole["passes"]) == (3, 60, 54)
    assert whole["significant"]
    assert (merged["exit_code"], merged["summary"]["regressions"]) == (1, 1)


def test_what_is_masked_in_reports_is_no_difference(suite: SmallSuite) -> None:
    rows = a_row("asks", "right for client-4711", expected='Tells client-4711 "14 days".')
    masked: dict[str, Any] = {"report": {"redact": ["client-[0-9]+", "/chat"]}}
    suite.write(rows, **masked)
    assert "client-4711" not in json.dumps(suite.run("before"))
    report = suite.run("now", baseline=str(suite.report("before")), fail_on="regression")
    change = by_id(report)[ASKS]["change"]
    assert (change["kind"], change["reasons"]) == ("unchanged", [])
    assert report["baseline"]["weaker"] == []


def test_instructions_that_make_the_judge_milder_are_not_compared_in_silence(
    suite: SmallSuite,
) -> None:
    before = baseline_of(suite, "right")
    suite.write(a_row("asks", "right"), criteria={"refunds": {"instructions": "Be kind."}})
    change = by_id(suite.run("now", baseline=before))[ASKS]["change"]
    assert change["kind"] == "not_comparable"
    suite.write(a_row("asks", "right"), judge={"provider": "stub", "instructions": "Be kind."})
    change = by_id(suite.run("now", baseline=before))[ASKS]["change"]
    assert change["reasons"] == ["the judge has other instructions"]
