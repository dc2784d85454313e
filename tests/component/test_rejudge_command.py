"""Another judge over what was recorded: nobody else is asked, and nothing is judged in part."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ci_judge.cli.front import commands
from ci_judge.errors import CiJudgeError
from ci_judge.renderers.report_schema import validate_report
from tests.small_suites import SmallSuite, a_row, a_small_suite, by_id, without_times

CASES = """
from pathlib import Path
from ci_judge import case

@case("The price is 80.", runs=2, threshold=0.2)
def test_price():
    with (Path(__file__).parent.parent / "calls.txt").open("a") as file:
        file.write("called\\n")
    return {"actual": 80, "expected": 80}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Iterator[SmallSuite]:
    with a_small_suite(tmp_path / "suite") as made:
        yield made


def rejudge(suite: SmallSuite, *flags: str, report: Path | None = None) -> Result:
    config = ["--config", str(suite.folder / "ci-judge.yaml")]
    into = ["--report-dir", str(suite.folder / "again"), "--quiet"]
    path = report or suite.report("out")
    arguments = ["rejudge", str(path), *config, *into, *flags]
    return CliRunner().invoke(commands, arguments, standalone_mode=False)


def rejudged(suite: SmallSuite, *flags: str, report: Path | None = None) -> Any:
    asked = len(suite.served.requests)
    result = rejudge(suite, *flags, report=report)
    assert result.exception is None, result.exception
    assert len(suite.served.requests) == asked
    again = json.loads(suite.report("again").read_text("utf-8"))
    assert not validate_report(again)
    assert result.return_value == again["exit_code"]
    assert again["summary"]["target_requests"] == 0
    return again


def refusal(suite: SmallSuite, *flags: str, report: Path | None = None) -> str:
    result = rejudge(suite, *flags, report=report)
    assert isinstance(result.exception, CiJudgeError), result.exception or result.output
    return str(result.exception)


def verdicts(report: Any) -> Any:
    """Give what a judge and the checks made of the evidence."""
    keys = ("number", "outcome", "reason", "response", "evidence", "transcript", "checks", "votes")
    return {
        test_id: [{key: run[key] for key in keys} for run in test["runs"]]
        for test_id, test in by_id(report).items()
    }


def test_the_same_judge_comes_to_the_same(suite: SmallSuite) -> None:
    suite.write(
        a_row("asks", "right"),
        a_row("haggles", "3 of 4", checks=[{"not_contains": "some time"}]),
        a_row("talks", None, turns=["right?", "really right?"]),
        a_row("breaks", "broken", runs=4),
        a_row("later", "right", skip="not yet"),
    )
    before = suite.run("out")
    again = rejudged(suite)
    assert verdicts(again) == verdicts(before)
    same = ("result", "gate", "passes", "fails", "errors", "troubles", "reasons", "skip_reason")
    for test_id, test in by_id(again).items():
        assert {key: test[key] for key in same} == {
            key: by_id(before)[test_id][key] for key in same
        }
    assert again["exit_code"] == before["exit_code"]
    assert again["run"]["seed"] == before["run"]["seed"]
    assert again["warnings"][0].startswith("judged again: the evidence was recorded at ")


def test_cases_are_not_called_again(suite: SmallSuite) -> None:
    suite.write(cases=CASES)
    before = suite.run("out")
    assert (suite.folder / "calls.txt").read_text() == "called\n" * 2
    again = rejudged(suite)
    assert (suite.folder / "calls.txt").read_text() == "called\n" * 2
    assert verdicts(again) == verdicts(before)


def test_another_expectation_is_another_verdict_and_is_said(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), a_row("begs", "right"))
    suite.run("out")
    suite.write(a_row("asks", "right", expected='Says "30 days".'), a_row("begs", "right"))
    again = rejudged(suite)
    results = {test_id: test["result"] for test_id, test in by_id(again).items()}
    assert results == {"refunds/asks": "failed", "refunds/begs": "passed"}
    assert again["warnings"][1] == (
        'held to what the suite expects now, which is other than then: "refunds/asks"'
    )


