"""The output of a child process, read as it comes and kept within bounds."""

import asyncio
import os
from collections.abc import Callable

CHUNK_BYTES = 65_536
MAX_DRAINED_CHUNKS = 64
MARGIN_BYTES = 8_192
"""What is kept beyond the limit, so that no secret is cut in two before it is found."""


class CapturedOutput:
    """The last ``limit_bytes`` of what a child writes; everything before is counted and dropped.

    Reading never waits for the end of the stream, which a grandchild may hold open for ever.
    """

    def __init__(self, *, limit_bytes: int, redact: Callable[[str], str] = str) -> None:
        self.total_bytes = 0
        self._redact = redact
        self._limit = limit_bytes
        self._kept = bytearray()
        self._fd: int | None = None

    def open(self) -> int:
        """Start reading, and return the end to write to, which the caller closes."""
        self._fd, write_fd = os.pipe()
        os.set_blocking(self._fd, False)
        asyncio.get_running_loop().add_reader(self._fd, self._read)
        return write_fd

    def close(self) -> None:
        """Take what is there now, and stop reading."""
        self.drain()
        self._shut()

    def drain(self) -> None:
        """Take what has been written but not been read yet (4 MiB at most, so that it ends)."""
        for _ in range(MAX_DRAINED_CHUNKS):
            if not self._read():
                return

    @property
    def cut_bytes(self) -> int:
        """How many bytes were dropped."""
        return self.total_bytes - len(self.kept())

    def kept(self, *, since: int = 0) -> bytes:
        """Return what is kept of the output after its first ``since`` bytes."""
        kept = self._kept[-self._limit :]
        start = max(0, since - (self.total_bytes - len(kept)))
        return bytes(kept[start:])

    def text(self, *, since: int = 0) -> str:
        """Return the end of the output after its first ``since`` bytes, without secrets."""
        start = max(0, since - (self.total_bytes - len(self._kept)))
        kept = self._kept[start:][-self._limit - MARGIN_BYTES :]
        shown = self._redact(kept.decode("utf-8", "replace"))
        whole = since + len(kept) >= self.total_bytes
        return (shown if whole else shown[MARGIN_BYTES:])[-self._limit :]

    def _read(self) -> bool:
        if self._fd is None:
            return False
        try:
            chunk = os.read(self._fd, CHUNK_BYTES)
        except BlockingIOError:
            return False
        self._keep(chunk)
        if not chunk:
            self._shut()
        return bool(chunk)

    def _keep(self, chunk: bytes) -> None:
        self.total_bytes += len(chunk)
        self._kept += chunk
        most = self._limit + MARGIN_BYTES
        if len(self._kept) > 2 * most:  # rarely, so that keeping stays linear
            del self._kept[:-most]

    def _shut(self) -> None:
        if self._fd is not None:
            asyncio.get_running_loop().remove_reader(self._fd)
            os.close(self._fd)
            self._fd = None
