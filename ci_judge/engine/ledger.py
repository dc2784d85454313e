"""The ledger of runs: every finished run is one line on disk before anything else happens to it.

The report is made from these lines, test by test, so memory does not grow with the runs.
"""

import json
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

from ci_judge.model.document import RunEntry

LEDGER_NAME = "attempts.jsonl"


class Ledger:
    """Appends runs to a file and reads them back by test. Satisfies ``protocols.RunSource``.

    ``clean`` makes an entry fit for the disk (secrets out, text printable) before it is written.
    """

    def __init__(self, path: Path, *, clean: Callable[[RunEntry], RunEntry]) -> None:
        self._path = path
        self._clean = clean
        self._file: IO[bytes] = path.open("w+b")
        self._offsets: dict[str, array[int]] = {}
        self._numbers: dict[str, array[int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def append(self, entry: RunEntry) -> None:
        """Write one finished run. It is on disk when this returns."""
        offset = self._file.seek(0, 2)
        self._file.write(encode_line(self._clean(entry)))
        self._file.flush()
        test_id = entry["test"]
        self._offsets.setdefault(test_id, array("q")).append(offset)
        self._numbers.setdefault(test_id, array("q")).append(entry["number"])

    def runs(self, test_id: str) -> Iterator[RunEntry]:
        """Read the runs of a test in run-number order."""
        numbers = self._numbers.get(test_id, array("q"))
        offsets = self._offsets.get(test_id, array("q"))
        with self._path.open("rb") as reader:
            for _, offset in sorted(zip(numbers, offsets, strict=True)):
                reader.seek(offset)
                yield cast("RunEntry", json.loads(reader.readline()))


def encode_line(entry: RunEntry | dict[str, Any]) -> bytes:
    """One entry as one line of strict JSON in UTF-8."""
    text = json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode() + b"\n"
