"""The ledger: on disk at once, read back by test and in order, clean before it is written."""

import json
from pathlib import Path

from ci_judge.engine.ledger import Ledger
from ci_judge.model.document import RunEntry
from tests.builders import a_run


def same(entry: RunEntry) -> RunEntry:
    return entry


def test_runs_come_back_by_test_in_run_order_whatever_the_order_of_ending(tmp_path: Path) -> None:
    with Ledger(tmp_path / "attempts.jsonl", clean=same) as ledger:
        for test, number in (("b", 2), ("a", 3), ("b", 1), ("a", 1)):
            ledger.append(a_run(test, number))
        assert [run["number"] for run in ledger.runs("a")] == [1, 3]
        assert [run["number"] for run in ledger.runs("b")] == [1, 2]
        assert list(ledger.runs("unknown")) == []


def test_it_can_be_read_after_it_was_closed(tmp_path: Path) -> None:
    with Ledger(tmp_path / "attempts.jsonl", clean=same) as ledger:
        ledger.append(a_run("a", 1))
    assert [run["number"] for run in ledger.runs("a")] == [1]


def test_a_run_is_a_whole_line_on_disk_when_append_returns(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    with Ledger(path, clean=same) as ledger:
        ledger.append(a_run("a", 1, reason="line\nbreaks \u2028 é"))
        lines = path.read_bytes().split(b"\n")
    assert lines[1:] == [b""]
    assert json.loads(lines[0])["reason"] == "line\nbreaks \u2028 é"


def test_what_is_written_is_what_clean_gives(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"

    def hide(entry: RunEntry) -> RunEntry:
        return {**entry, "reason": entry["reason"].replace("s3cr3t", "***")}

    with Ledger(path, clean=hide) as ledger:
        ledger.append(a_run("a", 1, reason="it said s3cr3t"))
        assert next(ledger.runs("a"))["reason"] == "it said ***"
    assert b"s3cr3t" not in path.read_bytes()


def test_an_older_ledger_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    path.write_text("left over\n")
    with Ledger(path, clean=same) as ledger:
        ledger.append(a_run("a", 1))
    assert path.read_bytes().count(b"\n") == 1
