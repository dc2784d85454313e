from pathlib import Path

import pytest

from ci_judge.errors import ExitCode
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.outputs import (
    OUTPUTS,
    Published,
    outputs_of,
    outputs_without_report,
    write_outputs,
)
from tests.builders import a_document, a_group, a_skipped_test, a_test
from tests.runner_double import read_outputs


def test_the_outputs_of_a_report() -> None:
    document = a_document(
        a_group(a_test(), a_test("b", passes=7, fails=3), a_test("c", errors=1), a_skipped_test())
    )
    published = Published(
        report_dir="out", files={"json": "out/report.json"}, comment_url="https://c.example/1"
    )
    assert outputs_of(document, published) == {
        "status": "failed",
        "tests": "4",
        "passed": "1",
        "failed": "1",
        "errors": "1",
        "waived": "0",
        "skipped": "1",
        "regressions": "",
        "pass-rate": str(27 / 30),
        "cost-usd": "",
        "requests": "31",
        "report-dir": "out",
        "json": "out/report.json",
        "junit": "",
        "html": "",
        "markdown": "",
        "comment-url": "https://c.example/1",
        "seed": "7",
    }


def test_an_unknown_pass_rate_is_empty_and_a_zero_is_a_zero() -> None:
    nothing = outputs_of(a_document(a_group(a_test(passes=0, errors=2))), Published())
    zero = outputs_of(a_document(a_group(a_test(passes=0, fails=2))), Published())
    assert (nothing["pass-rate"], zero["pass-rate"]) == ("", "0.0")


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (ExitCode.PASSED, "passed"),
        (ExitCode.FAILED, "failed"),
        (ExitCode.INVALID, "invalid"),
        (ExitCode.NOTHING_TO_JUDGE, "invalid"),
        (ExitCode.UNDECIDED, "error"),
        (ExitCode.BUG, "error"),
        (ExitCode.INTERRUPTED, "interrupted"),
        (ExitCode.TERMINATED, "interrupted"),
        (99, "error"),
    ],
)
def test_every_output_is_set_without_a_report(code: int, status: str) -> None:
    values = outputs_without_report(code)
    assert list(values) == list(OUTPUTS)
    assert values.pop("status") == status
    assert set(values.values()) == {""}


def test_values_come_back_as_they_were_whatever_they_hold(tmp_path: Path) -> None:
    values = {"a": "x\nstatus=passed\nb<<EOF\nEOF", "b": "", "c": "é=<<", "d": "ends\n"}
    path = tmp_path / "output"
    path.write_text("earlier=1\n")
    write_outputs(path, values)
    assert read_outputs(path) == {"earlier": "1"} | values


def test_a_value_cannot_hold_its_own_delimiter(tmp_path: Path) -> None:
    with pytest.raises(SinkFailed, match='output "a" holds its own delimiter'):
        write_outputs(tmp_path / "output", {"a": "x\nWORD\ny=1"}, new_token=lambda: "WORD")


def test_an_unwritable_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SinkFailed, match="outputs could not be written"):
        write_outputs(tmp_path, {"a": "1"})
