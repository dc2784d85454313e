"""Nothing but our own commands is left in the files that the runner reads."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ci_judge.sinks.command_files import VARIABLES, CommandFiles


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    named = {name: str(tmp_path / name) for name in VARIABLES}
    for path in named.values():
        Path(path).write_bytes(b"earlier\xff\n")
    return {**named, "GITHUB_EVENT_PATH": str(tmp_path / "event")}


def test_what_was_written_or_cut_meanwhile_is_undone_and_named(
    environment: dict[str, str],
) -> None:
    files = CommandFiles.remember(environment)
    with Path(environment["GITHUB_ENV"]).open("ab") as file:
        file.write(b"LD_PRELOAD=/evil.so\n")
    Path(environment["GITHUB_OUTPUT"]).write_bytes(b"")
    assert files.restore() == ("GITHUB_ENV", "GITHUB_OUTPUT")
    for name in VARIABLES:
        assert Path(environment[name]).read_bytes() == b"earlier\xff\n"
    assert files.restore() == ()


def test_the_file_stays_the_same_one(environment: dict[str, str]) -> None:
    files = CommandFiles.remember(environment)
    path = Path(environment["GITHUB_PATH"])
    before = path.stat().st_ino
    path.write_text("/evil/bin\n")
    files.restore()
    assert path.stat().st_ino == before


def test_a_file_that_was_taken_away_is_there_again(environment: dict[str, str]) -> None:
    files = CommandFiles.remember(environment)
    path = Path(environment["GITHUB_STEP_SUMMARY"])
    path.unlink()
    assert files.restore() == ("GITHUB_STEP_SUMMARY",)
    assert path.read_bytes() == b"earlier\xff\n"
    assert path.stat().st_uid == path.parent.stat().st_uid


def test_nothing_is_written_through_a_link(environment: dict[str, str], tmp_path: Path) -> None:
    files = CommandFiles.remember(environment)
    precious = tmp_path / "precious"
    precious.write_text("mine")
    path = Path(environment["GITHUB_STATE"])
    path.unlink()
    path.symlink_to(precious)
    assert files.restore() == ("GITHUB_STATE",)
    assert precious.read_text() == "mine"
    assert not path.is_symlink()
    assert path.read_bytes() == b"earlier\xff\n"


def test_a_file_that_was_not_there_is_gone_again(environment: dict[str, str]) -> None:
    path = Path(environment["GITHUB_ENV"])
    path.unlink()
    files = CommandFiles.remember(environment)
    path.write_text("A=1\n")
    assert files.restore() == ("GITHUB_ENV",)
    assert not path.exists()


def test_without_any_such_file_there_is_nothing_to_do() -> None:
    assert CommandFiles.remember({"GITHUB_ENV": ""}).restore() == ()


def test_a_pipe_in_its_place_holds_nobody_up(environment: dict[str, str]) -> None:
    files = CommandFiles.remember(environment)
    path = Path(environment["GITHUB_OUTPUT"])
    path.unlink()
    os.mkfifo(path)
    with ThreadPoolExecutor() as pool:
        restored = pool.submit(files.restore)
        try:
            assert restored.result(timeout=5) == ("GITHUB_OUTPUT",)
        except TimeoutError:
            os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))  # lets the thread go
            raise
    assert path.read_bytes() == b"earlier\xff\n"


@pytest.mark.parametrize("link", [False, True])
def test_what_was_no_file_to_begin_with_is_left_alone(  # such as /dev/null or /dev/stdout
    environment: dict[str, str], *, link: bool
) -> None:
    path = Path(environment["GITHUB_OUTPUT"])
    path.unlink()
    place = path.with_name("place") if link else path
    os.mkfifo(place)
    if link:
        path.symlink_to(place)
    assert CommandFiles.remember(environment).restore() == ()
    assert (path.is_fifo(), path.is_symlink()) == (True, link)


def test_a_file_that_was_not_there_may_become_nothing_else(environment: dict[str, str]) -> None:
    path = Path(environment["GITHUB_STATE"])
    path.unlink()
    files = CommandFiles.remember(environment)
    os.mkfifo(path)
    assert files.restore() == ("GITHUB_STATE",)
    assert not path.exists()
