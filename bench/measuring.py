"""Runs a command and asks the operating system what it used."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
_UNWANTED = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "SSL_CERT_FILE")
"""Variables that make a start slower than a user's: compiling each time, reading certificates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Seconds and MiB of one process and of the children it waited for."""

    cpu: float
    wall: float
    peak_mib: float


def environment(**more: str) -> dict[str, str]:
    """Return the variables for what is measured."""
    kept = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
    repository = str(HERE.parent)
    return {**kept, "PYTHONPATH": repository, "OPENAI_API_KEY": "bench-key-bench-key", **more}


def spent(command: Sequence[str], cwd: Path) -> Spent:
    """Run a command once. Raises RuntimeError with the end of what it said when it fails."""
    said = cwd / "said.txt"
    begun = time.perf_counter()
    with (
        said.open("wb") as output,
        subprocess.Popen(
            command, cwd=cwd, stdout=output, stderr=subprocess.STDOUT, env=environment()
        ) as process,
    ):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if process.returncode not in {0, 1}:
        raise RuntimeError(f"{command[:4]} ended with {process.returncode}:\n{_end_of(said)}")
    return Spent(cpu=usage.ru_utime + usage.ru_stime, wall=wall, peak_mib=usage.ru_maxrss / 1024)


def _end_of(said: Path) -> str:
    return said.read_text(encoding="utf-8", errors="replace")[-1_000:]


def median(command: Sequence[str], cwd: Path, *, repeats: int, warm: bool = True) -> Spent:
    """Run a command several times; the first run writes bytecode and does not count."""
    if warm:
        spent(command, cwd)
    return middle([spent(command, cwd) for _ in range(repeats)])


def middle(measured: Sequence[Spent]) -> Spent:
    """Return the medians of the times, and the largest memory."""
    return Spent(
        cpu=statistics.median(one.cpu for one in measured),
        wall=statistics.median(one.wall for one in measured),
        peak_mib=max(one.peak_mib for one in measured),
    )


def in_turns(
    commands: Mapping[str, Sequence[str]], cwds: Mapping[str, Path], *, repeats: int
) -> dict[str, Spent]:
    """Measure commands side by side, so that a busy minute of the machine hits all of them."""
    for name, command in commands.items():
        spent(command, cwds[name])
    rounds = [
        {name: spent(command, cwds[name]) for name, command in commands.items()}
        for _ in range(repeats)
    ]
    return {name: middle([measured[name] for measured in rounds]) for name in commands}


@contextmanager
def server(latency: float = 0.0) -> Iterator[int]:
    """Serve on a free loopback port until the block ends."""
    command = [sys.executable, str(HERE / "server.py"), "--latency", str(latency)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdout is None or process.stdin is None:
            raise RuntimeError("the server has no pipes")
        yield int(process.stdout.readline())
        process.stdin.close()
