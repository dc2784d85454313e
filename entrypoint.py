"""What the container starts: the action under GitHub Actions, the command line with arguments."""

import contextlib
import os
import signal
import sys
import traceback
from pathlib import Path

_HERE = Path(__file__).resolve().parent
if (_HERE / "ci_judge").is_dir():
    sys.path.insert(0, str(_HERE))  # a checkout: an isolated interpreter has no other way to it


_BUG = 70


def _terminate(number: int, _frame: object) -> None:
    _hear_the_first_alone()
    sys.exit(128 + number)


def _interrupt(_number: int, _frame: object) -> None:
    _hear_the_first_alone()
    raise KeyboardInterrupt


def _hear_the_first_alone() -> None:
    """Keep another signal from ending what the first one has begun; one may be waiting already."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)


def main() -> int:
    """Give the exit code. As process 1 Python would ignore SIGTERM; so both are handled first."""
    signal.signal(signal.SIGTERM, _terminate)
    signal.signal(signal.SIGINT, _interrupt)
    if sys.argv[1:] or os.environ.get("GITHUB_ACTIONS") != "true":
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from ci_judge.__main__ import main as command_line  # noqa: PLC0415 - after the handlers

        return command_line()
    try:
        from ci_judge.action import main as action  # noqa: PLC0415 - after the handlers

        return action()
    except (SystemExit, KeyboardInterrupt) as end:
        exit_code = end.code if isinstance(end, SystemExit) else 128 + signal.SIGINT
        if _tell_later_steps(exit_code):
            _say("::error title=CI Judge::Interrupted before there was a result")
        raise
    except Exception:
        _tell_later_steps(_BUG)
        _say("::error title=CI Judge::A bug in CI Judge kept it from starting")
        raise


def _tell_later_steps(exit_code: object) -> bool:
    """Set the outputs after what nothing else listened to, before the run or after it.

    What the run has said about itself stands; False where it has.
    """
    _listen_no_more()  # a second signal must not cost what the first left
    path = os.environ.get("GITHUB_OUTPUT")
    if not path or not isinstance(exit_code, int):
        return True
    from ci_judge.sinks.failure import SinkFailed  # noqa: PLC0415 - light, and only needed here
    from ci_judge.sinks.outputs import (  # noqa: PLC0415 - likewise
        outputs_without_report,
        write_outputs,
    )

    try:
        if "status<<" in Path(path).read_text(encoding="utf-8", errors="replace"):
            return False
        write_outputs(Path(path), outputs_without_report(exit_code))
    except (OSError, SinkFailed) as error:
        _say(f"The outputs could not be written: {error}")
    return True


def _listen_no_more() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)


def _say(line: str) -> None:
    with contextlib.suppress(OSError):  # nobody reads any more
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    try:
        exit_code = main()
        _listen_no_more()  # what was found stands: the interpreter has only to end
        sys.exit(exit_code)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except Exception:  # noqa: BLE001 - the last border: an exit code of 1 would be a failed gate
        traceback.print_exc()
        sys.exit(_BUG)
