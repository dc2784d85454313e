"""Nobody reads our output to its end: the run, its report and its exit code are the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.commands import LONGEST_SECONDS, REPOSITORY
from tests.runner_double import RunnerFiles, read_outputs

CASES = """\
from ci_judge import case
@case("equal")
def test_right():
    return {"actual": 1, "expected": 1}
@case("equal")
def test_wrong():
    return {"actual": 1, "expected": 2}
"""


def a_suite(folder: Path) -> None:
    (folder / "ci-judge.yaml").write_text(
        "suite: {paths: [case_two.py]}\njudge: {provider: stub}\n"
    )
    (folder / "case_two.py").write_text(CASES)


def into_a_closed_pipe(
    arguments: list[str], *, cwd: Path, environment: dict[str, str], both: bool = False
) -> tuple[int, str]:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd,
            env={"PATH": os.environ["PATH"]} | environment,
            stdout=writing,
            stderr=writing if both else subprocess.PIPE,
            timeout=LONGEST_SECONDS,
            check=False,
        )
    finally:
        os.close(writing)
    return done.returncode, (done.stderr or b"").decode()


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("flags", [[], ["--json"], ["--quiet"]])
def test_a_run_goes_on_and_says_nothing_of_it(
    tmp_path: Path, flags: list[str], *, both: bool
) -> None:
    a_suite(tmp_path)
    code, err = into_a_closed_pipe(
        ["-u", "-m", "ci_judge", "run", *flags],
        cwd=tmp_path,
        environment={"PYTHONPATH": str(REPOSITORY)},
        both=both,
    )
    assert (code, err) == (1, "")
    report = json.loads((tmp_path / "ci-judge-report/report.json").read_text())
    assert (report["summary"]["passed"], report["summary"]["failed"]) == (1, 1)
    for name in ("junit.xml", "report.html", "summary.md"):
        assert (tmp_path / "ci-judge-report" / name).stat().st_size, name


@pytest.mark.parametrize(("arguments", "code"), [(["check"], 0), (["--help"], 0), ([], 2)])
def test_other_commands_end_as_they_would(tmp_path: Path, arguments: list[str], code: int) -> None:
    a_suite(tmp_path)
    ended, err = into_a_closed_pipe(
        ["-u", "-m", "ci_judge", *arguments],
        cwd=tmp_path,
        environment={"PYTHONPATH": str(REPOSITORY)},
    )
    assert ended == code
    assert "Error" not in err
    assert "Exception" not in err


def test_the_action_sets_its_outputs_when_the_runner_has_stopped_reading(tmp_path: Path) -> None:
    files = RunnerFiles(tmp_path)
    a_suite(files.workspace)
    code, _ = into_a_closed_pipe(
        ["-I", "-u", str(REPOSITORY / "entrypoint.py")],
        cwd=files.workspace,
        environment=files.environment(),
        both=True,
    )
    assert code == 1
    assert read_outputs(files.output)["status"] == "failed"


def test_a_full_disk_behind_the_output_is_told_and_changes_no_verdict(tmp_path: Path) -> None:
    full_device = Path("/dev/full")
    if not full_device.exists():
        pytest.skip("this system has no /dev/full")
    a_suite(tmp_path)
    with full_device.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ci_judge", "run"],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)},
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=LONGEST_SECONDS,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"the output cannot be written: No space left on device\n"