def test_another_judge_judges_what_was_said(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "wrong", expected="Names the window."))
    before = suite.run("out")
    assert before["summary"]["errors"] == 1  # the stub has no phrase to look for
    script = (
        "import sys, json; json.load(sys.stdin); print(json.dumps({'pass': True, 'reason': 'y'}))"
    )
    suite.write(
        a_row("asks", "wrong", expected="Names the window."),
        judge={"provider": "command", "command": ["python3", "-c", script]},
    )
    again = rejudged(suite)
    (test,) = by_id(again).values()
    assert (test["result"], test["passes"]) == ("passed", 4)
    assert again["judge"]["provider"] == "command"


def test_a_judge_named_by_a_flag_wins_over_the_file(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), judge={"provider": "command", "command": ["false"]})
    suite.run("out")
    suite.write(a_row("asks", "right"), judge={"provider": "anthropic", "model": "m"})
    again = rejudged(suite, "--judge-provider", "stub")
    assert (again["judge"]["provider"], again["exit_code"]) == ("stub", 0)


def test_an_answer_that_was_cut_is_an_error_and_never_judged(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), report={"max_response_chars": 100})
    suite.bot.padding = "x" * 200
    before = suite.run("out")
    assert before["exit_code"] == 0
    again = rejudged(suite)
    (test,) = by_id(again).values()
    assert (test["result"], test["errors"], again["exit_code"]) == ("error", 4, 3)
    assert test["runs"][0]["outcome"] == "target_error"
    assert test["runs"][0]["trials"] == []
    assert test["runs"][0]["reason"] == (
        "recorded only in part: 117 characters were cut (report.max_response_chars)"
    )
    assert test["reasons"] == [{"code": "not_recorded", "runs": 4}]


def test_an_answer_without_its_secrets_is_an_error_and_never_judged(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), a_row("begs", "wrong"), report={"redact": ["14 d[a-z]+"]})
    suite.run("out")
    again = rejudged(suite)
    outcomes = {
        test_id: {run["outcome"] for run in test["runs"]} for test_id, test in by_id(again).items()
    }
    assert outcomes == {"refunds/asks": {"target_error"}, "refunds/begs": {"fail"}}
    (run, *_) = by_id(again)["refunds/asks"]["runs"]
    assert run["reason"].startswith("recorded only in part: secrets in it were replaced")


def test_runs_that_were_never_made_stay_so(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), run={"gate": "misses", "misses": 2, "early_stop": True})
    before = suite.run("out")
    again = rejudged(suite)
    (test,), (then,) = by_id(again).values(), by_id(before).values()
    assert (test["stopped_after"], test["result"]) == (then["stopped_after"], "passed")
    suite.write(a_row("asks", "right"))
    (test,) = by_id(rejudged(suite)).values()
    (last,) = [run for run in test["runs"] if run["outcome"] != "pass"]
    assert (test["passes"], test["not_run"], test["result"]) == (3, 1, "error")
    assert (last["outcome"], last["reason_code"]) == ("not_run", "not_recorded")


def test_many_errors_in_a_row_keep_no_recorded_run_from_its_judge(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right", runs=8), run={"max_errors": 1000})
    document = suite.run("out")
    runs = document["groups"][0]["tests"][0]["runs"]
    for run in runs[:5]:
        run["redacted"] = True
    path = suite.folder / "partly.json"
    path.write_text(json.dumps(document), "utf-8")
    (test,) = by_id(rejudged(suite, report=path)).values()
    assert (test["errors"], test["passes"]) == (5, 3)


def test_a_message_that_has_changed_since_is_refused(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), a_row("begs", "right"))
    suite.run("out")
    suite.write(a_row("asks", "quite right"))
    gone, other = refusal(suite).splitlines()
    where = f"{suite.report('out')}: "
    assert gone.startswith(f'{where}"refunds/begs" is in the report, and not in the suite any more')
    assert other.startswith(f'{where}"refunds/asks" says something else to its target now than')


