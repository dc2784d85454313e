"""``python -m ci_judge`` and the command ``ci-judge``."""

import gc
import os
import sys

GARBAGE_THRESHOLDS = (20_000, 50, 100)
"""Of Python's collector: a run makes many short-lived values and hardly a cycle."""


def main() -> int:
    """Run the command line and return its exit code."""
    if sys.argv[1:] == ["--version"]:
        # Asked by scripts, often: answered before anything is imported.
        from ci_judge.version import __version__  # noqa: PLC0415

        sys.stdout.write(f"ci-judge {__version__}\n")
        return 0
    # Plugins of pydantic are looked for in every installed package: time for nothing of ours.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # What imports make stays: to look through it for garbage, again and again, finds nothing.
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    if "_CI_JUDGE_COMPLETE" in os.environ:
        from ci_judge.cli.completion import answer_shell  # noqa: PLC0415

        return answer_shell(sys.argv[1:])
    from ci_judge.cli.front import run_command_line  # noqa: PLC0415

    exit_code = run_command_line(sys.argv[1:])
    # What is left goes with the process: looking for cycles in it first takes a tenth of a start.
    gc.freeze()
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
