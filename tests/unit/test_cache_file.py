"""The cache's file: shared, batched, and never the reason why a run ends."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from ci_judge.cache.sqlite_file import BATCH, FLUSH_SECONDS, CacheFile

KEY = b"k" * 32
ROW = (b'{"a":1}', b"checksum")
LONGEST_SECONDS = 60


@contextmanager
def opened(path: Path, clock: list[float] | None = None) -> Iterator[CacheFile]:
    time = clock or [0.0]
    file = CacheFile(path, busy_seconds=0.01, clock=lambda: time[0])
    try:
        yield file
    finally:
        file.close()


def kept(path: Path, count: int = 0) -> Path:
    with opened(path) as file:
        for number in range(count):
            file.put(number.to_bytes(32, "big"), b'"' + b"x" * 500 + b'"', b"check")
        file.put(KEY, *ROW)
    return path


def on_disk(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        count: int = db.execute("SELECT count(*) FROM entries").fetchone()[0]
    return count


def test_an_entry_is_there_at_once_and_in_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "new" / "cache.sqlite3"
    with opened(path) as file:
        assert file.get(KEY) is None
        file.put(KEY, *ROW)
        assert file.get(KEY) == ROW
    with opened(path) as file:
        assert file.get(KEY) == ROW
        assert file.get(b"o" * 32) is None
        assert file.problems == []


def test_a_later_entry_replaces_an_earlier_one(tmp_path: Path) -> None:
    path = kept(tmp_path / "c.sqlite3")
    with opened(path) as file:
        file.put(KEY, b"2", b"other")
    with opened(path) as file:
        assert file.get(KEY) == (b"2", b"other")


def test_it_is_one_file_between_runs_in_a_folder_that_git_ignores(tmp_path: Path) -> None:
    path = kept(tmp_path / "new" / "cache.sqlite3")
    assert sorted(each.name for each in path.parent.iterdir()) == [".gitignore", "cache.sqlite3"]
    assert (path.parent / ".gitignore").read_text().splitlines()[-1] == "*"
    kept(tmp_path / "cache.sqlite3")
    assert not (tmp_path / ".gitignore").exists()


def test_a_full_batch_is_committed_and_so_is_what_waited_long_enough(tmp_path: Path) -> None:
    path, clock = kept(tmp_path / "c.sqlite3"), [0.0]
    with opened(path, clock) as file:
        for number in range(BATCH - 1):
            file.put(bytes([number]) * 32, *ROW)
        assert on_disk(path) == 1
        file.put(b"z" * 32, *ROW)
        assert on_disk(path) == 1 + BATCH
        clock[0] += FLUSH_SECONDS
        file.put(b"y" * 32, *ROW)
        assert on_disk(path) == 2 + BATCH


@pytest.mark.parametrize("damage", ["garbage", "half", "header"])
def test_a_damaged_file_is_set_aside_and_a_new_one_begun(tmp_path: Path, damage: str) -> None:
    path = kept(tmp_path / "cache.sqlite3", count=200)
    whole = path.read_bytes()
    damaged = {
        "garbage": b"no database at all, but long enough to be read as one " * 100,
        "half": whole[: len(whole) // 2],
        "header": whole[:100] + bytes(4000) + whole[4100:],
    }[damage]
    path.write_bytes(damaged)
    with opened(path) as file:
        for number in range(200):
            file.get(number.to_bytes(32, "big"))
        file.put(KEY, *ROW)
        assert file.get(KEY) == ROW
    (problem,) = file.problems
    assert 'set aside as "cache.sqlite3.damaged"' in problem
    assert (tmp_path / "cache.sqlite3.damaged").read_bytes() == damaged
    with opened(path) as file:
        assert file.get(KEY) == ROW
        assert file.problems == []


def test_damage_that_shows_when_writing_costs_no_entry(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    path.write_bytes(b"no database " * 1000)
    with opened(path) as file:
        file.put(KEY, *ROW)
    with opened(path) as file:
        assert file.get(KEY) == ROW


@pytest.mark.parametrize("leads_to", ["", "nothing", "text"])
@pytest.mark.parametrize("name", ["cache.sqlite3", "cache.sqlite3-journal"])
def test_what_a_link_leads_to_is_left_alone(tmp_path: Path, name: str, leads_to: str) -> None:
    precious = tmp_path / "elsewhere" / "precious"
    precious.parent.mkdir()
    if leads_to != "nothing":
        precious.write_text(leads_to)
    (tmp_path / name).symlink_to(precious)
    with opened(tmp_path / "cache.sqlite3") as file:
        assert file.get(KEY) is None
        file.put(KEY, *ROW)
    assert [each.read_text() for each in precious.parent.iterdir()] == (
        [] if leads_to == "nothing" else [leads_to]
    )
    if name == "cache.sqlite3":
        (problem,) = file.problems
        assert problem.startswith('the cache "cache.sqlite3" cannot be used: it is a symbolic link')


def test_a_folder_that_is_a_link_holds_the_cache_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "workspace").symlink_to("elsewhere")
    kept(tmp_path / "workspace" / "cache.sqlite3")
    assert on_disk(tmp_path / "elsewhere" / "cache.sqlite3") == 1


def test_a_journal_goes_aside_with_its_file(tmp_path: Path) -> None:
    path = kept(tmp_path / "cache.sqlite3")
    journal = tmp_path / "cache.sqlite3-journal"
    with opened(path) as file:
        file.get(KEY)
        journal.write_bytes(b"left by a crash")
        file._set_aside("malformed")
        assert not journal.exists()
        assert (tmp_path / "cache.sqlite3.damaged-journal").read_bytes() == b"left by a crash"
        file.put(KEY, *ROW)
    with opened(path) as file:
        assert file.get(KEY) == ROW


def test_a_table_of_another_shape_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE entries (other)")
    with opened(path) as file:
        assert file.get(KEY) is None
        file.put(KEY, *ROW)
    with opened(path) as file:
        assert file.get(KEY) == ROW


def test_entries_that_are_no_text_are_not_there(tmp_path: Path) -> None:
    path = kept(tmp_path / "cache.sqlite3")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE entries SET checksum = 7")
    with opened(path) as file:
        assert file.get(KEY) is None


def test_a_file_that_another_process_replaced_is_not_set_aside_again(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    path.write_bytes(b"no database " * 1000)
    with opened(path) as late:
        late._inode = (0, 0)
        late._set_aside("damaged")
        assert late.problems == []
    assert path.exists()


def test_a_locked_file_is_left_alone_and_the_run_goes_on(tmp_path: Path) -> None:
    path = kept(tmp_path / "cache.sqlite3")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with opened(path) as file:
            assert file.get(KEY) is None
            file.put(KEY, b"2", b"new")
            assert file.get(KEY) is None
        assert file.problems == [
            'the cache "cache.sqlite3" is held by another process; this run goes on without it'
        ]
        other.execute("ROLLBACK")
    with opened(path) as file:
        assert file.get(KEY) == ROW


def test_a_place_where_no_file_can_be_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with opened(tmp_path / "taken" / "cache.sqlite3") as file:
        assert file.get(KEY) is None
        file.put(KEY, *ROW)
    (problem,) = file.problems
    assert "goes on without it" in problem


def test_a_folder_that_is_removed_meanwhile_costs_the_cache_alone(tmp_path: Path) -> None:
    path = kept(tmp_path / "dir" / "cache.sqlite3")
    with opened(path) as file:
        assert file.get(KEY) == ROW
        shutil.rmtree(path.parent)
        file.put(b"n" * 32, *ROW)
        file.flush()
        assert file.get(b"n" * 32) is None
    assert len(file.problems) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_is_read_and_takes_nothing_new(tmp_path: Path) -> None:
    path = kept(tmp_path / "cache.sqlite3")
    path.chmod(0o444)
    with opened(path) as file:
        assert file.get(KEY) == ROW
        file.put(b"n" * 32, *ROW)
        file.flush()
        assert file.get(KEY) == ROW
    (problem,) = file.problems
    assert "takes nothing new" in problem


def test_a_full_disk_is_told_once_and_what_was_kept_stays(tmp_path: Path) -> None:
    path = kept(tmp_path / "cache.sqlite3")
    limit = path.stat().st_size
    done = run_python(_FILL, str(path), str(limit))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("the cache") == 1
    with opened(path) as file:
        assert file.get(KEY) == ROW
        assert file.problems == []


def test_two_processes_write_at_once_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "dir" / "cache.sqlite3"
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITE, str(path), name], stderr=subprocess.PIPE)
        for name in ("one", "two")
    ]
    ends = [writer.communicate(timeout=LONGEST_SECONDS) for writer in writers]
    assert [(writer.returncode, end[1]) for writer, end in zip(writers, ends, strict=True)] == [
        (0, b""),
        (0, b""),
    ]
    assert on_disk(path) == 600


def run_python(code: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )


_WRITE = """
import sys, hashlib
from pathlib import Path
from ci_judge.cache.sqlite_file import CacheFile
file = CacheFile(Path(sys.argv[1]), busy_seconds=30)
for number in range(300):
    key = hashlib.sha256(f"{sys.argv[2]}-{number}".encode()).digest()
    file.put(key, b"1", b"check")
    if number % 5 == 0:
        file.flush()
        file.get(key)
file.close()
sys.exit("; ".join(file.problems) or None)
"""
_FILL = """
import resource, sys
from pathlib import Path
from ci_judge.cache.sqlite_file import CacheFile
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
file = CacheFile(Path(sys.argv[1]))
for number in range(500):
    file.put(number.to_bytes(32, "big"), b"x" * 5000, b"check")
file.close()
print("\\n".join(file.problems))
"""
