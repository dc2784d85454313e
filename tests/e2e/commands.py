"""Runs the real command as a person would, in a copy of the examples."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.runner_double import read_log

REPOSITORY = Path(__file__).parent.parent.parent
LONGEST_SECONDS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    exit_code: int
    out: str
    err: str


def ci_judge(*arguments: str, cwd: Path, **environment: str) -> Result:
    """Run ``ci-judge`` from a folder, with these variables besides PATH and HOME.

    Whatever it prints, a runner that reads it would find no command in it.
    """
    result = python("-m", "ci_judge", *arguments, cwd=cwd, **environment)
    assert read_log(f"{result.out}\n{result.err}").commands == ()
    return result


def python(*arguments: str, cwd: Path, **environment: str) -> Result:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=cwd,
        env=kept | {"PYTHONPATH": str(REPOSITORY)} | environment,
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    return Result(exit_code=done.returncode, out=done.stdout, err=done.stderr)


def copy_of(example: str, folder: Path) -> Path:
    """Copy an example so that parallel tests do not share its report folder."""
    return Path(
        shutil.copytree(
            REPOSITORY / "examples" / example,
            folder / example,
            ignore=shutil.ignore_patterns("ci-judge-report", ".ci-judge", "__pycache__"),
        )
    )
