"""The verdict log: whole lines only, whoever else writes, and no secret in them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from ci_judge.engine.verdict_log import RAW_CHARS, VerdictLog
from ci_judge.model.document import VerdictEntry

LONGEST_SECONDS = 60


def an_entry(**changes: Any) -> VerdictEntry:
    values: dict[str, Any] = {"time": "2026-03-02T09:30:00.000Z", "test": "a", "raw": ""}
    return cast("VerdictEntry", values | changes)


def same(entry: VerdictEntry) -> VerdictEntry:
    return entry


def log_in(path: Path, *entries: VerdictEntry) -> VerdictLog:
    log = VerdictLog(path, clean=same)
    log.append(entries)
    log.close()
    return log


def lines(path: Path) -> list[dict[str, Any]]:
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n")
    return [json.loads(line) for line in text[:-1].split("\n")]


def test_verdicts_are_added_to_those_of_earlier_runs(tmp_path: Path) -> None:
    path = tmp_path / "new" / "verdicts.jsonl"
    log_in(path, an_entry(run=1), an_entry(run=2))
    assert log_in(path, an_entry(run=3)).problem is None
    assert [line["run"] for line in lines(path)] == [1, 2, 3]


def test_line_ends_and_other_marks_in_a_reply_stay_within_its_line(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    log_in(path, an_entry(raw="one\ntwo\r\u2028three\x00é"))
    assert [line["raw"] for line in lines(path)] == ["one\ntwo\r\u2028three\x00é"]


def test_a_half_line_left_by_a_crash_does_not_spoil_the_next(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_bytes(b'{"test": "old"}\n{"test": "cut o')
    log_in(path, an_entry(run=1))
    log_in(path, an_entry(run=2))
    whole, half, *new = path.read_bytes().decode().splitlines()
    assert (whole, half) == ('{"test": "old"}', '{"test": "cut o')
    assert [json.loads(line)["run"] for line in new] == [1, 2]


def test_what_is_written_is_what_clean_gives_cut_after_that(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"

    def hide(entry: VerdictEntry) -> VerdictEntry:
        return {**entry, "raw": entry["raw"].replace("s3cr3t", "***")}

    log = VerdictLog(path, clean=hide)
    log.append([an_entry(raw="x" * (RAW_CHARS - 3) + "s3cr3t" + "y" * 7)])
    log.close()
    (line,) = lines(path)
    assert line["raw"] == "x" * (RAW_CHARS - 3) + "***… [7 more characters]"


def test_nothing_to_write_makes_no_file(tmp_path: Path) -> None:
    log_in(tmp_path / "dir" / "verdicts.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["full", "under a file", "a folder"])
def test_a_place_that_takes_nothing_is_told_once_and_stops_nobody(
    tmp_path: Path, place: str
) -> None:
    path = tmp_path / "verdicts.jsonl"
    if place == "full":
        path = Path("/dev/full")
    elif place == "under a file":
        (tmp_path / "taken").write_text("")
        path = tmp_path / "taken" / "verdicts.jsonl"
    else:
        path.mkdir()
    log = VerdictLog(path, clean=same)
    log.append([an_entry()])
    first = log.problem
    log.append([an_entry()])
    log.close()
    assert first is not None
    assert first.startswith(f'the log "{path.name}" lacks verdicts of this run: ')
    assert log.problem == first


@pytest.mark.parametrize("leads_to", ["a file", "nothing"])
def test_what_a_link_leads_to_is_left_alone(tmp_path: Path, leads_to: str) -> None:
    precious, path = tmp_path / "precious", tmp_path / "verdicts.jsonl"
    if leads_to == "a file":
        precious.write_text("mine")
    path.symlink_to(precious)
    log = log_in(path, an_entry())
    assert log.problem == (
        'the log "verdicts.jsonl" lacks verdicts of this run: it is a symbolic link'
    )
    assert [each.read_text() for each in tmp_path.glob("precious")] == (
        ["mine"] if leads_to == "a file" else []
    )


def test_a_folder_that_is_a_link_holds_the_log_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "workspace").symlink_to("elsewhere")
    log = log_in(tmp_path / "workspace" / "verdicts.jsonl", an_entry(run=1))
    assert log.problem is None
    assert len(lines(tmp_path / "elsewhere" / "verdicts.jsonl")) == 1


def test_two_processes_at_once_leave_whole_lines_only(tmp_path: Path) -> None:
    path = tmp_path / "dir" / "verdicts.jsonl"
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITE, str(path), name], stderr=subprocess.PIPE)
        for name in ("one", "two", "three")
    ]
    for writer in writers:
        _, said = writer.communicate(timeout=LONGEST_SECONDS)
        assert (writer.returncode, said) == (0, b"")
    found = [(line["test"], line["run"]) for line in lines(path)]
    assert sorted(found) == sorted(
        (name, run) for name in ("one", "two", "three") for run in range(300)
    )


_WRITE = """
import sys
from pathlib import Path
from ci_judge.engine.verdict_log import VerdictLog
log = VerdictLog(Path(sys.argv[1]), clean=lambda entry: entry)
for run in range(300):
    log.append([{"test": sys.argv[2], "run": run, "raw": "x" * (run * 37 % 9000)}])
sys.exit(log.problem)
"""
