"""The SystemOne configuration of the example, against a mock server that others wrote."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.commands import ci_judge, copy_of
from tests.systemone_server import mock


def runs_of(report: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    return {test["id"]: test["runs"] for group in report["groups"] for test in group["tests"]}


def run_example(folder: Path, base_url: str, *arguments: str) -> dict[str, Any]:
    result = ci_judge(
        "run",
        *("--config", "ci-judge.systemone.yaml", *arguments),
        cwd=folder,
        CI_JUDGE_JUDGE_BASE_URL=base_url,
    )
    assert result.exit_code in {0, 1}, result.out + result.err
    report: dict[str, Any] = json.loads((folder / "ci-judge-report/report.json").read_text())
    assert report["exit_code"] == result.exit_code
    return report


def test_each_trial_is_a_seeded_draw_under_its_likelihood(tmp_path: Path) -> None:
    folder = copy_of("python-cases", tmp_path)
    with mock() as base_url:
        report = run_example(folder, base_url)
    runs = runs_of(report)
    assert len(runs) == 3
    assert report["summary"]["judge_requests"] == 9 + 1  # and one look before the first target
    for (run,) in runs.values():
        rulings = [trial["rulings"][0] for trial in run["trials"]]
        assert len(rulings) == 3
        for ruling in rulings:
            assert 0 <= ruling["probability"] <= 1
            assert ruling["passed"] == (ruling["draw"] < ruling["probability"])
        passes = sum(ruling["passed"] for ruling in rulings)
        assert (run["outcome"] == "pass") == (passes >= 2)
    assert report["judge"]["mode"] == "sample"
    assert report["judge"]["model"] == "jev-1.13.0"


def test_the_same_seed_gives_the_same_draws_and_another_does_not(tmp_path: Path) -> None:
    folder = copy_of("python-cases", tmp_path)

    def draws(*arguments: str) -> list[float]:
        report = run_example(folder, base_url, *arguments)
        return [
            trial["rulings"][0]["draw"]
            for (run,) in runs_of(report).values()
            for trial in run["trials"]
        ]

    with mock() as base_url:
        first = draws()
        assert draws("--concurrency", "1") == first
        assert draws("--seed", "8") != first


def test_a_server_that_wants_a_key_is_found_before_anything_is_judged(tmp_path: Path) -> None:
    folder = copy_of("python-cases", tmp_path)
    with mock(key="sk-0123456789") as base_url:
        result = ci_judge(
            "run",
            *("--config", "ci-judge.systemone.yaml"),
            cwd=folder,
            CI_JUDGE_JUDGE_BASE_URL=base_url,
        )
    assert result.exit_code == 2
    assert len(result.err.splitlines()) == 1
    assert "TYPESAFE_API_KEY" in result.err
