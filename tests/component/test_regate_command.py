"""Other gates over the report of a run, as a person would ask for them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ci_judge.cli.front import commands
from ci_judge.errors import CiJudgeError
from ci_judge.renderers.report_schema import validate_report
from tests.small_suites import SmallSuite, a_row, a_small_suite, by_id

BEFORE = "lower_bound at 0.4 (confidence 95 %)"
MILDER = "lower_bound at 0.3 (confidence 95 %)"
CASE = """
from ci_judge import case

@case("The price is 80.")
def test_price():
    return {"actual": 80, "expected": 80}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Iterator[SmallSuite]:
    with a_small_suite(tmp_path / "suite") as made:
        yield made


def regate(suite: SmallSuite, *flags: str, report: Path | None = None) -> Result:
    path = report or suite.report("out")
    into = ["--report-dir", str(suite.folder / "regated")]
    return CliRunner().invoke(commands, ["regate", str(path), *flags, *into], standalone_mode=False)


def regated(suite: SmallSuite, *flags: str) -> Any:
    asked = len(suite.served.requests)
    result = regate(suite, *flags)
    assert result.exception is None, result.exception
    assert len(suite.served.requests) == asked
    report = json.loads(suite.report("regated").read_text("utf-8"))
    assert not validate_report(report)
    assert result.return_value == report["exit_code"]
    return report


def refusal(suite: SmallSuite, *flags: str, report: Path | None = None) -> str:
    result = regate(suite, *flags, report=report)
    assert isinstance(result.exception, CiJudgeError), result.exception or result.output
    assert result.exception.exit_code == 2
    (problem,) = result.exception.problems
    return str(problem)


@pytest.mark.parametrize(
    ("flags", "run"),
    [
        (("--gate", "rate"), {"gate": "rate"}),
        (("--gate", "rate", "--threshold", "0.8"), {"gate": "rate", "threshold": "0.8"}),
        (("--threshold", "0.3"), {"threshold": "0.3"}),
        (("--misses", "1"), {"gate": "misses", "misses": 1}),
        (("--gate", "exact", "--confidence", "0.9"), {"gate": "exact", "confidence": "0.9"}),
    ],
)
def test_regating_gives_what_a_run_with_that_gate_would_have_given(
    suite: SmallSuite, flags: tuple[str, ...], run: dict[str, Any]
) -> None:
    suite.write(
        a_row("asks", "right"),
        a_row("haggles", "3 of 4"),
        a_row("begs", "wrong", advisory=True),
        a_row("waits", "right", skip="later"),
        a_row("hopes", "1 of 2", gate="rate", threshold=0.5),
    )
    suite.run("out")
    wanted = suite.run("wanted", **run)
    report = regated(suite, *flags)
    for key in ("status", "exit_code", "headline"):
        assert report[key] == wanted[key]
    for test_id, test in by_id(report).items():
        other = by_id(wanted)[test_id]
        for key in ("result", "gate", "interval", "rate", "passes", "fails"):
            assert test[key] == other[key], (test_id, key)
    counts = ("passed", "failed", "errors", "skipped", "advisory")
    assert [report["summary"][key] for key in counts] == [wanted["summary"][key] for key in counts]


def test_the_new_report_says_from_which_gate_it_is(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), a_row("hopes", "1 of 2", threshold=0.1))
    suite.run("out")
    report = regated(suite, "--threshold", "0.3")
    tests = by_id(report)
    assert tests["refunds/asks"]["regated_from"] == BEFORE
    assert tests["refunds/hopes"]["regated_from"] is None
    assert report["settings"]["run"]["threshold"] == "0.3"
    assert report["warnings"][:2] == [
        f"re-gated without a new run: 1 test has the gate {MILDER} in the place of {BEFORE}",
        'gates that stayed as they were: "refunds/hopes" (see --all-tests)',
    ]
    for name in ("summary.md", "report.html"):
        assert "re-gated without a new run" in (suite.folder / "regated" / name).read_text("utf-8")


def test_with_all_tests_gates_of_tests_themselves_change_too(suite: SmallSuite) -> None:
    suite.write(a_row("hopes", "1 of 2", gate="rate", threshold=0.5), cases=CASE)
    suite.run("out")
    assert regated(suite, "--threshold", "0.9")["exit_code"] == 0
    assert regated(suite, "--threshold", "0.9", "--all-tests")["exit_code"] == 1


def test_a_case_of_one_call_keeps_its_gate_whatever_is_asked(suite: SmallSuite) -> None:
    suite.write(cases=CASE, run={"gate": "rate", "threshold": "1"})
    suite.run("out")
    report = regated(suite, "--gate", "lower_bound", "--all-tests")
    (test,) = by_id(report).values()
    assert (test["result"], test["gate"]["kind"]) == ("passed", "rate")