def test_tests_that_are_not_in_the_report_are_left_out(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    suite.run("out")
    suite.write(a_row("asks", "right"), a_row("new", "right"))
    again = rejudged(suite)
    assert list(by_id(again)) == ["refunds/asks"]
    assert again["run"]["complete"] is False


def test_what_an_adaptive_gate_did_not_need_is_not_missed_now(suite: SmallSuite) -> None:
    gate = {"gate": "adaptive", "runs": {"min": 2, "max": 40}, "threshold": 0.5}
    suite.write(a_row("asks", "right", **gate), run={"concurrency": 16})
    document = suite.run("out")
    before = by_id(document)["refunds/asks"]
    assert (before["result"], before["stopped"]) == ("passed", True)
    counted = before["passes"]  # nothing behind them is in the report
    fewer = {"runs": before["runs"][:counted], "made": counted, "uncounted": 0}
    before |= fewer | {"not_needed": before["planned"] - counted}
    suite.report("out").write_text(json.dumps(document), "utf-8")
    test = by_id(rejudged(suite))["refunds/asks"]
    assert (test["result"], test["passes"]) == ("passed", counted)
    assert (test["not_run"], test["reasons"]) == (0, [])


def test_as_many_runs_are_judged_as_were_recorded(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    suite.run("out", runs=6)
    (test,) = by_id(rejudged(suite)).values()
    assert (test["planned"], test["passes"]) == (6, 6)


def test_flags_that_the_report_was_made_with_can_be_given_again(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "3 of 4"), run={"runs": 20, "threshold": 0.3})
    before = by_id(suite.run("out", early_stop="true", threshold="0.8"))["refunds/asks"]
    assert (before["result"], before["stopped"]) == ("failed", True)
    again = by_id(rejudged(suite, "--early-stop", "--threshold", "0.8"))["refunds/asks"]
    assert (again["result"], again["stopped"]) == ("failed", True)
    assert again["stopped_after"] == before["stopped_after"]
    assert (
        rejudge(suite, "--early-stop", "--threshold", "0.8", "--fail-on", "never").return_value == 0
    )


def test_the_report_is_never_replaced(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    suite.run("again")
    before = suite.report("again").read_bytes()
    assert "would replace those" in refusal(suite, report=suite.report("again"))
    assert suite.report("again").read_bytes() == before


def test_rejudging_twice_comes_to_the_same(suite: SmallSuite) -> None:
    suite.write(a_row("haggles", "3 of 4"))
    suite.run("out")
    once = rejudged(suite)
    copy = suite.folder / "once.json"
    copy.write_bytes(suite.report("again").read_bytes())
    twice = rejudged(suite, report=copy)
    assert without_times(once["groups"]) == without_times(twice["groups"])


def test_a_whole_that_lacks_a_shard_is_refused(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), a_row("begs", "right"), run={"fail_on": "failure"})
    suite.run("s1", shard="1/2")
    into = ["--report-dir", str(suite.folder / "whole")]
    arguments = ["merge", str(suite.report("s1")), *into]
    assert CliRunner().invoke(commands, arguments, standalone_mode=False).return_value == 3
    assert "shard 2 is missing" in refusal(suite, report=suite.report("whole"))


def test_a_variable_that_only_the_target_uses_need_not_be_set_again(suite: SmallSuite) -> None:
    suite.write(
        a_row("asks", "right"), target={"headers": {"Authorization": "Bearer ${STAGING_TOKEN}"}}
    )
    suite.environment["STAGING_TOKEN"] = "t0ken-of-staging"
    before = suite.run("out")
    again = rejudged(suite)
    assert verdicts(again) == verdicts(before)
    assert again["settings"] == before["settings"] | {"report": again["settings"]["report"]}


def test_a_variable_that_the_judge_uses_must_be_set(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    suite.run("out")
    judge = {"provider": "openai", "model": "m", "base_url": "${JUDGE_URL}"}
    suite.write(a_row("asks", "right"), judge=judge)
    assert 'the variable "JUDGE_URL" in judge.base_url is not set' in refusal(suite)
