"""What the container starts: the action under GitHub Actions, the command line with arguments."""

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
    sys.exit(128 + number)


def main() -> int:
    """Give the exit code. As process 1 Python would ignore SIGTERM; so both are handled first."""
    signal.signal(signal.SIGTERM, _terminate)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.argv[1:] or os.environ.get("GITHUB_ACTIONS") != "true":
        from ci_judge.__main__ import main as command_line  # noqa: PLC0415 - after the handlers

        return command_line()
    try:
        from ci_judge.action import main as action  # noqa: PLC0415 - after the handlers

        return action()
    except (SystemExit, KeyboardInterrupt) as end:
        exit_code = end.code if isinstance(end, SystemExit) else 128 + signal.SIGINT
        _tell_later_steps(exit_code)
        raise
    except Exception:
        _tell_later_steps(_BUG)
        sys.stdout.write("::error title=CI Judge::A bug in CI Judge kept it from starting\n")
        raise


def _tell_later_steps(exit_code: object) -> None:
    """Set the outputs after what nothing else listened to, before the run or after it.

    What the run has said about itself stands.
    """
    path = os.environ.get("GITHUB_OUTPUT")
    if not path or not isinstance(exit_code, int):
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # a second one must not cost what the first left
    from ci_judge.sinks.failure import SinkFailed  # noqa: PLC0415 - light, and only needed here
    from ci_judge.sinks.outputs import (  # noqa: PLC0415 - likewise
        outputs_without_report,
        write_outputs,
    )

    try:
        if "status<<" not in Path(path).read_text(encoding="utf-8", errors="replace"):
            write_outputs(Path(path), outputs_without_report(exit_code))
    except (OSError, SinkFailed) as error:
        sys.stdout.write(f"The outputs could not be written: {error}\n")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except Exception:  # noqa: BLE001 - the last border: an exit code of 1 would be a failed gate
        traceback.print_exc()
        sys.exit(_BUG)
