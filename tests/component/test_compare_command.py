"""Two reports held against each other on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ci_judge.cli.front import commands
from ci_judge.errors import CiJudgeError
from ci_judge.model.document import ReportDocument
from ci_judge.model.document import TestEntry as Entry
from ci_judge.renderers import json_report
from tests.builders import a_case, a_group, a_judge, a_report, a_test
from tests.hostile import NASTY, a_hostile_report

ONE, TWO, THREE = "g/one", "g/two", "g/three"


def passing(test_id: str, passes: int, runs: int = 20, **changes: Any) -> Entry:
    return a_test(test_id, passes=passes, fails=runs - passes, **({"result": "passed"} | changes))


def written(path: Path, *tests: Entry, **changes: Any) -> Path:
    document, runs = a_report(a_group(*tests), **changes)
    path.write_text("".join(json_report.render(document, runs)), "utf-8")
    return path


def asked(old: Path, new: Path, *flags: str) -> Result:
    arguments = ["compare", str(old), str(new), *flags]
    return CliRunner().invoke(commands, arguments, standalone_mode=False)


def compared(old: Path, new: Path, *flags: str) -> tuple[int, list[str]]:
    result = asked(old, new, *flags)
    assert result.exception is None, result.exception
    return result.return_value, result.output.splitlines()


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return written(
        tmp_path / "old.json",
        passing(ONE, 20),
        passing(TWO, 20),
        passing(THREE, 18),
        passing("g/gone", 20),
    )


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return written(
        tmp_path / "new.json",
        passing(ONE, 11),
        passing(TWO, 19),
        passing(THREE, 20),
        passing("g/new", 20),
    )


def test_it_says_what_got_worse_what_may_be_chance_and_what_could_have_been_seen(
    old: Path, new: Path
) -> None:
    code, lines = compared(old, new)
    assert code == 0
    assert lines[0].startswith("Compared with commit 4f2a9c81d0, of the same minute: ")
    assert lines[1:] == [
        (
            "the 3 compared tests together: 50 of 60 passed, was 58 of 60: worse by more"
            " than chance (p = 0.012, mid-p 0.007)"
        ),
        "worse: 1",
        (
            "  g/one by more than chance, 20 of 20 → 11 of 20, a drop of 45 points (20 to 66),"
            " p < 0.001"
        ),
        "better: 1",
        "  g/three 18 of 20 → 20 of 20, a rise of 10 points (-8 to 30)",
        "lower, within noise: 1",
        "  g/two 20 of 20 → 19 of 20, a drop of 5 points (-12 to 24), p = 0.437",
        "added: 1",
        "  g/new",
        "removed: 1",
        "  g/gone",
        (
            "All 4 gates passed. All compared tests together got worse than in the baseline, by"
            " more than chance. Of the baseline, 1 test is gone. This fails the step."
        ),
        "(With --fail-on regression, that is; without it this command ends with 0.)",
    ]


def test_where_nothing_is_proven_it_says_what_would_have_been_seen(
    old: Path, tmp_path: Path
) -> None:
    new = written(tmp_path / "new.json", passing(ONE, 19), passing(TWO, 20))
    _, lines = compared(old, new)
    assert lines[1] == (
        "the 2 compared tests together: 39 of 40 passed, was 40 of 40: lower, within noise"
        " (p = 0.500, mid-p 0.250); a drop of 14 points in all of them would probably have been"
        " seen"
    )
    assert "unchanged: 1 test" in lines


def test_the_exit_code_is_that_of_a_run_where_it_is_asked_for(old: Path, new: Path) -> None:
    assert compared(old, new, "--fail-on", "regression")[0] == 1
    assert compared(old, old, "--fail-on", "regression")[0] == 0
    assert compared(old, new, "--fail-on", "never")[0] == 0
    assert compared(old, new, "--fail-on", "regression")[1][-1].startswith("All 4 gates passed.")
    assert compared(old, old)[1][-1].startswith("All 4 gates passed. Nothing got worse")


@pytest.mark.parametrize("result", ["failed", "error"])
def test_what_could_not_be_decided_is_never_green(old: Path, tmp_path: Path, result: str) -> None:
    bad = (
        a_test(ONE, passes=5, errors=15, result="error")
        if result == "error"
        else a_test(ONE, fails=3)
    )
    new = written(tmp_path / "new.json", bad)
    assert compared(old, new, "--fail-on", "regression")[0] == 1  # tests are gone, too
    alone = written(tmp_path / "alone.json", passing(ONE, 20))
    assert compared(alone, new, "--fail-on", "regression")[0] == {"failed": 1, "error": 3}[result]


def test_alpha_is_the_reports_own_unless_another_is_given(old: Path, tmp_path: Path) -> None:
    tests = (passing(ONE, 15), passing(TWO, 20), passing(THREE, 18), passing("g/gone", 20))
    new = written(tmp_path / "new.json", *tests, settings={"run": {"alpha": 0.2}})
    assert compared(old, new, "--fail-on", "regression")[0] == 1
    assert compared(old, new, "--fail-on", "regression", "--alpha", "0.01")[0] == 0
    assert asked(old, new, "--alpha", "1").exception is not None


def test_another_judge_is_compared_on_purpose_alone(old: Path, tmp_path: Path) -> None:
    tests = (passing(ONE, 11), passing(TWO, 20), passing(THREE, 18), passing("g/gone", 20))
    new = written(tmp_path / "new.json", *tests, judge=a_judge(provider="openai"))
    code, lines = compared(old, new, "--fail-on", "regression")
    assert (code, lines[1]) == (0, "not comparable: 4")
    assert "  g/one another judge, model or prompt" in lines
    code, lines = compared(old, new, "--fail-on", "regression", "--across", "judge")
    assert (code, "worse: 1" in lines) == (1, True)
    assert compared(old, new, "--fail-on", "regression", "--across", "target")[0] == 0


def test_counts_of_first_runs_alone_are_told_as_such(tmp_path: Path) -> None:
    def may_stop(test_id: str, **counts: Any) -> Entry:
        test = passing(test_id, **counts)
        test["prefix"] = {"runs": 20, "passes": min(20, counts["passes"]), "judged": 20}
        return test

    old = written(tmp_path / "old.json", may_stop(ONE, passes=54, runs=58))
    new = written(tmp_path / "new.json", may_stop(ONE, passes=14, runs=20))
    _, lines = compared(old, new)
    told = "\n".join(lines)
    assert "the compared test, its first runs alone: 14 of 20 passed, was 20 of 20" in told
    assert ", first runs: 20 of 20 → 14 of 20, a drop of" in told


def test_single_runs_are_compared_in_pairs(tmp_path: Path) -> None:
    ids = [f"c.py::case_{n}" for n in range(10)]
    fewer = [a_case(each, passes=0, fails=1) for each in ids[:9]]
    old = written(tmp_path / "old.json", *map(a_case, ids[:9]), a_case(ids[9], passes=0, fails=1))
    new = written(tmp_path / "new.json", *fewer, a_case(ids[9]))
    _, lines = compared(old, new)
    assert (
        "single runs in pairs: 9 worse, 1 better, 0 the same (McNemar, two-sided: p = 0.021,"
        " mid-p 0.012)"
    ) in lines


def test_as_json_it_holds_what_the_report_would(old: Path, new: Path) -> None:
    code, lines = compared(old, new, "--json", "--fail-on", "regression")
    found = json.loads("".join(lines))
    assert (code, found["exit_code"], found["status"]) == (1, 1, "failed")
    assert found["regressions"] == 2
    assert found["baseline"]["suite"]["significant"]
    changes = {test["id"]: test["change"] for test in found["tests"]}
    assert changes[ONE]["difference"]["was_passes"] == 20
    assert [test["id"] for test in found["baseline"]["removed"]] == ["g/gone"]


def test_what_an_earlier_comparison_said_is_forgotten(old: Path, new: Path, tmp_path: Path) -> None:
    document: ReportDocument = json.loads(new.read_text("utf-8"))
    document["headline"] = "This fails the step, for it was better in the baseline or is new."
    document["exit_code"], document["status"] = 1, "failed"
    told = tmp_path / "told.json"
    told.write_text(json.dumps(document), "utf-8")
    assert compared(old, told) == compared(old, new)


def test_an_interrupted_run_is_no_baseline(new: Path, old: Path) -> None:
    document: ReportDocument = json.loads(old.read_text("utf-8"))
    document["run"]["interrupted"] = True
    old.write_text(json.dumps(document), "utf-8")
    error = asked(old, new).exception
    assert isinstance(error, CiJudgeError)
    assert error.exit_code == 2
    assert "it is the report of a run that was interrupted" in str(error.problems[0])
    assert isinstance(asked(new.parent / "none.json", new).exception, CiJudgeError)


@pytest.mark.parametrize("text", NASTY)
def test_what_strangers_wrote_stays_on_its_line(text: str, tmp_path: Path) -> None:
    document, runs = a_hostile_report(text)
    path = tmp_path / "hostile.json"
    path.write_text("".join(json_report.render(document, runs)), "utf-8")
    result = asked(path, path)
    assert result.exception is None, result.exception
    assert "\x1b" not in result.output
    assert not [line for line in result.output.splitlines() if line.startswith(("::", "##["))]
