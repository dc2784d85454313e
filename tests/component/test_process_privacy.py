"""A child process cannot look into the environment of ours, where the system lets us forbid it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CONTAINED = """
import ctypes, os, sys

# As in a container, where root may not trace: without CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_PERFMON.
# Who is not root has nothing to drop.
for capability in (19, 21, 38):
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-c", *sys.argv[1:]])
"""

OURS = """
import asyncio, sys
from pathlib import Path
from ci_judge.processes import Children

async def main():
    async with Children() as children:
        child = await children.start(
            (sys.executable, "-c", sys.argv[1]), environment={}, cwd=Path.cwd()
        )
        await child.wait()
        child.output.drain()
        print(child.output.text())

asyncio.run(main())
"""

CHILDS = """
import json, os
found = {}
for name in ("environ", "mem", "maps"):
    try:
        with open(f"/proc/{os.getppid()}/{name}", "rb") as file:
            found[name] = "SESAM" in file.read(10_000).decode(errors="replace")
    except OSError as error:
        found[name] = error.strerror
print(json.dumps(found))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc and prctl are Linux's")
def test_a_child_cannot_read_our_environment() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CONTAINED, OURS, CHILDS],
        env=dict(os.environ) | {"SECRET": "SESAM", "PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        timeout=60,
        check=True,
    )
    found = json.loads(done.stdout)
    assert set(found) == {"environ", "mem", "maps"}
    assert set(found.values()) <= {"Permission denied", "Operation not permitted"}, found
