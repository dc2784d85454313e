"""Which part a command takes, by whom it was told, and what all parts must have in common."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ci_judge.errors import InvalidInput
from tests.small_suites import SmallSuite, a_row, a_small_suite, by_id

GITHUB = {"GITHUB_RUN_ID": "4711", "GITHUB_RUN_ATTEMPT": "1"}
GITLAB = {"GITLAB_CI": "true", "CI_PIPELINE_ID": "11"}


@pytest.fixture
def suite(tmp_path: Path) -> Iterator[SmallSuite]:
    with a_small_suite(tmp_path / "suite") as made:
        made.write(*(a_row(f"t{number}", "right") for number in range(4)), run={"seed": None})
        yield made


def seeds(suite: SmallSuite, **environment: str) -> set[int]:
    suite.environment |= environment
    parts = [suite.run(f"s{index}", shard=f"{index}/2") for index in (1, 2)]
    return {part["run"]["seed"] for part in parts}


def test_shards_of_one_run_share_a_seed_and_another_run_has_another(suite: SmallSuite) -> None:
    first, second = seeds(suite, **GITHUB), seeds(suite, **(GITHUB | {"GITHUB_RUN_ID": "4712"}))
    assert (len(first), len(second)) == (1, 1)
    assert first != second
    assert max(first | second) < 2**53


def test_another_attempt_keeps_the_seed(suite: SmallSuite) -> None:
    again = GITHUB | {"GITHUB_RUN_ATTEMPT": "2"}
    assert seeds(suite, **GITHUB) == seeds(suite, **again)


def test_shards_of_one_pipeline_share_a_seed(suite: SmallSuite) -> None:
    first, second = seeds(suite, **GITLAB), seeds(suite, **(GITLAB | {"CI_PIPELINE_ID": "12"}))
    assert (len(first), len(second)) == (1, 1)
    assert first != second


def test_a_seed_that_is_given_is_used(suite: SmallSuite) -> None:
    suite.environment |= GITHUB
    assert suite.run("s1", shard="1/2", seed=5)["run"]["seed"] == 5


def test_outside_of_a_ci_shards_agree_where_nothing_is_drawn(suite: SmallSuite) -> None:
    assert seeds(suite) == {0}


def test_outside_of_a_ci_a_judge_that_draws_needs_a_seed(suite: SmallSuite) -> None:
    suite.write(
        a_row("asks", "right"),
        run={"seed": None},
        judge={
            "provider": "systemone",
            "model": "m",
            "base_url": "http://127.0.0.1:9",
            "mode": "sample",
        },
    )
    with pytest.raises(InvalidInput, match=r"no CI run is known to derive it from .*--seed"):
        suite.run("s1", shard="1/2")
    assert suite.served.requests == []


def test_a_run_of_all_tests_has_a_fresh_seed_in_a_ci_too(suite: SmallSuite) -> None:
    suite.environment |= GITHUB
    assert suite.run("one")["run"]["seed"] != suite.run("two")["run"]["seed"]


def test_gitlab_tells_a_job_its_part(suite: SmallSuite) -> None:
    suite.environment |= GITLAB | {"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "2"}
    suite.environment |= {"CI_JOB_NAME": "judge 2/2"}
    report = suite.run("out")
    assert sorted(by_id(report)) == ["refunds/t1", "refunds/t3"]
    assert report["headline"].startswith("Shard 2 of 2 (CI_NODE_INDEX and CI_NODE_TOTAL): ")


@pytest.mark.parametrize(
    "told",
    [
        GITLAB | {"CI_NODE_TOTAL": "1", "CI_NODE_INDEX": "1"},
        GITLAB | {"CI_NODE_TOTAL": "1"},
        GITLAB,
        {"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "2"},  # not GitLab's
        GITLAB
        | {
            "CI_NODE_INDEX": "2",
            "CI_NODE_TOTAL": "2",
            "CI_JOB_NAME": "judge: [3.12, eu]",
        },  # matrix
    ],
)
def test_a_job_that_is_alone_or_of_a_matrix_runs_everything(
    suite: SmallSuite, told: dict[str, str]
) -> None:
    suite.environment |= told
    report = suite.run("out")
    assert len(by_id(report)) == 4
    assert report["run"]["shard"] is None


def test_a_shard_that_was_asked_for_wins_over_gitlab(suite: SmallSuite) -> None:
    suite.environment |= GITLAB | {"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "2"}
    report = suite.run("out", shard="1/1")
    assert len(by_id(report)) == 4
    assert report["headline"].startswith("Shard 1 of 1: ")


def test_a_variable_asks_for_a_shard_too(suite: SmallSuite) -> None:
    suite.environment |= {"CI_JUDGE_RUN_SHARD": "2/2"}
    assert sorted(by_id(suite.run("out"))) == ["refunds/t1", "refunds/t3"]


def test_what_gitlab_cannot_have_meant_is_an_error(suite: SmallSuite) -> None:
    suite.environment |= GITLAB | {"CI_NODE_INDEX": "", "CI_NODE_TOTAL": "2"}
    with pytest.raises(InvalidInput, match=r"CI_NODE_INDEX and CI_NODE_TOTAL: .* is no shard"):
        suite.run("out")


def slow(report: Any, **seconds: float) -> Any:
    for name, took in seconds.items():
        for run in by_id(report)[f"refunds/{name}"]["runs"]:
            run["duration_seconds"] = took / 4
    return report


def test_an_earlier_report_balances_the_shards(suite: SmallSuite) -> None:
    report = slow(suite.run("old"), t0=9, t1=3, t2=3, t3=3)
    (suite.folder / "old.json").write_text(json.dumps(report), "utf-8")
    parts = [suite.run(f"s{i}", shard=f"{i}/2", balance="old.json") for i in (1, 2)]
    assert [sorted(by_id(part)) for part in parts] == [
        ["refunds/t0"],
        ["refunds/t1", "refunds/t2", "refunds/t3"],
    ]


def test_a_report_to_balance_by_that_is_none_is_an_error(suite: SmallSuite) -> None:
    with pytest.raises(InvalidInput, match=r"gone\.json: cannot be read"):
        suite.run("s1", shard="1/2", balance="gone.json")
    assert suite.served.requests == []


def test_selection_comes_before_the_shards(suite: SmallSuite) -> None:
    suite.names = "t1 or t3"
    parts = [suite.run(f"s{i}", shard=f"{i}/2") for i in (1, 2)]
    assert [sorted(by_id(part)) for part in parts] == [["refunds/t1"], ["refunds/t3"]]
    assert parts[0]["run"]["shard"]["planned_ids"] == ["refunds/t1", "refunds/t3"]
    assert parts[0]["run"]["shard"]["complete"] is False


def test_criteria_of_other_shards_are_not_said_to_be_uncovered(suite: SmallSuite) -> None:
    suite.write(a_row("a", "right"), a_row("b", "right", criterion="delivery"))
    part = suite.run("s2", shard="2/2")
    groups = {group["id"]: len(group["tests"]) for group in part["groups"]}
    assert groups == {"refunds": 1, "opening-hours": 0}
