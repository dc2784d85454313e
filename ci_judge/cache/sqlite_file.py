"""The cache's file: one SQLite database, so that a CI can keep it as one path.

It has a rollback journal and no second file between commits. Writes are committed in batches and
are not forced onto the disk: after a crash of the machine the cache may be damaged, which costs
the requests it saved and nothing else.
"""

import errno
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from ci_judge.cache.folder import prepare_cache_folder

T = TypeVar("T")
Row: TypeAlias = tuple[bytes, bytes]
"""(JSON text, its check)"""

BATCH: Final = 100
FLUSH_SECONDS: Final = 0.5
BUSY_SECONDS: Final = 1.0
"""How long another process may hold the file before this run goes on without it."""

_MAX_SET_ASIDE: Final = 2
_DAMAGE: Final = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_ERROR,  # a table of another shape
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_FORMAT,
    }
)
_WRITE_TROUBLE: Final = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL})
_JOURNAL: Final = "-journal"


class CacheFile:
    """Bytes by key, in one file for all runs and all suites of a workspace.

    Nothing raises: a damaged file is renamed and a new one begun, one that is locked, full or not
    to be written is left alone. ``problems`` tells it in sentences.
    """

    def __init__(
        self,
        path: Path,
        *,
        busy_seconds: float = BUSY_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.problems: list[str] = []
        self._path = path
        self._busy_seconds = busy_seconds
        self._clock = clock
        self._flushed_at = clock()
        self._db: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._readable = self._writable = True
        self._set_aside_times = 0
        self._waiting: dict[bytes, Row] = {}

    def get(self, key: bytes) -> Row | None:
        """Return the entry of a key, also one that waits to be written."""
        waiting = self._waiting.get(key)
        if waiting is not None or not self._readable:
            return waiting
        return self._guarded(lambda db: _select(db, key))

    def put(self, key: bytes, text: bytes, check: bytes) -> None:
        """Keep an entry; it is on the disk with the next batch."""
        if not self._writable:
            return
        self._waiting[key] = (text, check)
        if len(self._waiting) >= BATCH or self._clock() - self._flushed_at >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Commit what waits."""
        waiting, self._waiting = self._waiting, {}
        self._flushed_at = self._clock()
        if not waiting or not self._writable:
            return
        before = self._set_aside_times
        self._guarded(lambda db: _insert(db, waiting))
        if self._set_aside_times > before and self._writable:
            self._guarded(lambda db: _insert(db, waiting))

    def close(self) -> None:
        self.flush()
        self._disconnect()

    def _guarded(self, act: Callable[[sqlite3.Connection], T]) -> T | None:
        try:
            return act(self._connected())
        except sqlite3.Error as error:
            self._suffer(error)
        except OSError as error:
            self._leave(f"cannot be used: {error.strerror or error}")
        return None

    def _connected(self) -> sqlite3.Connection:
        if self._db is None:
            _refuse_link(self._path)
            prepare_cache_folder(self._path.parent)
            # Before the first look at it, which may find it damaged.
            self._inode = _inode(self._path)
            self._db = sqlite3.connect(self._path, timeout=self._busy_seconds, isolation_level=None)
            _prepare(self._db)
            self._inode = _inode(self._path)
        return self._db

    def _suffer(self, error: sqlite3.Error) -> None:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:
            self._leave(f"cannot be used: {error}")
        elif code & 0xFF in _DAMAGE or code == sqlite3.SQLITE_IOERR_SHORT_READ:
            self._set_aside(str(error))
        elif code & 0xFF in _WRITE_TROUBLE:
            self._stop_writing(str(error))
        elif code & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            self._leave("is held by another process")
        else:
            self._leave(f"cannot be used: {error}")

    def _set_aside(self, why: str) -> None:
        """Rename a damaged file, unless another process has done so already."""
        self._set_aside_times += 1
        self._disconnect()
        if self._set_aside_times > _MAX_SET_ASIDE:
            self._leave(f"cannot be read: {why}")
            return
        if self._inode != _inode(self._path):
            return
        aside = self._path.with_name(f"{self._path.name}.damaged")
        try:
            self._path.replace(aside)
            # A journal left behind would be played back into the new file.
            with suppress(FileNotFoundError):
                _journal(self._path).replace(_journal(aside))
        except OSError as error:
            self._leave(f"cannot be read ({why}), nor be set aside: {error.strerror or error}")
        else:
            self._tell(f'cannot be read ({why}); it was set aside as "{aside.name}"')

    def _stop_writing(self, why: str) -> None:
        self._writable = False
        self._waiting.clear()
        self._tell(f"takes nothing new: {why}")

    def _leave(self, why: str) -> None:
        self._readable = self._writable = False
        self._waiting.clear()
        self._disconnect()
        self._tell(f"{why}; this run goes on without it")

    def _tell(self, what: str) -> None:
        self.problems.append(f'the cache "{self._path.name}" {what}')

    def _disconnect(self) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.close()
        self._db = None


def _prepare(db: sqlite3.Connection) -> None:
    """Make the table; nothing is written where there is one, so that a read-only file will do."""
    db.text_factory = bytes  # what lies there need not be legal text
    db.execute("PRAGMA synchronous = OFF")
    there = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'entries'").fetchone()
    if not there[0]:
        db.execute("BEGIN IMMEDIATE")
        db.execute(
            "CREATE TABLE IF NOT EXISTS entries"
            " (key BLOB PRIMARY KEY, value TEXT NOT NULL, checksum BLOB NOT NULL)"
        )
        db.execute("COMMIT")


def _select(db: sqlite3.Connection, key: bytes) -> Row | None:
    with closing(db.execute("SELECT value, checksum FROM entries WHERE key = ?", (key,))) as found:
        row = found.fetchone()
    # In a damaged file anything may stand.
    return row if row and all(isinstance(each, bytes) for each in row) else None


def _insert(db: sqlite3.Connection, entries: dict[bytes, Row]) -> None:
    rows = [(key, text.decode("ascii"), check) for key, (text, check) in entries.items()]
    # At once for writing: two processes that read first and write then could wait for each other.
    db.execute("BEGIN IMMEDIATE")
    try:
        db.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)
        db.execute("COMMIT")
    except sqlite3.Error:
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


def _refuse_link(path: Path) -> None:
    """Keep SQLite from what a link leads to, which a repository may bring along. Raises OSError.

    Journals need none of this: SQLite itself does not follow theirs.
    """
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a symbolic link")


def _journal(path: Path) -> Path:
    return path.with_name(path.name + _JOURNAL)


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
