"""Proof that a process is gone: it held a pipe open that only its end can close."""

import os
import select
from pathlib import Path


class Lifeline:
    """A named pipe. Whoever runs ``HOLD`` with its path prints a line once it holds the pipe."""

    HOLD = (
        "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "held = open(sys.argv[1], 'wb', 0); held.write(b'x'); "
        "print('held', flush=True); time.sleep(3600)"
    )

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def wait_until_held(self, *, within_seconds: float = 10.0) -> None:
        assert select.select([self._fd], [], [], within_seconds)[0], "nobody took hold"

    def was_held_and_released(self, *, within_seconds: float = 10.0) -> bool:
        held = b""
        while select.select([self._fd], [], [], within_seconds)[0]:
            chunk = os.read(self._fd, 64)
            held += chunk
            if not chunk:
                break
        else:
            return False
        os.close(self._fd)
        return held == b"x"
