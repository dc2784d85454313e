"""Shards as commands write them, merged as a person would merge them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ci_judge.cli.front import commands
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import CiJudgeError, ExitCode, InvalidInput
from ci_judge.renderers.report_schema import validate_report
from ci_judge.workflows.merging import merge_reports
from tests.small_suites import SmallSuite, a_row, a_small_suite, by_id, without_times

CASES = """
from ci_judge import case

@case("The price is 80.")
def test_price():
    return {"actual": 80, "expected": 80}

@case("The price is 70.", runs=3, threshold=0.2)
def test_wrong():
    return {"actual": 80, "expected": 70}
"""
SOME = (
    a_row("asks", "right"),
    a_row("haggles", "2 of 4"),
    a_row("begs", "wrong"),
    a_row("waits", "right", criterion="delivery", advisory=True),
    a_row("later", "right", criterion="delivery", skip="not yet"),
)


@pytest.fixture
def suite(tmp_path: Path) -> Iterator[SmallSuite]:
    with a_small_suite(tmp_path / "suite") as made:
        yield made


def shards(suite: SmallSuite, count: int) -> list[Path]:
    for index in range(1, count + 1):
        suite.run(f"s{index}", shard=f"{index}/{count}")
    return [suite.report(f"s{index}") for index in range(1, count + 1)]


def merge(
    suite: SmallSuite, *reports: Path, into: str = "merged", flags: tuple[str, ...] = ()
) -> Result:
    folder = suite.folder / into
    arguments = ["merge", *map(str, reports), "--report-dir", str(folder), *flags]
    return CliRunner().invoke(commands, arguments, standalone_mode=False)


def merged(suite: SmallSuite, *reports: Path) -> Any:
    result = merge(suite, *reports)
    assert result.exception is None, result.exception
    report = json.loads(suite.report("merged").read_text("utf-8"))
    assert not validate_report(report)
    assert result.return_value == report["exit_code"]
    return report


def comparable(report: Any) -> Any:
    """Give what a merged report and an unsharded one must have in common: all but the times."""
    shown = without_times(report)
    del shown["settings"]["report"]["dir"]
    return shown


def problems(suite: SmallSuite, *reports: Path) -> list[str]:
    result = merge(suite, *reports)
    assert isinstance(result.exception, InvalidInput), result.exception or result.output
    return [str(problem) for problem in result.exception.problems]


def changed(report: Path, name: str, change: Callable[[Any], None]) -> Path:
    """Write a copy of a report in which something is different."""
    document = json.loads(report.read_text("utf-8"))
    change(document)
    copy = report.with_name(name)
    copy.write_text(json.dumps(document), "utf-8")
    return copy


def _runs(message: str, runs: int) -> dict[str, int]:
    """Let too few runs break to bring a whole command to a halt: each shard counts for itself."""
    return {"runs": 1 if message == "broken" else runs}


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["right", "wrong", "broken", "1 of 2", "3 of 4"]),
        st.sampled_from(["refunds", "delivery"]),
        st.sampled_from([{}, {}, {"advisory": True}, {"skip": "later"}, {"threshold": 0.1}]),
        st.integers(1, 4),
    ),
    min_size=1,
    max_size=6,
)


def test_merged_shards_are_the_unsharded_report(suite: SmallSuite) -> None:
    @settings(max_examples=10, phases=(Phase.explicit, Phase.generate))
    @given(rows=ROWS, count=st.integers(1, 5), turned=st.booleans())
    def holds(rows: list[Any], count: int, turned: bool) -> None:  # noqa: FBT001 - by hypothesis
        suite.write(
            *(
                a_row(f"t{place}", message, criterion=criterion, **more, **_runs(message, runs))
                for place, (message, criterion, more, runs) in enumerate(rows)
            ),
            run={"threshold": "0.4", "gate": "rate"},
        )
        whole = suite.run("whole")
        parts = shards(suite, count)
        again = merged(suite, *(reversed(parts) if turned else parts))
        assert comparable(again) == comparable(whole)

    holds()


def test_cases_and_scenarios_come_back_in_the_order_of_the_suite(suite: SmallSuite) -> None:
    suite.write(*SOME, cases=CASES, run={"gate": "rate"})
    whole = suite.run("whole")
    assert comparable(merged(suite, *shards(suite, 3))) == comparable(whole)
    assert len(by_id(whole)) == 7
    files = {path.name for path in (suite.folder / "merged").iterdir()}
    assert files == {"report.json", "junit.xml", "report.html", "summary.md", "attempts.jsonl"}


def test_every_part_names_all_tests_and_runs_its_own_alone(suite: SmallSuite) -> None:
    suite.write(*SOME)
    parts = [json.loads(path.read_text("utf-8")) for path in shards(suite, 2)]
    planned = [part["run"]["shard"]["planned_ids"] for part in parts]
    whole = list(by_id(suite.run("whole")))
    assert planned == [whole, whole]
    ran = [sorted(by_id(part)) for part in parts]
    assert ran == [sorted(whole)[0::2], sorted(whole)[1::2]]
    assert [part["run"]["complete"] for part in parts] == [False, False]
    assert parts[0]["headline"].startswith("Shard 1 of 2: ")


def test_an_empty_shard_is_no_failure_and_says_so(suite: SmallSuite) -> None:
    suite.write(SOME[0])
    report = suite.run("s2", shard="2/2")
    assert (report["exit_code"], report["status"]) == (0, "skipped")
    assert report["headline"] == (
        "Shard 2 of 2: none of the 1 tests is in this part, nothing was judged."
    )
    assert suite.served.requests == []
    files = {path.name for path in (suite.folder / "s2").iterdir()}
    assert files == {"report.json", "junit.xml", "report.html", "summary.md", "attempts.jsonl"}
    text = (suite.folder / "s2/summary.md").read_text("utf-8")
    assert "Shard 2 of 2: no test is in this part" in text


def test_a_missing_shard_makes_errors_of_its_tests(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), a_row("begs", "right"), a_row("waits", "right"))
    _, second = shards(suite, 2)
    report = merged(suite, second)
    assert (report["status"], report["exit_code"]) == ("error", 3)
    assert report["run"]["missing_shards"] == [1]
    assert "Shard 1 of 2 is missing." in report["headline"]
    results = {test_id: test["result"] for test_id, test in by_id(report).items()}
    assert results == {"refunds/asks": "error", "refunds/begs": "passed", "refunds/waits": "error"}
    lost = by_id(report)["refunds/asks"]
    assert [run["reason"] for run in lost["runs"]] == ["shard 1 of 2 is missing"] * 4
    assert (
        lost["gate"]["sentence"] == "Undecided: shard 1 of 2 is missing, its report was not given."
    )
    assert report["summary"]["runs_planned"] == 12
    for name in ("summary.md", "junit.xml", "report.html"):
        assert "shard 1 of 2 is missing" in (suite.folder / "merged" / name).read_text("utf-8")
    text = (suite.folder / "merged/summary.md").read_text("utf-8")
    assert "run the missing shard (a part of the tests) again, then merge again" in text


@pytest.mark.parametrize("fail_on", ["failure", "never"])
def test_a_missing_shard_is_forgiven_by_nothing(suite: SmallSuite, fail_on: str) -> None:
    suite.write(a_row("asks", "right"), run={"fail_on": fail_on})
    suite.run("s2", shard="2/2")
    report = merged(suite, suite.report("s2"))
    assert (report["status"], report["exit_code"]) == ("error", 3)


def test_a_missing_shard_without_any_test_is_not_passed_over(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    suite.run("s1", shard="1/2")
    report = merged(suite, suite.report("s1"))
    assert (report["status"], report["exit_code"]) == ("error", 3)
    assert "shard 2 is missing" in (suite.folder / "merged/summary.md").read_text("utf-8")


def test_a_failed_gate_wins_over_a_missing_shard(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "wrong"), a_row("begs", "right"))
    first, _ = shards(suite, 2)
    report = merged(suite, first)
    assert (report["status"], report["exit_code"]) == ("failed", 1)


def test_the_step_summary_is_appended_and_cut_at_the_border_of_a_block(suite: SmallSuite) -> None:
    """GitHub drops a summary of more than 1 MiB as a whole."""
    suite.write(*SOME)
    parts = shards(suite, 2)
    page = suite.folder / "page"
    page.write_text("# other\n")
    merge(suite, *parts, flags=("--step-summary", str(page)))
    whole = (suite.folder / "merged/summary.md").read_bytes()
    assert page.read_bytes() == b"# other\n" + whole
    others = b"x" * (900 * 1024 - len(whole) // 2) + b"\n"
    page.write_bytes(others)
    merge(suite, *parts, flags=("--step-summary", str(page)))
    added = page.read_bytes().removeprefix(others).decode()
    assert added.startswith("### ")
    assert "Shortened to fit here" in added
    assert page.stat().st_size <= 900 * 1024
    assert (suite.folder / "merged/summary.md").read_bytes() == whole


def test_a_step_summary_that_cannot_be_written_costs_nothing_else(suite: SmallSuite) -> None:
    suite.write(*SOME)
    page = suite.folder / "nowhere" / "page"
    result = merge(suite, *shards(suite, 2), flags=("--step-summary", str(page)))
    assert "warning: The step summary could not be written: No such file" in result.stderr
    assert (suite.folder / "merged/summary.md").is_file()


def test_the_whole_is_held_against_a_baseline(suite: SmallSuite) -> None:
    gone = a_row("gone", "right", criterion="delivery")
    suite.write(a_row("asks", "wrong"), a_row("begs", "right"), gone)
    suite.run("old")
    suite.write(a_row("asks", "wrong"), a_row("begs", "right"), run={"fail_on": "regression"})
    parts = shards(suite, 2)
    flags = ("--baseline", str(suite.report("old")))
    result = merge(suite, *parts, flags=flags)
    report = json.loads(suite.report("merged").read_text("utf-8"))
    assert result.return_value == report["exit_code"] == 1
    assert report["summary"]["regressions"] == 1
    assert [test["name"] for test in report["baseline"]["removed"]] == ["gone"]
    assert by_id(report)["refunds/asks"]["change"]["kind"] == "unchanged"


def test_what_another_shard_runs_is_not_called_removed(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "wrong"), a_row("begs", "right"))
    suite.run("old")
    baseline = str(suite.report("old"))
    for index in (1, 2):
        shard = f"{index}/2"
        part = suite.run(f"s{index}", shard=shard, baseline=baseline, fail_on="regression")
        assert (part["exit_code"], part["baseline"]["removed"]) == (0, [])
        assert "removed tests cannot be told" in part["baseline"]["note"]


def test_without_a_baseline_nothing_can_have_been_there_before(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "wrong"), run={"fail_on": "regression"})
    report = merged(suite, *shards(suite, 1))
    assert (report["exit_code"], report["status"]) == (1, "failed")
    assert "knows only that of --baseline" in report["headline"]


def test_an_interrupted_shard_interrupts_the_whole(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), a_row("begs", "right"))
    first, second = shards(suite, 2)

    def interrupted(document: Any) -> None:
        document["run"]["interrupted"] = True
        document["status"], document["exit_code"] = "interrupted", 143

    report = merged(suite, first, changed(second, "cut.json", interrupted))
    assert (report["status"], report["exit_code"]) == ("interrupted", 143)
    assert report["run"]["interrupted"] is True


def test_the_order_and_the_places_of_the_reports_change_nothing(suite: SmallSuite) -> None:
    suite.write(*SOME)
    first, second, third = shards(suite, 3)
    one = comparable(merged(suite, first, second, third))
    assert comparable(merged(suite, third, first, second)) == one


def test_reports_of_different_runs_are_refused_with_the_difference(suite: SmallSuite) -> None:
    suite.write(*SOME)
    first, second = shards(suite, 2)
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("seed", {"seed": 8}, "the setting run.seed differs"),
        ("settings", {"threshold": "0.3"}, "the setting run.threshold differs"),
        ("count", {"shard": "2/3"}, "one is of 2 shards, the other of 3"),
    ]
    for name, run, wrong in cases:
        suite.run(name, **({"shard": "2/2"} | run))
        (problem,) = problems(suite, first, suite.report(name))
        assert problem.startswith(f"{suite.report(name)}: does not belong to {first}: {wrong}")
    suite.write(*SOME[:-1], a_row("later", "wrong", criterion="delivery"))
    suite.run("suite", shard="2/2")
    (problem,) = problems(suite, first, suite.report("suite"))
    assert "their tests, target or judge differ" in problem
    (problem,) = problems(suite, first, first)
    assert f"is shard 1 of 2, and so is {first}" in problem
    assert "\n" not in problem
    assert not (suite.folder / "merged/report.json").exists()
    assert list((suite.folder / "merged").iterdir()) == []
    assert second.exists()


def test_shards_of_two_runs_are_refused(suite: SmallSuite) -> None:
    suite.write(*SOME, run={"seed": None})
    for index in (1, 2):
        suite.environment |= {"GITHUB_RUN_ID": str(index), "GITHUB_RUN_ATTEMPT": "1"}
        suite.run(f"s{index}", shard=f"{index}/2")
    (problem,) = problems(suite, suite.report("s1"), suite.report("s2"))
    assert ": their seeds are " in problem
    assert "(repeat all shards, or set run.seed)" in problem


def test_shards_of_two_attempts_of_one_run_are_merged(suite: SmallSuite) -> None:
    suite.write(*SOME, run={"seed": None})
    for index in (1, 2):
        suite.environment |= {"GITHUB_RUN_ID": "7", "GITHUB_RUN_ATTEMPT": str(index)}
        suite.run(f"s{index}", shard=f"{index}/2")
    together = [suite.report("s1"), suite.report("s2")]
    assert len(by_id(merged(suite, *together))) == len(SOME)


def test_a_shard_that_was_repeated_and_did_not_go_on_is_told_of(suite: SmallSuite) -> None:
    suite.write(*SOME)
    reports = shards(suite, 2)

    def of_attempt(number: int) -> Callable[[Any], None]:
        return lambda report: report["run"].update(attempt=number)

    first, again = (
        changed(reports[0], "first.json", of_attempt(1)),
        changed(reports[1], "again.json", of_attempt(2)),
    )
    (told,) = [text for text in merged(suite, first, again)["warnings"] if "repeated" in text]
    assert told.startswith("shard 2 of 2 was repeated in attempt 2 without --continue-from")
    both = [
        changed(report, f"both{place}.json", of_attempt(2)) for place, report in enumerate(reports)
    ]
    assert not any("repeated" in text for text in merged(suite, *both)["warnings"])


def test_shards_that_were_dealt_differently_are_refused(suite: SmallSuite) -> None:
    suite.write(*SOME)
    report = suite.run("old")
    for run in by_id(report)["refunds/asks"]["runs"]:
        run["duration_seconds"] = 1000
    (suite.folder / "slow.json").write_text(json.dumps(report), "utf-8")
    suite.run("s1", shard="1/2", balance="slow.json")
    suite.run("s2", shard="2/2")
    (problem,) = problems(suite, suite.report("s1"), suite.report("s2"))
    assert "the tests were shared out differently" in problem


def _other_version(document: Any) -> None:
    document["schema_version"] = 99


def _other_release(document: Any) -> None:
    document["tool"]["version"] = "99.0"


def _other_commit(document: Any) -> None:
    document["run"]["commit"] = "f00"


def _no_shard(document: Any) -> None:
    document["run"]["shard"] = None


def _foreign_test(document: Any) -> None:
    mine = document["groups"][0]["tests"][0]
    mine["id"] = "refunds/asks"
    for run in mine["runs"]:
        run["test"] = "refunds/asks"


def _lost_run(document: Any) -> None:
    document["groups"][0]["tests"][0]["runs"].pop()


def _run_twice(document: Any) -> None:
    runs = document["groups"][0]["tests"][0]["runs"]
    runs[1] = runs[0]


def _far_run(document: Any) -> None:
    document["groups"][0]["tests"][0]["runs"][0]["number"] = 5


def _huge_plan(document: Any) -> None:
    document["run"]["shard"]["plan"][0]["tests"][0]["planned"] = 10**12


def _no_plan(document: Any) -> None:
    document["run"]["shard"]["plan"] = []


def _no_such_shard(document: Any) -> None:
    document["run"]["shard"]["index"] = 3


def _flipped_result(document: Any) -> None:
    document["groups"][0]["tests"][0]["result"] = "passed"


def _skipped_result(document: Any) -> None:
    document["groups"][0]["tests"][0]["result"] = "skipped"


def _unwaived_result(document: Any) -> None:
    document["groups"][0]["tests"][0]["result"] = "waived"


def _made_advisory(document: Any) -> None:
    document["groups"][0]["tests"][0]["advisory"] = True


def _looser_gate(document: Any) -> None:
    document["groups"][0]["tests"][0]["gate"] |= {"threshold": 0.0, "threshold_text": "0"}


def _fewer_runs(document: Any) -> None:
    test = document["groups"][0]["tests"][0]
    test["planned"], test["fails"], test["runs"] = 1, 1, test["runs"][:1]
    test["certain_fails"] = 1


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (_flipped_result, 'cannot have the result "passed"'),
        (_skipped_result, 'cannot have the result "skipped"'),
        (_unwaived_result, 'cannot have the result "waived"'),
        (_made_advisory, "was run by other rules than planned"),
        (_looser_gate, "was run by other rules than planned"),
        (_fewer_runs, "was run by other rules than planned"),
    ],
)
def test_a_failure_cannot_be_turned_into_a_pass(
    suite: SmallSuite, change: Callable[[Any], None], wrong: str
) -> None:
    suite.write(a_row("asks", "wrong"))
    (part,) = shards(suite, 1)
    found = problems(suite, changed(part, "changed.json", change))
    assert any(wrong in problem for problem in found), found


def _vote_of_nobody(document: Any) -> None:
    document["groups"][0]["tests"][0]["runs"][0]["votes"][0]["members"][0]["judge_index"] = 99


def _trial_of_nobody(document: Any) -> None:
    document["groups"][0]["tests"][0]["runs"][0]["trials"][0]["judge_index"] = 0


@pytest.mark.parametrize("change", [_vote_of_nobody, _trial_of_nobody])
def test_a_panel_has_the_votes_of_its_own_judges_alone(
    suite: SmallSuite, change: Callable[[Any], None]
) -> None:
    suite.write(
        a_row("asks", "right"), judge={"provider": "panel", "panel": [{"provider": "stub"}] * 2}
    )
    (part,) = shards(suite, 1)
    (problem,) = problems(suite, changed(part, "changed.json", change))
    assert "holds votes that no judge of the panel can have given" in problem


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (_other_version, "schema_version is 99"),
        (_other_release, "CI Judge "),
        (_other_commit, "they are of different commits"),
        (_no_shard, "is not the report of a shard"),
        (_foreign_test, 'the test "refunds/'),
        (_lost_run, "counts other runs than it holds"),
        (_run_twice, "holds its run 1 twice"),
        (_far_run, "holds a run that is none of its 4 planned ones"),
        (_huge_plan, "plans a test of more than 10,000 runs"),
        (_no_plan, "plans other tests than its shards have"),
        (_no_such_shard, "cannot be shard 3 of 2"),
    ],
)
def test_a_report_that_was_changed_is_refused(
    suite: SmallSuite, change: Callable[[Any], None], wrong: str
) -> None:
    suite.write(a_row("asks", "right"), a_row("begs", "right"))
    first, second = shards(suite, 2)
    found = problems(suite, first, changed(second, "changed.json", change))
    assert any(wrong in problem for problem in found), found
    assert all("changed.json" in problem and "\n" not in problem for problem in found)


def test_everything_wrong_with_several_reports_is_told_at_once(
    suite: SmallSuite, tmp_path: Path
) -> None:
    suite.write(a_row("asks", "right"))
    (part,) = shards(suite, 1)
    damaged, other = tmp_path / "damaged.json", tmp_path / "other.json"
    damaged.write_text(part.read_text("utf-8")[:500], "utf-8")
    other.write_text("[]", "utf-8")
    found = problems(suite, damaged, other, tmp_path / "gone.json")
    assert [problem.partition(": ")[0].partition(":")[0] for problem in found] == [
        str(damaged),
        str(other),
        str(tmp_path / "gone.json"),
    ]


def test_the_report_of_a_shard_is_never_replaced_by_the_merged_one(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    (part,) = shards(suite, 1)
    before = part.read_bytes()
    result = merge(suite, part, into="s1")
    assert isinstance(result.exception, CiJudgeError)
    assert "would be replaced by the new report" in str(result.exception)
    assert part.read_bytes() == before


def test_a_merged_report_cannot_be_merged_again(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"))
    merged(suite, *shards(suite, 1))
    result = merge(suite, suite.report("merged"), into="twice")
    assert "is not the report of a shard" in str(result.exception)


def test_a_stop_before_the_end_leaves_no_draft(suite: SmallSuite) -> None:
    folder = suite.folder / "drafts"
    folder.mkdir()
    with pytest.raises(InvalidInput):
        merge_reports([suite.folder / "gone.json"], folder=folder)
    assert list(folder.iterdir()) == []


def test_a_stopped_shard_is_undecided_in_the_whole(suite: SmallSuite) -> None:
    suite.write(a_row("asks", "right"), a_row("begs", "right"))
    sign = StopSign()
    sign.stop("interrupted by SIGTERM", exit_code=ExitCode.TERMINATED)
    suite.run("s1", shard="1/2")
    with pytest.raises(CiJudgeError):
        suite.run("s2", sign, shard="2/2")
    report = merged(suite, suite.report("s1"))
    assert report["exit_code"] == 3


ADAPTIVE = {"gate": "adaptive", "runs": {"min": 5, "max": 12}, "threshold": "0.5"}


def attempts(suite: SmallSuite) -> tuple[Path, Path]:
    """Give a shard's report of a first attempt, and the other's of a second one."""
    suite.write(a_row("asks", "right"), a_row("begs", "1 of 2"), run=ADAPTIVE)
    suite.run("first", shard="1/2")
    suite.run("failed", shard="2/2")
    suite.run("second", shard="2/2", goes_on_from=suite.report("failed"))
    return suite.report("first"), suite.report("second")


def test_an_adaptive_test_that_went_on_may_have_more_runs_than_planned(suite: SmallSuite) -> None:
    report = merged(suite, *attempts(suite))
    begs = by_id(report)["refunds/begs"]
    assert (begs["planned"], begs["gate"]["max_runs"]) == (24, 12)
    assert begs["made"] > begs["carried_runs"] > 0
    of_the_other = by_id(report)["refunds/asks"]["made"]
    assert report["run"]["rerun"]["carried_runs"] == begs["carried_runs"] + of_the_other


def test_no_other_test_may(suite: SmallSuite) -> None:
    first, second = attempts(suite)

    def forget(document: Any) -> None:
        by_id(document)["refunds/begs"]["carried_runs"] = 0

    (problem,) = problems(suite, first, changed(second, "forgets.json", forget))
    assert '"refunds/begs" was run by other rules than planned' in problem
