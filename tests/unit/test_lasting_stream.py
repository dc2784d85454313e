import errno
import io
import os
from pathlib import Path

from ci_judge.sinks.lasting_stream import LastingStream


class Broken(io.StringIO):
    """Takes what fits, then fails; buffers like a pipe when ``only_on_flush``."""

    def __init__(self, error: OSError, *, only_on_flush: bool = False) -> None:
        super().__init__()
        self.tries = 0
        self._error = error
        self._only_on_flush = only_on_flush

    def write(self, text: str) -> int:
        if not self._only_on_flush:
            self._fail()
        return len(text)

    def flush(self) -> None:
        if self._only_on_flush:
            self._fail()

    def _fail(self) -> None:
        self.tries += 1
        raise self._error


def gone() -> OSError:
    return BrokenPipeError(errno.EPIPE, "Broken pipe")


def test_a_reader_that_has_gone_is_tried_once_and_not_complained_about() -> None:
    complaints: list[str] = []
    for only_on_flush in (False, True):
        inner = Broken(gone(), only_on_flush=only_on_flush)
        stream = LastingStream(inner, complain=complaints.append)
        assert stream.write("one\n") == 4
        stream.write("two\n")
        stream.flush()
        assert inner.tries == 1
    assert complaints == []


def test_a_full_disk_is_told_once() -> None:
    complaints: list[str] = []
    stream = LastingStream(
        Broken(OSError(errno.ENOSPC, "No space left on device")), complain=complaints.append
    )
    stream.write("one\n")
    stream.write("two\n")
    assert complaints == ["the output cannot be written: No space left on device\n"]


def test_whole_lines_are_seen_at_once() -> None:
    reading, writing = os.pipe()
    with (
        os.fdopen(reading, "rb", buffering=0) as seen,
        os.fdopen(writing, "w", encoding="utf-8") as inner,
    ):
        stream = LastingStream(inner)
        stream.write("begun")
        stream.write(", ended\n")
        assert seen.read(100) == b"begun, ended\n"


def test_what_is_buffered_for_a_reader_that_has_gone_is_no_error_at_the_end() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(
        writing, "w", encoding="utf-8"
    ) as inner:  # closing it would raise BrokenPipeError
        LastingStream(inner).write("to nobody\n")


def test_a_process_without_streams_has_somewhere_to_write() -> None:
    stream = LastingStream(None)
    assert stream.write("text\n") == 5
    stream.flush()
    assert not stream.isatty()
    assert stream.encoding == "utf-8"


def test_it_is_what_it_stands_in_for() -> None:
    with Path(os.devnull).open("w", encoding="latin-1") as inner:
        stream = LastingStream(inner)
        assert (stream.fileno(), stream.encoding) == (inner.fileno(), "latin-1")
