"""The image, really built and really run as the runner runs it, by a tool that is kept elsewhere.

``IMAGE_TOOL`` names the program; without one, what needs it is skipped and says so. It takes
``--build-only``, ``--run-only``, ``--tag``, ``--input``, ``--env``, ``--workspace``, ``--temp``,
``--event``, ``--owner``, ``--podman-arg``, ``--file``, the project's folder and ``-- ARGUMENT…``,
writes the container's output to its own, and ends with the container's exit code (99: the tool
itself has failed).
"""

import fcntl
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.runner_double import SeenLog, read_log, read_outputs

REPOSITORY = Path(__file__).resolve().parents[1]
TAG = "localhost/ci-judge-under-test:latest"
BUILD_SECONDS = 600
RUN_SECONDS = 120
OWNER = 1001

_BESIDE_THE_REPOSITORY = REPOSITORY.parent / "shared" / "tools" / "build_and_run_image.sh"


def image_tool() -> str:
    """Give the program, or skip the test."""
    path = Path(os.environ.get("IMAGE_TOOL") or _BESIDE_THE_REPOSITORY)
    if not path.is_file():
        pytest.skip("no tool that builds and runs images (IMAGE_TOOL names it)")
    if os.geteuid() != 0:
        pytest.skip("the tool that builds and runs images needs root")
    return str(path)


def build_image(folder: Path) -> None:
    """Build it once for all workers; ``folder`` is one that they share."""
    tool, trouble = image_tool(), folder / "trouble-with-the-image"
    with (folder / "image-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not trouble.exists():
            built = run_tool(tool, "--build-only", "--tag", TAG)
            trouble.write_text("" if built.returncode == 0 else built.stderr, encoding="utf-8")
        assert not trouble.read_text(encoding="utf-8")


def run_tool(tool: str, *options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [tool, *options, str(REPOSITORY)],
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
        check=False,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    exit_code: int
    out: str
    outputs: dict[str, str]

    @property
    def log(self) -> SeenLog:
        return read_log(self.out)


class Container:
    """One step that uses the image. The workspace belongs to another user, as on a runner."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.temp = folder / "temp"
        self.workspace.mkdir()

    def write(self, name: str, text: str) -> Path:
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def start(
        self, *options: str, arguments: Sequence[str] = (), **inputs: str
    ) -> "subprocess.Popen[str]":
        """Start it; signals to what is returned reach the container."""
        for path in (self.workspace, *self.workspace.rglob("*")):
            os.chown(path, OWNER, OWNER, follow_symlinks=False)
        named = [f"{name.replace('_', '-')}={text}" for name, text in inputs.items()]
        return subprocess.Popen(
            [
                *(image_tool(), "--run-only", "--tag", TAG),
                *("--workspace", str(self.workspace), "--temp", str(self.temp)),
                *(part for one in named for part in ("--input", one)),
                *options,
                str(REPOSITORY),
                *(("--", *arguments) if arguments else ()),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *options: str, arguments: Sequence[str] = (), **inputs: str) -> Ended:
        return self.end(self.start(*options, arguments=arguments, **inputs))

    def end(self, running: "subprocess.Popen[str]") -> Ended:
        """Wait for it, and read what it left in the files that commands are given in."""
        try:
            out, err = running.communicate(timeout=RUN_SECONDS)
        finally:
            running.kill()
            running.wait()
        assert running.returncode != 99, err
        return Ended(
            exit_code=running.returncode,
            out=out.rpartition("container exit code:")[0],
            outputs=read_outputs(self.commands("set_output")),
        )

    def commands(self, kind: str) -> Path:
        (path,) = (self.temp / "_runner_file_commands").glob(f"{kind}_*")
        return path
