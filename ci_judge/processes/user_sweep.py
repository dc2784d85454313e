"""Ends whatever runs as a user, wherever it has gone: groups and sessions can be left."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

ROUNDS = 100
_PAUSE_SECONDS = 0.01
_PROCESSES = Path("/proc")


def processes_of(uid: int) -> Iterator[int]:
    """Yield the ids of all living processes of a user (zombies are not)."""
    for entry in _PROCESSES.iterdir():
        if entry.name.isdecimal() and _is_of(entry, uid):
            yield int(entry.name)


def end_all_of(uid: int, gid: int) -> bool:
    """End them all; True when nobody is left. Whatever they do about it, it takes a second."""
    for _ in range(ROUNDS):
        left = list(processes_of(uid))
        if not left:
            return True
        _ask_the_kernel(uid, gid)
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE_SECONDS)  # a killed process needs a moment to be gone
    return False


def end_the_rest_of_the_container() -> None:
    """End every other process where we are the first one; elsewhere nothing.

    There nothing runs that we have not started, and what would be left ends with us anyway.
    """
    if os.getpid() == 1:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(-1, signal.SIGKILL)


def _ask_the_kernel(uid: int, gid: int) -> None:
    """Have all of them killed in one call, which no fork is faster than."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            ("/bin/sh", "-c", "kill -9 -1"),
            env={},
            user=uid,
            group=gid,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=ROUNDS * _PAUSE_SECONDS,
            check=False,
        )


def _is_of(entry: Path, uid: int) -> bool:
    """Read its status: the folder's owner would be root for a process that made itself private."""
    try:
        status = (entry / "status").read_text(encoding="utf-8", errors="replace")
    except OSError:  # gone meanwhile
        return False
    fields = dict(line.partition(":")[::2] for line in status.splitlines())
    alive = fields.get("State", "Z").split()[:1] != ["Z"]
    return alive and str(uid) in fields.get("Uid", "").split()
