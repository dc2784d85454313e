"""The command line's border: from words to a command, from errors to lines and exit codes."""

import gc
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from ci_judge.cli.screen import Screen
from ci_judge.errors import CiJudgeError, ExitCode, InvalidInput
from ci_judge.sinks.lasting_stream import LastingStream
from ci_judge.version import __version__
from ci_judge.visible_text import one_line

ISSUES = "https://github.com/ci-judge/ci-judge/issues"
LONGEST_LINE = 2_000

COMMANDS = {
    "init": "Write a first configuration, criteria, scenario and workflow.",
    "check": "Validate everything and print the plan; send nothing.",
    "plan": "Say what the gates promise and cost; try other designs.",
    "generate": "Write scenarios out of the criteria, for people to review.",
    "run": "Run the suite, judge it, write the reports (the default).",
    "calibrate": "Hold the judge against responses that people labelled.",
    "merge": "Put the reports of shards together.",
    "rejudge": "Judge the evidence of a report again; no target is asked.",
    "regate": "Apply other gates to a report, without a new run.",
    "compare": "Say what got worse between two reports, and what may be chance.",
    "aa": "Count the verdicts that flipped between two runs.",
    "comment": "Comment on a fork's pull request by its report (workflow_run).",
    "render": "Make every report format again from a report.json.",
    "completion": "Print the script that completes commands in your shell.",
    "import": "Take over a suite of promptfoo, openai-evals or juried.",
}
_MODULES = {"import": "importing"}
"""Where a command's name is no name of a module."""


class LazyCommands(click.Group):
    """Imports a command's module when that command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = f"ci_judge.cli.{_MODULES.get(cmd_name, cmd_name)}"
        if module not in sys.modules:
            _import_to_stay(module)
        command: click.Command = sys.modules[module].command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was perhaps meant."""
        if args and self.get_command(ctx, args[0]) is None:
            close = get_close_matches(args[0], list(COMMANDS), n=1)
            hint = f'did you mean "{close[0]}"?' if close else "see `ci-judge --help`"
            raise InvalidInput.of(f'there is no command "{args[0]}"', hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take flags without a command for those of ``run``, and nothing at all for a mistake.

        A step that names no command judges nothing, so it must not be green.
        """
        if ctx.resilient_parsing:  # a shell asks how to go on
            return super().parse_args(ctx, args)
        if not args:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(int(ExitCode.INVALID))
        if args[0].startswith("-") and args[0] not in {"--help", "-h", "--version"}:
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a broken pipe within is a bug, which click would exit with 1 for."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise RuntimeError("a connection of ours was closed and nobody saw to it") from error


@click.group(
    cls=LazyCommands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: ci-judge run --config examples/faq-bot/ci-judge.yaml",
)
@click.version_option(__version__, message="ci-judge %(version)s")
def commands() -> None:
    """Judge software whose right answer cannot be compared with ==, in CI."""


def run_command_line(arguments: list[str], *, group: click.Group = commands) -> int:
    """Run one command. Every error is one line a problem; a traceback is a bug of ours.

    Whoever closes our output ends neither the command nor changes its exit code.
    """
    _write_anything()
    err = LastingStream(sys.stderr)
    out = LastingStream(sys.stdout, complain=err.write)
    with redirect_stdout(out), redirect_stderr(err):
        exit_code = _run(group, arguments, Screen())
        out.flush()
        err.flush()
    return exit_code


def _run(group: click.Group, arguments: list[str], screen: Screen) -> int:
    try:
        return _exit_code(
            group.main(arguments, prog_name="ci-judge", standalone_mode=False, obj=screen)
        )
    except CiJudgeError as error:
        screen.clean(error)
        screen.err.untrusted(error.output)
        for problem in error.problems:
            _say(screen, f"error: {problem}")
        return int(error.exit_code)
    except click.UsageError as error:
        _say(screen, f"error: {error.format_message()}{_usage_hint(error)}")
        return int(ExitCode.INVALID)
    except (click.Abort, KeyboardInterrupt):
        _say(screen, "interrupted")
        return int(ExitCode.INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the border: a bug is shown as one
        screen.err.untrusted(traceback.format_exc())
        _say(
            screen,
            f"This is a bug in CI Judge ({type(error).__name__}). Please report it: {ISSUES}",
        )
        return int(ExitCode.BUG)


def _import_to_stay(name: str) -> None:
    """Import a module whose making stays: no search for garbage looks at it, now or later."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        import_module(name)
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def _exit_code(result: Any) -> int:
    return result if isinstance(result, int) else int(ExitCode.PASSED)


_TAKE_TESTS = frozenset({"run", "check"})


def _usage_hint(error: click.UsageError) -> str:
    name = error.ctx.info_name if error.ctx else None
    if name in _TAKE_TESTS and error.message.startswith("Got unexpected extra argument"):
        return " (choose tests with -k or -m; files are those of suite.paths)"
    return f" (see `{error.ctx.command_path} --help`)" if error.ctx else ""


def _say(screen: Screen, text: str) -> None:
    screen.err.line(one_line(text, limit=LONGEST_LINE))


def _write_anything() -> None:
    """Let no locale stop a report: what it cannot show appears as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
