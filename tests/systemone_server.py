"""A System One server that nobody here wrote: jevcompat's mock, with faults on demand."""

import re
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.tools import tool

READY_SECONDS = 30.0


@contextmanager
def mock(*faults: str, key: str | None = None) -> Iterator[str]:
    """Run the reference server on a free port and give its base URL."""
    command = [tool("jevcompat"), "mock", "--port", "0"]
    command += [part for fault in faults for part in ("--fault", fault)]
    command += ["--key", key] if key else []
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield _address(process)
        finally:
            process.kill()


def _address(process: "subprocess.Popen[str]") -> str:
    assert process.stderr is not None
    ready, _, _ = select.select([process.stderr], [], [], READY_SECONDS)
    line = process.stderr.readline() if ready else ""
    found = re.search(r"http://[\d.]+:\d+", line)
    assert found, f"the reference server did not come up: {line!r}"
    return found[0]
