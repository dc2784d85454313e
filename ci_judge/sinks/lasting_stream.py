"""A stream that outlives its reader: whoever stops listening does not stop the run."""

import contextlib
import errno
import io
import os
from collections.abc import Callable
from typing import TextIO


class LastingStream(io.TextIOBase):
    """Stands in for stdout or stderr, and passes on whole lines at once.

    The first write that fails is the last one tried: `ci-judge run | head -1` still has to judge,
    write every report and exit with the suite's code. ``complain`` is told why, but for a reader
    that has gone, which is no mistake. ``stream`` is None where the process has none.
    """

    def __init__(
        self, stream: TextIO | None, *, complain: Callable[[str], object] | None = None
    ) -> None:
        self._stream = stream
        self._complain = complain

    @property
    def encoding(self) -> str:  # type: ignore[override] # typeshed has a plain attribute here
        return getattr(self._stream, "encoding", None) or "utf-8"

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        if self._stream is None:
            raise io.UnsupportedOperation("fileno")
        return self._stream.fileno()

    def write(self, text: str) -> int:
        if self._stream is not None:
            try:
                self._stream.write(text)
                if "\n" in text:
                    self._stream.flush()
            except OSError as error:
                self._give_up(self._stream, error)
        return len(text)

    def flush(self) -> None:
        # Python flushes a stream that goes away, by then perhaps after the one behind it.
        if self._stream is not None and not self._stream.closed:
            try:
                self._stream.flush()
            except OSError as error:
                self._give_up(self._stream, error)

    def _give_up(self, stream: TextIO, error: OSError) -> None:
        self._stream = None
        _lead_nowhere(stream)
        if self._complain is not None and error.errno != errno.EPIPE:
            self._complain(f"the output cannot be written: {error.strerror or error}\n")


def _lead_nowhere(stream: TextIO) -> None:
    """Let what is buffered go to nobody; the interpreter would complain about it at exit."""
    with contextlib.suppress(OSError):  # no file descriptor, nothing to lead
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
