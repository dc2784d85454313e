"""The ledger of runs: every finished run is one line on disk before anything else happens to it.

Its first line, the heading, says what the runs belong to; an interrupted command goes on from it.
The report is made from these lines, test by test, so memory does not grow with the runs.
"""

import contextlib
import fcntl
import json
import os
import weakref
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ci_judge.errors import InvalidInput
from ci_judge.model.document import LedgerHeading, RunEntry

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_EVIDENCE = ("response", "evidence", "transcript", "captured")
LEDGER_NAME = "attempts.jsonl"
LEDGER_VERSION = 1


class Ledger:
    """Appends runs to a file and reads them back by test. Satisfies ``protocols.RunSource``.

    ``clean`` makes an entry fit for the disk (secrets out, text printable) before it is written.
    What is read is what this ledger wrote, wherever its file is by then: the file stays open for
    reading as long as the ledger lives. Raises InvalidInput while another run writes to the file.

    After ``begin`` the file holds the heading alone; after ``go_on`` it holds what an earlier
    command left.
    """

    def __init__(self, path: Path, *, clean: Callable[[RunEntry], RunEntry]) -> None:
        self._clean = clean
        descriptor = _open(path)
        weakref.finalize(self, os.close, descriptor)
        _claim(descriptor, path)
        self._descriptor = descriptor
        self._end = os.fstat(descriptor).st_size
        self._places: dict[str, _Places] = {}

    def begin(self, heading: LedgerHeading) -> None:
        """Forget what the file held. Raises OSError."""
        os.ftruncate(self._descriptor, 0)
        self._end = 0
        self._places.clear()
        self._write(encode_line(heading))

    def heading(self) -> LedgerHeading | None:
        """Read what the runs in the file belong to, None where that cannot be told."""
        line = next(self._lines(), None)
        found = None if line is None else _json(line.data)
        return cast("LedgerHeading", found) if _is_heading(found) else None

    def go_on(self, *, keeps: Callable[[RunEntry], bool]) -> None:
        """Hand every run that the file holds to ``keeps``, and take over what it says yes to.

        Of two lines of one run the later one is taken over, if any. A line that was not written
        to its end is cut off; one that cannot be read is passed over: its run is not there.
        Raises OSError.
        """
        lines = self._lines()
        next(lines, None)
        for line in lines:
            entry = _json(line.data)
            if isinstance(entry, dict) and _is_run(entry):
                self._take_over(cast("RunEntry", entry), line, keeps)
        os.ftruncate(self._descriptor, self._end)

    def _take_over(self, entry: RunEntry, line: "_Line", keeps: Callable[[RunEntry], bool]) -> None:
        """Take a run over, without what has become secret since it was written.

        A line that such a run does not fit into any more is emptied: the run is made again.
        """
        shown = self._clean(entry)
        if shown == entry:
            if keeps(entry):
                self._placed(entry, line)
            return
        hidden = any(shown.get(key) != entry.get(key) for key in _EVIDENCE)
        anew = encode_line({**shown, "redacted": hidden or entry.get("redacted") is True})
        fits = len(anew) <= len(line.data)
        room = len(line.data) - 1
        _write_all(
            self._descriptor,
            (anew[:-1] if fits else b"").ljust(room) + b"\n",
            line.offset,
        )
        if fits and keeps(shown):
            self._placed(shown, line)

    def append(self, entry: RunEntry) -> None:
        """Write one finished run; it is in the file when this returns. Raises OSError."""
        self._placed(entry, self._write(encode_line(self._clean(entry))))

    def release(self) -> None:
        """Let other runs write to the file. What is in it can be read as before."""
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def runs(self, test_id: str) -> Iterator[RunEntry]:
        """Read the runs of a test in run-number order."""
        for offset, size in self._places.get(test_id, _Places()).in_order():
            line = os.pread(self._descriptor, size, offset)
            yield cast("RunEntry", json.loads(line))

    def _write(self, line: bytes) -> "_Line":
        try:
            _write_all(self._descriptor, line, self._end)
        except OSError:
            os.ftruncate(self._descriptor, self._end)  # half a line is none
            raise
        written = _Line(data=line, offset=self._end)
        self._end += len(line)
        return written

    def _placed(self, entry: RunEntry, line: "_Line") -> None:
        places = self._places.setdefault(entry["test"], _Places())
        places.add(entry["number"], line.offset, len(line.data))

    def _lines(self) -> Iterator["_Line"]:
        """Read the lines that were written to their end; afterwards the file ends with them."""
        offset = 0
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            file.seek(0)
            for data in file:
                if not data.endswith(b"\n"):
                    break
                yield _Line(data=data, offset=offset)
                offset += len(data)
        self._end = offset


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    data: bytes
    offset: int


class _Places:
    """Where the runs of one test stand: three numbers a run. Of one run the last place counts."""

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
        places = zip(self._numbers, self._offsets, self._sizes, strict=True)
        last = {number: (offset, size) for number, offset, size in sorted(places)}
        return iter(last.values())


def _open(path: Path) -> int:
    try:
        # A repository may bring a link along; what that leads to is nobody's to cut.
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
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


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_heading(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("ledger") != LEDGER_VERSION:
        return False
    texts = all(isinstance(value.get(key), str) for key in ("fingerprint", "started"))
    return texts and type(value.get("seed")) is int


def _is_run(entry: Mapping[str, Any]) -> bool:
    return isinstance(entry.get("test"), str) and type(entry.get("number")) is int


def encode_line(entry: Mapping[str, Any]) -> bytes:
    """One entry as one line of strict JSON in UTF-8."""
    return _ENCODER.encode(entry).encode() + b"\n"
