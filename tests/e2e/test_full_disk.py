"""A disk that is full when the report is written: what fits is there, and the verdict stands."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.commands import LONGEST_SECONDS, REPOSITORY, ci_judge

BLOCKS = 12  # of 512 or 1024 bytes, as the shell likes it: room for all but the HTML
CASES = """\
from ci_judge import case
@case("equal")
def test_wrong():
    return {"actual": 1, "expected": 2}
"""


def run_with_little_room(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ci_judge", "run", *arguments]
    return subprocess.run(
        ["/bin/sh", "-c", f'ulimit -f {BLOCKS} && exec "$@"', "sh", *command],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(REPOSITORY),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )


def test_what_does_not_fit_costs_neither_the_others_nor_the_verdict(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.yaml").write_text(
        "suite: {paths: [case_one.py]}\njudge: {provider: stub}\n"
    )
    (tmp_path / "case_one.py").write_text(CASES)
    done = run_with_little_room(tmp_path)
    assert done.returncode == 1, done.stderr
    assert done.stderr == (
        'warning: The html report was not written to "ci-judge-report/report.html": '
        "File too large\n"
    )
    folder = tmp_path / "ci-judge-report"
    assert json.loads((folder / "report.json").read_text())["exit_code"] == 1
    assert {path.name for path in folder.iterdir()} >= {"report.json", "junit.xml", "summary.md"}
    assert not (folder / "report.html").exists()


def test_an_attempt_whose_kept_runs_do_not_fit_ends_before_it_begins(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.yaml").write_text(
        "suite: {paths: [case_one.py]}\njudge: {provider: stub}\n"
    )
    (tmp_path / "case_one.py").write_text(
        CASES.replace('"actual": 1', f'"actual": "{"x" * 15_000}"')
    )
    assert ci_judge("run", cwd=tmp_path).exit_code == 1
    report = tmp_path / "ci-judge-report/report.json"
    kept = report.read_bytes()
    done = run_with_little_room(tmp_path, "--continue-from", "ci-judge-report/report.json")
    assert done.returncode == 2
    assert done.stderr.startswith("error: the runs cannot be written down: File too large")
    assert "Traceback" not in done.stderr
    assert report.read_bytes() == kept
