from contextlib import ExitStack

from ci_judge.action.suite_run import ActionFront
from ci_judge.sinks.log import LogWriter
from tests.runner_double import read_log


def test_a_run_that_warns_a_lot_leaves_room_for_tests_that_could_not_be_decided() -> None:
    pieces: list[str] = []
    log = LogWriter(pieces.append, commands=True)
    front = ActionFront(log, ExitStack())
    for number in range(30):
        front.warn(f"warning {number}\n::error::never")
    seen = read_log("".join(pieces))
    assert [one.name for one in seen.commands] == ["warning"] * 5
    assert log.room("warning") == 5
    assert sum(f"warning {number}" in "".join(pieces) for number in range(30)) == 30
