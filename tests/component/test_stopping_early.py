"""Tests that stop when they are decided: real files, a real target, real reports."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ci_judge.errors import InvalidInput
from tests.loopback import Answer
from tests.projects import Project, a_project, knows_refunds, scenario


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with a_project(tmp_path, knows_refunds) as made:
        yield made


def fails_on(*numbers: int) -> Answer:
    """Answer wrong to the requests of these numbers, counted from 1."""
    requests = count(1)

    def answer(path: str, body: Any) -> tuple[int, Any]:
        wrong = next(requests) in numbers
        return knows_refunds(path, {"message": "wrong"} if wrong else body)

    return answer


def only_test(project: Project) -> Any:
    return project.report()["groups"][0]["tests"][0]


STOPS = {"runs": 20, "threshold": "0.7", "early_stop": True, "concurrency": 1, "cache": "off"}


def test_a_broken_feature_is_given_up_as_soon_as_it_is_lost(project: Project) -> None:
    project.write(scenario("Asks", "wrong"), run=STOPS)
    project.run()
    test, summary = only_test(project), project.report()["summary"]
    assert test["result"] == "failed"
    assert (test["stopped"], test["stopped_after"], test["fails"]) == (True, 2, 2)
    assert len(project.bot.requests) == test["made"] == summary["runs_made"]
    assert summary["saved_by_early_stop"] == test["not_needed"] == 20 - test["made"]
    assert test["made"] <= 4  # two more may have been under way
    assert summary["pass_rate"] is None
    assert test["rate"] is None
    assert len(test["runs"]) == test["made"]


def test_the_result_is_that_of_the_full_sample_and_says_where_it_stopped(tmp_path: Path) -> None:
    with a_project(tmp_path, fails_on(3, 4)) as project:
        project.write(scenario("Asks"), run=STOPS)
        project.run(overrides={"run.concurrency": 1})
        test = only_test(project)
        assert (test["result"], test["stopped_after"], test["passes"]) == ("failed", 4, 2)
        for name, text in (
            ("summary.md", "stopped after 4 of 20: lost"),
            ("report.html", "stopped after 4 of 20: lost"),
            ("junit.xml", 'name="stopped_after" value="4"'),
        ):
            assert text in (project.folder / "out" / name).read_text("utf-8")
        assert any("2 of 4, stopped after 4 of 20, failed" in line for line in project.log)


def test_without_early_stop_every_run_is_made(project: Project) -> None:
    project.write(scenario("Asks", "wrong"), run={**STOPS, "early_stop": False})
    project.run()
    test = only_test(project)
    assert (test["stopped"], test["made"], test["not_needed"]) == (False, 20, 0)
    assert test["rate"] == 0.0


def test_the_override_turns_it_on(project: Project) -> None:
    project.write(scenario("Asks", "wrong"), run={**STOPS, "early_stop": False})
    project.run(overrides={"run.early_stop": "true"})
    assert only_test(project)["stopped"]


ADAPTIVE = {
    "runs": {"min": 20, "max": 100},
    "gate": "adaptive",
    "threshold": "0.8",
    "concurrency": 4,
    "cache": "off",
}


def test_an_adaptive_gate_takes_the_runs_it_needs(project: Project) -> None:
    project.write(scenario("Right"), scenario("Wrong", "wrong"), run=ADAPTIVE)
    project.run()
    right, wrong = project.report()["groups"][0]["tests"]
    assert (right["result"], right["stopped_after"], right["planned"]) == ("passed", 20, 100)
    assert (wrong["result"], wrong["stopped_after"], wrong["passes"]) == ("failed", 20, 0)
    assert right["gate"]["min_runs"] == 20
    assert right["gate"]["needs"] == "20 of 20, or more runs if some fail (up to 87 of 96)"
    assert right["made"] < 40  # far from all that were in reach


def test_an_adaptive_gate_out_of_reach_is_refused_with_what_would_do(project: Project) -> None:
    project.write(scenario("Asks"), run={**ADAPTIVE, "runs": {"min": 5, "max": 19}})
    with pytest.raises(InvalidInput, match=r"19 runs cannot prove .*use at least 20 runs"):
        project.run()
    assert project.bot.requests == []


def test_a_quick_look_makes_as_many_runs_as_it_was_told_and_warns(project: Project) -> None:
    project.write(scenario("Asks"), run=ADAPTIVE)
    project.run(overrides={"run.runs": "5"})
    test, report = only_test(project), project.report()
    assert (test["made"], test["result"], test["stopped"]) == (5, "failed", False)
    assert "5 of 5 runs: lost" in test["gate"]["sentence"]
    (warning,) = [each for each in report["warnings"] if "run" in each and "judge" not in each]
    assert "cannot prove a pass rate of" in warning
    assert any("use at least 20 runs" in warning for warning in report["warnings"])


def test_a_scenario_and_a_case_can_have_a_range_of_their_own(project: Project) -> None:
    case = 'from ci_judge import case\n\n\n@case("Says \\"ok\\".", gate="adaptive",\n'
    case += '      runs={"min": 4, "max": 9}, threshold=0.5)\ndef test_own():\n    return "ok"\n'
    own = scenario("Own", gate="adaptive", runs={"min": 6, "max": 30}, threshold=0.5)
    project.write(own, scenario("Other"), cases=case, run={"cache": "off", "confidence": "0.8"})
    project.run()
    tests = {test["id"]: test for group in project.report()["groups"] for test in group["tests"]}
    assert tests["refunds/own"]["stopped_after"] == 6
    assert tests["case_shop.py::test_own"]["stopped_after"] == 4
    assert tests["refunds/other"]["stopped_after"] is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"misses": 1}, "misses needs a number of runs"),
        ({"gate": "exact"}, "gate needs a number of runs: min and max are for gate: adaptive"),
        ({"gate": "exact", "runs": {"min": 2, "max": 9}}, "runs needs a number of runs"),
        ({"runs": {"min": 9, "max": 2}}, "max is less than min, which is 9"),
    ],
)
def test_runs_that_do_not_fit_their_gate_are_refused(
    project: Project, changes: dict[str, Any], said: str
) -> None:
    project.write(scenario("Asks", **changes), run=ADAPTIVE)
    with pytest.raises(InvalidInput) as refused:
        project.run()
    assert said in str(refused.value)


def test_errors_in_a_row_end_a_test_and_the_rest_is_not_run(project: Project) -> None:
    run = {"runs": 10, "threshold": "0.7", "concurrency": 1, "max_errors": 4}
    project.write(scenario("Asks", "broken"), run=run)
    project.run(overrides={"judge.concurrency": 1})
    test = only_test(project)
    assert test["result"] == "error"
    assert 4 <= test["errors"] <= 6  # those under way go on
    assert test["not_run"] == 10 - test["errors"]
    left = [run for run in test["runs"] if run["outcome"] == "not_run"]
    assert {run["reason_code"] for run in left} == {"max_errors"}
    assert "after 4 errors in a row" in json.dumps(left)
