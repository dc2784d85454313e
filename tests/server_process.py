"""Servers that nobody here wrote, as processes of their own on the loopback address."""

import queue
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO

READY_SECONDS = 60.0


@contextmanager
def server_process(
    command: Sequence[str], *, says: str, environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Run a server until the block ends; give the group of ``says`` in what it prints at first."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=None if environment is None else dict(environment),
    ) as process:
        assert process.stdout is not None
        said: queue.Queue[str] = queue.Queue()
        reader = threading.Thread(target=_listen, args=(process.stdout, said), daemon=True)
        reader.start()
        try:
            yield _found(said, says)
        finally:
            process.kill()
            reader.join(timeout=10)


def _listen(output: IO[str], said: "queue.Queue[str]") -> None:
    """Pass on every line, so that the server never waits for a reader; an empty one at the end."""
    for line in output:
        said.put(line)
    said.put("")


def _found(said: "queue.Queue[str]", wanted: str) -> str:
    seen = ""
    while line := said.get(timeout=READY_SECONDS):
        seen += line
        found = re.search(wanted, line)
        if found:
            return found[1]
    raise AssertionError(f"the server did not come up:\n{seen[-2000:]}")
