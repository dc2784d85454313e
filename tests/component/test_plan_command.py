"""``ci-judge plan`` on a suite, with the flags that try other designs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ci_judge.cli.front import commands
from ci_judge.errors import CiJudgeError
from tests.small_suites import SmallSuite, a_row, a_small_suite


@pytest.fixture
def suite(tmp_path: Path) -> Iterator[SmallSuite]:
    with a_small_suite(tmp_path / "suite") as made:
        own = {"gate": "lower_bound", "runs": 20, "threshold": 0.7}
        made.write(a_row("asks", "right"), a_row("begs", "right", **own))
        yield made


def planned(suite: SmallSuite, *flags: str) -> Result:
    words = ["plan", "--config", str(suite.folder / "ci-judge.yaml"), *flags]
    return CliRunner().invoke(commands, words, standalone_mode=False)


def gates(suite: SmallSuite, *flags: str) -> list[str]:
    result = planned(suite, *flags)
    assert result.exception is None, result.exception
    assert result.return_value == 0
    assert not suite.served.requests
    return [line for line in result.output.splitlines() if line.startswith("gate ")]


OWN = "gate lower_bound, 70 % in 20 runs (1 test): needs at least 19 of 20"


def test_it_reads_the_suite_and_sends_nothing(suite: SmallSuite) -> None:
    output = planned(suite).output
    assert output.splitlines()[0] == (
        "gate lower_bound, 40 % in 4 runs (1 test): needs at least 4 of 4"
    )
    assert OWN in output
    assert "all 2 tests together" in output
    assert "requests to the target: 24" in output
    assert output.splitlines()[-1] == "2 tests, 24 runs, judge: stub. Nothing was sent."
    assert not suite.served.requests


def test_flags_try_another_design_where_a_test_has_no_own(suite: SmallSuite) -> None:
    flags = ("--gate", "exact", "--runs", "30", "--threshold", "0.8", "--confidence", "0.85")
    assert gates(suite, *flags) == [
        "gate exact, 80 % in 30 runs (1 test): needs at least 27 of 30",
        OWN.replace("19 of 20", "17 of 20"),
    ]


@pytest.mark.parametrize(
    ("flags", "first"),
    [
        (
            ("--gate", "adaptive", "--runs", '{"min": 20, "max": 100}', "--threshold", "0.8"),
            "gate adaptive, 80 % in 20 to 100 runs (1 test): needs 20 of 20",
        ),
        (
            ("--gate", "misses", "--misses", "1", "--runs", "9"),
            "gate misses, at most 1 of 9 runs (1 test): needs",
        ),
        (
            ("--threshold", "0.9"),
            "gate lower_bound, 90 % in 4 runs (1 test): cannot be passed",
        ),
    ],
)
def test_every_kind_can_be_tried_even_one_out_of_reach(
    suite: SmallSuite, flags: tuple[str, ...], first: str
) -> None:
    assert gates(suite, *flags)[0].startswith(first)


def test_the_design_that_it_proposes_can_be_tried_as_it_stands(suite: SmallSuite) -> None:
    line = next(line for line in planned(suite).output.splitlines() if "try one: " in line)
    words = line.split("ci-judge plan ")[1]
    gate, runs = words.removeprefix("--gate ").split(" --runs ")
    found = gates(suite, "--gate", gate, "--runs", runs.strip("'"))
    assert found[0].startswith("gate adaptive, ")


def test_tests_can_be_chosen(suite: SmallSuite) -> None:
    assert gates(suite, "-k", "begs") == [OWN]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--threshold", "80"), "--threshold"),
        (("--confidence", "1"), "--confidence"),
        (("--misses", "-1"), "--misses"),
    ],
)
def test_a_wrong_value_is_one_line_with_its_flag(
    suite: SmallSuite, flags: tuple[str, ...], said: str
) -> None:
    error = planned(suite, *flags).exception
    assert isinstance(error, CiJudgeError), error
    assert error.exit_code == 2
    assert said in str(error.problems[0])


def test_a_suite_that_cannot_be_read_is_no_plan(suite: SmallSuite) -> None:
    (suite.folder / "suite" / "refunds.yaml").write_text("criterion: nowhere\n", "utf-8")
    error = planned(suite).exception
    assert isinstance(error, CiJudgeError), error
    assert error.exit_code == 2
