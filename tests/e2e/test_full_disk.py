"""A disk that is full when the report is written: what fits is there, and the verdict stands."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.commands import LONGEST_SECONDS, REPOSITORY

BLOCKS = 12  # of 512 or 1024 bytes, as the shell likes it: room for all but the HTML
CASES = """\
from ci_judge import case
@case("equal")
def test_wrong():
    return {"actual": 1, "expected": 2}
"""


def test_what_does_not_fit_costs_neither_the_others_nor_the_verdict(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.yaml").write_text(
        "suite: {paths: [case_one.py]}\njudge: {provider: stub}\n"
    )
    (tmp_path / "case_one.py").write_text(CASES)
    command = [sys.executable, "-m", "ci_judge", "run"]
    done = subprocess.run(
        ["/bin/sh", "-c", f'ulimit -f {BLOCKS} && exec "$@"', "sh", *command],
        cwd=tmp_path,
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
    assert done.returncode == 1, done.stderr
    assert done.stderr == (
        'warning: The html report was not written to "ci-judge-report/report.html": '
        "File too large\n"
    )
    folder = tmp_path / "ci-judge-report"
    assert json.loads((folder / "report.json").read_text())["exit_code"] == 1
    assert {path.name for path in folder.iterdir()} >= {"report.json", "junit.xml", "summary.md"}
    assert not (folder / "report.html").exists()
