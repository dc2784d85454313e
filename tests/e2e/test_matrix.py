"""The matrix of the example workflow, each job a process, merged as its last job does."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.commands import REPOSITORY, Result, ci_judge, copy_of
from tests.small_suites import by_id, without_times

WORKFLOW = REPOSITORY / "examples/workflows/sharded-matrix.yml"
ONE_BY_ONE = ("--concurrency", "1")
"""So that the bot, which counts what it is asked, gives the same answer to the same run."""

RUN = {"GITHUB_RUN_ID": "4711", "GITHUB_RUN_ATTEMPT": "1"}
"""What all jobs of one run are told; nothing else binds them."""


def workflow() -> Any:
    return yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]


def shards_of_the_matrix() -> list[str]:
    """Fill in the input ``shard`` as the runner would for each job of the matrix."""
    job = workflow()["shard"]
    matrix = job["strategy"]["matrix"]["shard"]
    (written,) = [step["with"]["shard"] for step in job["steps"] if "shard" in step.get("with", {})]
    assert written == "${{ matrix.shard }}/${{ strategy.job-total }}"
    return [f"{index}/{len(matrix)}" for index in matrix]


def words_of_the_merge() -> list[str]:
    """Give the command of the step that merges, behind the image."""
    (script,) = [
        step["run"] for step in workflow()["gate"]["steps"] if "merge" in step.get("run", "")
    ]
    mounted = '--volume "$GITHUB_STEP_SUMMARY:/summary.md"'
    before, words = re.split(r"ghcr\.io/\S+ ", script)
    assert mounted in before
    return ["step-summary.md" if word == "/summary.md" else word for word in shlex.split(words)]


def merge(folder: Path) -> Result:
    command, pattern, *flags = words_of_the_merge()
    reports = sorted(path.relative_to(folder) for path in folder.glob(pattern))
    return ci_judge(command, *map(str, reports), *flags, cwd=folder, **RUN)


def report_in(path: Path) -> Any:
    return json.loads((path / "report.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder in which the last job has all parts, merged."""
    top = tmp_path_factory.mktemp("matrix")
    gate = top / "gate"
    for shard in shards_of_the_matrix():
        index = shard.partition("/")[0]
        folder = copy_of("faq-bot", top / index)
        result = ci_judge("run", "--shard", shard, *ONE_BY_ONE, cwd=folder, **RUN)
        assert result.exit_code in {0, 1}, result.out + result.err
        (gate / f"shards/ci-judge-shard-{index}").mkdir(parents=True)
        shutil.copy(folder / "ci-judge-report/report.json", gate / f"shards/ci-judge-shard-{index}")
    result = merge(gate)
    assert result.exit_code == 1, result.out + result.err
    assert result.err == ""
    return gate


def test_the_merged_report_is_that_of_one_job(merged: Path, tmp_path: Path) -> None:
    again = report_in(merged / "ci-judge-report")
    folder = copy_of("faq-bot", tmp_path)
    seed = str(again["run"]["seed"])
    result = ci_judge("run", "--seed", seed, *ONE_BY_ONE, cwd=folder, **RUN)
    assert result.exit_code == 1, result.err
    whole = report_in(folder / "ci-judge-report")
    whole["settings"]["run"]["seed"] = None
    assert without_times(again) == without_times(whole)


def test_every_format_of_the_merged_report_is_there(merged: Path) -> None:
    names = {path.name for path in (merged / "ci-judge-report").iterdir()}
    assert names == {"report.json", "junit.xml", "report.html", "summary.md", "attempts.jsonl"}
    for summary in ("ci-judge-report/summary.md", "step-summary.md"):
        assert "1 of 15 tests failed" in (merged / summary).read_text("utf-8")


def test_no_shard_was_told_of_another_and_all_drew_by_one_seed(merged: Path) -> None:
    parts = [report_in(path) for path in sorted((merged / "shards").iterdir())]
    assert len({part["run"]["seed"] for part in parts}) == 1
    tests = [set(by_id(part)) for part in parts]
    assert len(tests) == 3
    assert all(tests)
    assert sum(map(len, tests)) == len(set().union(*tests)) == 15


def test_a_job_that_left_no_report_is_an_error_of_the_whole(merged: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    for part in (merged / "shards").iterdir():
        if not report_in(part)["summary"]["failed"]:
            shutil.copytree(part, gate / "shards" / part.name)
    result = merge(gate)
    assert result.exit_code == 3, result.out + result.err
    assert re.search(r"shard \d of 3 is missing", result.out)


def test_no_report_at_all_is_one_clear_line(tmp_path: Path) -> None:
    _, pattern, *flags = words_of_the_merge()
    result = ci_judge("merge", pattern, *flags, cwd=tmp_path)
    assert result.exit_code == 2
    assert result.err.startswith("error: shards/*/report.json: cannot be read: No such file")


@pytest.mark.parametrize("shard", ["0/4", "5/4", "a/b", "1/0"])
def test_an_impossible_shard_is_one_line_and_exit_code_2(tmp_path: Path, shard: str) -> None:
    folder = copy_of("faq-bot", tmp_path)
    result = ci_judge("run", "--shard", shard, cwd=folder)
    assert result.exit_code == 2
    assert result.err.startswith("error: --shard: run.shard must be ")
    assert result.err.count("\n") == 1


def test_gitlab_jobs_of_parallel_take_their_part_by_themselves(tmp_path: Path) -> None:
    folder = copy_of("faq-bot", tmp_path)
    told = {"GITLAB_CI": "true", "CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "40", "CI_PIPELINE_ID": "7"}
    result = ci_judge("run", cwd=folder, **told)
    assert result.exit_code in {0, 1}, result.err
    report = report_in(folder / "ci-judge-report")
    assert len(by_id(report)) == 1
    assert report["headline"].startswith("Shard 2 of 40 (CI_NODE_INDEX and CI_NODE_TOTAL): ")
