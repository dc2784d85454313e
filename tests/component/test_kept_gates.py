"""Flags that change nothing for tests with a gate of their own: that is said."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ci_judge.cli.front import commands
from tests.small_suites import SmallSuite, a_row, a_small_suite

CASE = """
from ci_judge import case

@case("Is right")
def test_sum():
    return {"actual": 1, "expected": 1}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Iterator[SmallSuite]:
    with a_small_suite(tmp_path / "suite") as made:
        own = {"gate": "lower_bound", "runs": 20, "threshold": 0.7}
        made.write(a_row("asks", "right"), a_row("begs", "right", **own))
        yield made


def output(folder: Path, *words: str) -> str:
    (command, *flags) = words
    config = ["--config", str(folder / "ci-judge.yaml")]
    result: Result = CliRunner().invoke(commands, [command, *config, *flags], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.output


@pytest.mark.parametrize(("command", "mark"), [("plan", "note: "), ("check", "warning: ")])
def test_a_test_with_runs_of_its_own_is_named_where_the_flag_would_set_them(
    suite: SmallSuite, command: str, mark: str
) -> None:
    lines = output(suite.folder, command, "--runs", "30").splitlines()
    (line,) = [line for line in lines if "--runs changes" in line]
    assert line.startswith(
        f"{mark}--runs changes nothing for 1 of 2 tests, which keeps its own runs: "
    )
    assert "/begs" in line
    assert "@case" not in line


def test_each_flag_is_told_for_itself(suite: SmallSuite) -> None:
    flags = ("--gate", "exact", "--runs", "20", "--threshold", "0.8")
    lines = output(suite.folder, "plan", *flags).splitlines()
    told = [line.removeprefix("note: ").split()[0] for line in lines if "changes nothing" in line]
    assert sorted(told) == ["--gate", "--threshold"]  # twenty runs are what both have


def test_what_no_flag_says_is_no_matter(suite: SmallSuite) -> None:
    assert "changes nothing" not in output(suite.folder, "check")
    assert "changes nothing" not in output(suite.folder, "check", "--runs", "30", "-k", "asks")


def test_a_case_without_runs_is_told_how_to_get_more(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases/case_sum.py").write_text(CASE, encoding="utf-8")
    config = "suite: {paths: [cases]}\njudge: {provider: stub}\n"
    (tmp_path / "ci-judge.yaml").write_text(config, encoding="utf-8")
    said = output(tmp_path, "check", "--runs", "3")
    assert "--runs changes nothing for 1 of 1 test, which keeps its own runs" in said
    assert '@case("…", runs=10)' in said
