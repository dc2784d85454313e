"""The ledger: on disk at once, read back by test and in order, clean before it is written."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ci_judge.engine.ledger import Ledger
from ci_judge.errors import InvalidInput
from ci_judge.model.document import LedgerHeading, RunEntry
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


def test_what_a_link_leads_to_is_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "attempts.jsonl").symlink_to(precious)
    with pytest.raises(InvalidInput, match="the runs cannot be written to"):
        Ledger(tmp_path / "attempts.jsonl", clean=lambda entry: entry)
    assert precious.read_text() == "mine"


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


HEADING: LedgerHeading = {
    "ledger": 1,
    "fingerprint": "f00d",
    "seed": 7,
    "started": "2026-03-02T09:30:00.000Z",
}


def finished(entry: RunEntry) -> bool:
    return entry["outcome"] in {"pass", "fail"}


def left_by_an_earlier_command(path: Path, *runs: RunEntry) -> None:
    ledger = Ledger(path, clean=same)
    ledger.begin(HEADING)
    for run in runs:
        ledger.append(run)


def test_beginning_forgets_what_was_there_and_says_what_comes(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    left_by_an_earlier_command(path, a_run("a", 1))
    ledger = Ledger(path, clean=same)
    ledger.begin(HEADING)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [HEADING]
    assert list(ledger.runs("a")) == []
    assert ledger.heading() == HEADING


def test_going_on_keeps_what_was_finished_and_reports_everything(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    left_by_an_earlier_command(
        path, a_run("a", 2), a_run("a", 1, outcome="target_error"), a_run("b", 1, outcome="fail")
    )
    ledger = Ledger(path, clean=same)
    seen = []

    def keeps(run: RunEntry) -> bool:
        seen.append((run["test"], run["number"]))
        return finished(run)

    ledger.go_on(keeps=keeps)
    assert seen == [("a", 2), ("a", 1), ("b", 1)]
    ledger.append(a_run("a", 1))
    assert [(run["number"], run["outcome"]) for run in ledger.runs("a")] == [
        (1, "pass"),
        (2, "pass"),
    ]
    assert [run["number"] for run in ledger.runs("b")] == [1]


def test_of_two_lines_of_one_run_the_later_one_counts(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    left_by_an_earlier_command(path, a_run("a", 1, outcome="fail"), a_run("a", 1))
    ledger = Ledger(path, clean=same)
    ledger.go_on(keeps=finished)
    assert [run["outcome"] for run in ledger.runs("a")] == ["pass"]


@pytest.mark.parametrize("half", [b'{"test":"a","numb', b'{"test":"a","number":3}', b"\xff"])
def test_a_line_that_was_not_written_to_its_end_is_cut_off(tmp_path: Path, half: bytes) -> None:
    path = tmp_path / "attempts.jsonl"
    left_by_an_earlier_command(path, a_run("a", 1), a_run("a", 2))
    whole = path.read_bytes()
    path.write_bytes(whole + half)
    ledger = Ledger(path, clean=same)
    ledger.go_on(keeps=finished)
    assert [run["number"] for run in ledger.runs("a")] == [1, 2]
    assert path.read_bytes() == whole
    ledger.append(a_run("a", 3))
    assert [run["number"] for run in ledger.runs("a")] == [1, 2, 3]


@pytest.mark.parametrize("line", [b"\0\0\0", b"[" * 5000, b"[]", b'{"test": 1}', b'{"number": 2}'])
def test_a_line_that_cannot_be_read_is_no_run_and_hides_none(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "attempts.jsonl"
    left_by_an_earlier_command(path, a_run("a", 1))
    path.write_bytes(path.read_bytes() + line + b"\n")
    with path.open("ab") as file:
        file.write(json.dumps(a_run("a", 2)).encode() + b"\n")
    ledger = Ledger(path, clean=same)
    ledger.go_on(keeps=finished)
    assert [run["number"] for run in ledger.runs("a")] == [1, 2]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"{}\n",
        b'{"ledger": 1}\n',
        b'{"ledger": 2, "fingerprint": ""}\n',
        b'{"ledger": 1',
    ],
)
def test_what_has_no_heading_of_ours_has_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "attempts.jsonl"
    path.write_bytes(content)
    assert Ledger(path, clean=same).heading() is None
