"""Entries of the cache: JSON that no secret is in, and that is whole or not there."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ci_judge.cache.sqlite_file import CacheFile

_CHECK_BYTES = 8


class Cache:
    """JSON values by key. Nothing that goes wrong here ends a run; ``problems`` says what did.

    ``storable`` says whether a value may lie on the disk as it is: one that redaction would change
    may not.
    """

    def __init__(self, path: Path, *, storable: Callable[[Any], bool]) -> None:
        self._path = path
        self._storable = storable
        self._file: CacheFile | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """Sentences for the report, none when all is well."""
        return () if self._file is None else tuple(self._file.problems)

    def recall(self, key: bytes) -> Any | None:
        """Return what was kept under a key, None where there is nothing that can be used."""
        found = self._opened().get(key)
        if found is None:
            return None
        text, check = found
        if check != _check(key, text):
            return None
        try:
            return json.loads(text)
        except ValueError:
            return None

    def keep(self, key: bytes, value: Any) -> None:
        """Keep a JSON value, not None, for later runs, unless it holds what must not be kept."""
        if not self._storable(value):
            return
        text = json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")
        self._opened().put(key, text, _check(key, text))

    def flush(self) -> None:
        """Bring what waits onto the disk."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _opened(self) -> "CacheFile":
        if self._file is None:
            from ci_judge.cache.sqlite_file import (  # noqa: PLC0415 - only runs that cache pay for it
                CacheFile,
            )

            self._file = CacheFile(self._path)
        return self._file


def _check(key: bytes, text: bytes) -> bytes:
    return hashlib.sha256(key + text).digest()[:_CHECK_BYTES]
