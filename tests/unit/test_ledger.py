"""The ledger: on disk at once, read back by test and in order, clean before it is written."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ci_judge.engine.ledger import Ledger
from ci_judge.errors import InvalidInput
from ci_judge.model.document import RunEntry
from tests.builders import a_run

REPOSITORY = Path(__file__).parent.parent.parent


def same(entry: RunEntry) -> RunEntry:
    return entry


def test_runs_come_back_by_test_in_run_order_whatever_the_order_of_ending(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "attempts.jsonl", clean=same)
    for test, number in (("b", 2), ("a", 3), ("b", 1), ("a", 1)):
        ledger.append(a_run(test, number))
    assert [run["number"] for run in ledger.runs("a")] == [1, 3]
    assert [run["number"] for run in ledger.runs("b")] == [1, 2]
    assert list(ledger.runs("unknown")) == []


def test_it_reads_what_it_wrote_wherever_its_file_is(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "attempts.jsonl", clean=same)
    ledger.append(a_run("a", 1))
    (tmp_path / "attempts.jsonl").unlink()
    (tmp_path / "attempts.jsonl").write_text("somebody else's\n")
    assert [run["number"] for run in ledger.runs("a")] == [1]


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    first = Ledger(path, clean=same)
    first.append(a_run("a", 1))
    with pytest.raises(InvalidInput, match="another run is writing"):
        Ledger(path, clean=same)
    assert [run["number"] for run in first.runs("a")] == [1]
    del first
    Ledger(path, clean=same)


def test_a_line_that_does_not_fit_leaves_no_half(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    script = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from ci_judge.engine.ledger import Ledger\n"
        "from tests.builders import a_run\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"ledger = Ledger(Path({str(path)!r}), clean=lambda entry: entry)\n"
        "ledger.append(a_run('a', 1))\n"
        "try:\n"
        "    ledger.append(a_run('a', 2, reason='x' * 5000))\n"
        "except OSError:\n"
        "    sys.exit(len(list(ledger.runs('a'))))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, timeout=60, check=False)
    assert done.returncode == 1
    assert path.read_bytes().count(b"\n") == 1
    assert path.read_bytes().endswith(b"}\n")


def test_a_run_is_a_whole_line_on_disk_when_append_returns(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    ledger = Ledger(path, clean=same)
    ledger.append(a_run("a", 1, reason="line\nbreaks \u2028 é"))
    lines = path.read_bytes().split(b"\n")
    assert lines[1:] == [b""]
    assert json.loads(lines[0])["reason"] == "line\nbreaks \u2028 é"


def test_what_is_written_is_what_clean_gives(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"

    def hide(entry: RunEntry) -> RunEntry:
        return {**entry, "reason": entry["reason"].replace("s3cr3t", "***")}

    ledger = Ledger(path, clean=hide)
    ledger.append(a_run("a", 1, reason="it said s3cr3t"))
    assert next(ledger.runs("a"))["reason"] == "it said ***"
    assert b"s3cr3t" not in path.read_bytes()


def test_an_older_ledger_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    path.write_text("left over\n")
    ledger = Ledger(path, clean=same)
    ledger.append(a_run("a", 1))
    assert path.read_bytes().count(b"\n") == 1
