"""What the container starts: the action under GitHub Actions, the command line with arguments."""

import os
import signal
import sys
from pathlib import Path


def _terminate(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def main() -> int:
    """Give the exit code. As process 1 Python would ignore SIGTERM; so both are handled first."""
    signal.signal(signal.SIGTERM, _terminate)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    here = Path(__file__).resolve().parent
    if (here / "ci_judge").is_dir():
        sys.path.insert(0, str(here))  # a checkout: an isolated interpreter has no other way to it
    if sys.argv[1:] or os.environ.get("GITHUB_ACTIONS") != "true":
        from ci_judge.__main__ import main as command_line  # noqa: PLC0415 - after the handlers

        return command_line()
    from ci_judge.action import main as action  # noqa: PLC0415 - after the handlers

    return action()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
