"""The log of verdicts: who judged what, and the judge's own words; only ever added to.

Runs, shards and suites may share it: every write is whole lines in one call.
"""

import errno
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ci_judge.cache import prepare_cache_folder
from ci_judge.model.document import VerdictEntry

VERDICTS_NAME = "verdicts.jsonl"
RAW_CHARS = 8_000
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_LOCK_TRIES = 200
_LOCK_WAIT_SECONDS = 0.001


class VerdictLog:
    """Appends verdicts to a file. Raises nothing; ``problem`` says why there is no log.

    ``clean`` makes an entry fit for the disk. A reply is cut to ``RAW_CHARS`` after that, so that
    no half of a secret is left at the cut.
    """

    def __init__(self, path: Path, *, clean: Callable[[VerdictEntry], VerdictEntry]) -> None:
        self._path = path
        self._clean = clean
        self._descriptor: int | None = None
        self.problem: str | None = None

    def append(self, entries: Sequence[VerdictEntry]) -> None:
        """Write the verdicts of one run. They are on disk when this returns."""
        if not entries or self.problem is not None:
            return
        data = b"".join(self._line(entry) for entry in entries)
        try:
            descriptor = self._opened()
            with _alone(descriptor) as alone:
                _write(descriptor, data, repair=alone)
        except OSError as error:
            linked = error.errno == errno.ELOOP and self._path.is_symlink()
            why = "it is a symbolic link" if linked else error.strerror or str(error)
            self.problem = f'the log "{self._path.name}" lacks verdicts of this run: {why}'

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None

    def _opened(self) -> int:
        if self._descriptor is None:
            prepare_cache_folder(self._path.parent)
            # A repository may bring a link along; what that leads to is nobody's to write in.
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            self._descriptor = os.open(self._path, flags, 0o666)
        return self._descriptor

    def _line(self, entry: VerdictEntry) -> bytes:
        cleaned: dict[str, Any] = dict(self._clean(entry))
        raw = cleaned["raw"]
        if len(raw) > RAW_CHARS:
            cleaned["raw"] = f"{raw[:RAW_CHARS]}… [{len(raw) - RAW_CHARS} more characters]"
        return _ENCODER.encode(cleaned).encode() + b"\n"


def _write(descriptor: int, data: bytes, *, repair: bool) -> None:
    """Write whole lines; ``repair`` puts them behind a line that a crash has left open."""
    whole = b"\n" + data if repair and _is_torn(descriptor) else data
    if os.write(descriptor, whole) < len(whole):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _is_torn(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


@contextmanager
def _alone(descriptor: int) -> Iterator[bool]:
    """Keep other writers out, and tell whether that was possible within a moment.

    Only who is alone may look for a torn line: half of another's write would seem to be one.
    """
    locked = any(_locked(descriptor) for _ in range(_LOCK_TRIES))
    try:
        yield locked
    finally:
        if locked:
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        time.sleep(_LOCK_WAIT_SECONDS)
        return False
    return True