def test_error_runs_still_decide_nothing(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "broken"))
    suite.run("out")
    report = regated(suite, "--misses", "1")
    assert (report["status"], report["exit_code"]) == ("error", 3)


def test_the_first_gate_is_remembered_over_several_regatings(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    suite.run("out")
    regated(suite, "--gate", "rate")
    again = suite.folder / "once.json"
    again.write_bytes(suite.report("regated").read_bytes())
    result = regate(suite, "--misses", "0", report=again)
    assert result.return_value == 0, result.exception
    report = json.loads(suite.report("regated").read_text("utf-8"))
    (test,) = by_id(report).values()
    assert test["regated_from"] == BEFORE


def test_a_gate_that_needs_more_runs_is_refused_in_one_line(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), a_row("begs", "right"))
    suite.run("out")
    problem = refusal(suite, "--threshold", "0.9")
    assert '"refunds/asks" and 1 more: 4 runs cannot prove a pass rate of 0.9' in problem
    assert "use at least 35 runs" in problem
    assert not suite.report("regated").exists()


def test_an_adaptive_gate_is_refused(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    suite.run("out")
    assert "it needs runs of its own" in refusal(suite, "--gate", "adaptive")


def test_a_test_that_stopped_early_is_refused_where_its_runs_do_not_decide(
    suite: SmallSuite,
) -> None:
    suite.write(a_row("asks", "right"), run={"gate": "misses", "misses": 2, "early_stop": True})
    report = suite.run("out")
    (test,) = by_id(report).values()
    assert (test["stopped"], test["stopped_after"]) == (True, 2)
    problem = refusal(suite, "--misses", "0")
    assert '"refunds/asks": it was stopped after 2 of 4 runs, which leave the gate ' in problem
    again = regated(suite, "--misses", "3")
    (test,) = by_id(again).values()
    assert (again["exit_code"], test["gate"]["anytime"], test["rate"]) == (0, True, None)


def _no_threshold(test: Any) -> None:
    test["gate"]["threshold_text"] = "1e999999999"


def _no_kind(test: Any) -> None:
    test["gate"]["kind"] = "hope"


def _no_confidence(test: Any) -> None:
    test["gate"]["confidence"] = 7


def _other_counts(test: Any) -> None:
    test["passes"], test["fails"] = 3, 1


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (_no_threshold, "not a rate: 1e999999999"),
        (_no_kind, "hope"),
        (_no_confidence, "gate.confidence: so large or small a number"),
        (_other_counts, "counts other runs than it holds"),
    ],
)
def test_a_report_that_contradicts_itself_is_refused(
    suite: SmallSuite, change: Callable[[Any], None], wrong: str
) -> None:
    suite.write(a_row("asks", "right"))
    document = suite.run("out")
    change(document["groups"][0]["tests"][0])
    path = suite.folder / "changed.json"
    path.write_text(json.dumps(document), "utf-8")
    problem = refusal(suite, "--gate", "rate", report=path)
    assert problem.startswith(f"{path}: ")
    assert wrong in problem


@pytest.mark.parametrize(
    ("flags", "wrong"),
    [
        ((), "nothing is to change"),
        (("--gate", "rate", "--misses", "1"), "--misses says nothing to --gate rate"),
    ],
)
def test_flags_that_make_no_sense_are_refused(
    suite: SmallSuite, flags: tuple[str, ...], wrong: str
) -> None:
    suite.write(a_row("asks", "right"))
    suite.run("out")
    assert wrong in refusal(suite, *flags)


def test_the_report_is_never_replaced(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    suite.run("regated")
    path = suite.report("regated")
    before = path.read_bytes()
    assert "would be replaced" in refusal(suite, "--gate", "rate", report=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("fail_on", ["failure", "never"])
def test_a_shard_that_is_missing_stays_unforgiven(suite: SmallSuite, fail_on: str) -> None:
    suite.write(a_row("asks", "right"), a_row("begs", "right"), run={"fail_on": fail_on})
    suite.run("s1", shard="1/2")
    into = ["--report-dir", str(suite.folder / "out")]
    arguments = ["merge", str(suite.report("s1")), *into]
    assert CliRunner().invoke(commands, arguments, standalone_mode=False).return_value == 3
    report = regated(suite, "--threshold", "0.3")
    assert (report["status"], report["exit_code"]) == ("error", 3)


def test_a_part_without_tests_stays_skipped(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    assert suite.run("out", shard="2/2")["status"] == "skipped"
    report = regated(suite, "--threshold", "0.3")
    assert (report["status"], report["exit_code"]) == ("skipped", 0)
