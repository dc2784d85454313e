"""The ledger of runs: every finished run is one line on disk before anything else happens to it.

The report is made from these lines, test by test, so memory does not grow with the runs.
"""

import fcntl
import json
import os
import weakref
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from ci_judge.errors import InvalidInput
from ci_judge.model.document import RunEntry

LEDGER_NAME = "attempts.jsonl"


class Ledger:
    """Appends runs to a file and reads them back by test. Satisfies ``protocols.RunSource``.

    ``clean`` makes an entry fit for the disk (secrets out, text printable) before it is written.
    What is read is what this ledger wrote, wherever its file is by then: the file stays open for
    reading as long as the ledger lives. Raises InvalidInput while another run writes to the file.
    """

    def __init__(self, path: Path, *, clean: Callable[[RunEntry], RunEntry]) -> None:
        self._clean = clean
        descriptor = _open(path)
        weakref.finalize(self, os.close, descriptor)
        _claim(descriptor, path)
        os.ftruncate(descriptor, 0)
        self._descriptor = descriptor
        self._end = 0
        self._places: dict[str, _Places] = {}

    def append(self, entry: RunEntry) -> None:
        """Write one finished run; it is in the file when this returns. Raises OSError."""
        line = encode_line(self._clean(entry))
        try:
            _write_all(self._descriptor, line, self._end)
        except OSError:
            os.ftruncate(self._descriptor, self._end)  # half a line is none
            raise
        places = self._places.setdefault(entry["test"], _Places())
        places.add(entry["number"], self._end, len(line))
        self._end += len(line)

    def runs(self, test_id: str) -> Iterator[RunEntry]:
        """Read the runs of a test in run-number order."""
        for offset, size in self._places.get(test_id, _Places()).in_order():
            line = os.pread(self._descriptor, size, offset)
            yield cast("RunEntry", json.loads(line))


class _Places:
    """Where the runs of one test stand: three numbers a run."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._offsets = array("q")
        self._sizes = array("q")

    def add(self, number: int, offset: int, size: int) -> None:
        self._numbers.append(number)
        self._offsets.append(offset)
        self._sizes.append(size)

    def in_order(self) -> Iterator[tuple[int, int]]:
        """Give offset and size of each run by run number."""
        by_number = sorted(zip(self._numbers, self._offsets, self._sizes, strict=True))
        return ((offset, size) for _, offset, size in by_number)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise InvalidInput.of(
            f'the runs cannot be written to "{path}": {error.strerror}',
            hint="remove what is in the way, or name another report.dir",
        ) from error


def _claim(descriptor: int, path: Path) -> None:
    """Keep other runs out of this file until it is closed, where the file system can."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InvalidInput.of(
            f'another run is writing to the report folder "{path.parent}"',
            hint="wait for it, or give this run another folder: --report-dir",
        ) from error
    except OSError:
        pass  # a file system without locks


def _write_all(descriptor: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written


def encode_line(entry: RunEntry | dict[str, Any]) -> bytes:
    """One entry as one line of strict JSON in UTF-8."""
    text = json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode() + b"\n"
