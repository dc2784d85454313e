"""``ci-judge run``: the whole story, told on the terminal."""

import asyncio
import json
import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from ci_judge.app import Finished, FrontDoor, RunOptions, execute
from ci_judge.ci_context import context_of
from ci_judge.cli import options
from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.engine.stopping import StopSign
from ci_judge.engine.unawaited import UnawaitedThreads
from ci_judge.errors import InvalidInput
from ci_judge.protocols import Progress
from ci_judge.redaction import Redactor
from ci_judge.renderers import console
from ci_judge.renderers.progress import PlainProgress
from ci_judge.renderers.registry import renderer
from ci_judge.settings import Given
from ci_judge.sinks.files import shown_path
from ci_judge.workflows.earlier_attempts import earlier_report
from ci_judge.workflows.planning import Plan, Selection
from ci_judge.workflows.surroundings import Surroundings

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


@click.command(
    short_help="Run the suite, judge it, write the reports.",
    epilog="Example: ci-judge run --runs 20 --threshold 0.8 -k refund",
)
@options.config
@options.names
@options.tags
@options.overrides
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache (run.cache: off).")
@click.option("-x", "stop_at_first", is_flag=True, help="Stop after the first failed test.")
@click.option("--maxfail", type=click.IntRange(min=1), help="Stop after N failed tests.")
@click.option(
    "--resume", is_flag=True, help="Go on with an interrupted run; keep what it finished."
)
@click.option(
    "--continue-from",
    type=click.Path(path_type=Path),
    metavar="REPORT",
    help="Go on from the report.json of an earlier attempt: what is decided stays decided.",
)
@click.option("--junitxml", type=click.Path(path_type=Path), help="One more copy of the JUnit XML.")
@click.option(
    "--quiet",
    "-q",
    is_flag=True,
    help="Print only tests that failed or are undecided, the result and the report paths.",
)
@click.option("--json", "as_json", is_flag=True, help="Print report.json to stdout, nothing else.")
@pass_screen
def command(screen: Screen, /, **values: Any) -> int:
    """Send every scenario to its target, call every case, judge, decide and report.

    Exit codes: 0 every gate passed, 1 a gate failed, 2 wrong input, 3 undecided, 5 no test.
    """
    surroundings = Surroundings.real()
    with ExitStack() as stack:
        terminal = Terminal(screen, stack, quiet=values["quiet"] or values["as_json"])
        running = run_to_the_end(_run_options(values, surroundings), surroundings, terminal)
        finished = asyncio.run(running)
    if values["as_json"]:
        for piece in renderer("json").render(finished.document, finished.runs):
            sys.stdout.write(_inert(piece))
    else:
        terminal.conclude(finished)
    return finished.document["exit_code"]


def _inert(piece: str) -> str:
    """Spell JSON so that any terminal can show it and no CI runner finds a command in it.

    Other than ASCII stands in strings alone, where JSON has escapes for it.
    """
    ascii_only = _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], piece)
    return ascii_only.replace("##[", "#\\u0023[")


async def run_to_the_end(
    run_options: RunOptions, surroundings: Surroundings, front: FrontDoor
) -> Finished:
    asyncio.get_running_loop().set_default_executor(UnawaitedThreads())
    stop_sign = StopSign()
    with stop_sign.on_signals():
        return await execute(run_options, surroundings, front=front, stop_sign=stop_sign)


def _run_options(values: dict[str, Any], surroundings: Surroundings) -> RunOptions:
    context = context_of(surroundings.environment, folder=surroundings.cwd)
    earlier = values["continue_from"]
    if earlier is not None and values["resume"]:
        raise InvalidInput.of(
            "--resume and --continue-from exclude each other",
            hint="--resume for a run that was cut off, --continue-from for one that ended",
        )
    return RunOptions(
        config=values["config"],
        overrides=_overrides(values),
        selection=Selection(names=values["names"], tags=values["tags"]),
        max_failures=1 if values["stop_at_first"] else values["maxfail"],
        junit_copy=values["junitxml"],
        resume=values["resume"],
        goes_on_from=earlier,
        look_for_earlier=None
        if earlier is None
        else earlier_report(earlier, commit=context.commit, attempt=context.attempt),
        context=context.entry(),
    )


def _overrides(values: dict[str, Any]) -> dict[str, Given]:
    without_cache = {"run.cache": Given(value="off", by="--no-cache")}
    return options.given_overrides(values) | (without_cache if values["no_cache"] else {})


class Terminal(FrontDoor):
    """Shows progress on a terminal, plain lines elsewhere; notices go to stderr."""

    def __init__(
        self, screen: Screen, stack: ExitStack, *, quiet: bool, resumable: bool = True
    ) -> None:
        self._resumable = resumable
        self._screen = screen
        self._stack = stack
        self._quiet = quiet

    def protect(self, redactor: Redactor) -> None:
        self._screen.protect(redactor)

    def planned(self, plan: Plan) -> Progress:
        if self._quiet:
            return super().planned(plan)
        if sys.stdout.isatty() and not os.environ.get("CI"):
            return self._live(plan)
        return PlainProgress(self._screen.out.line)

    def _live(self, plan: Plan) -> Progress:
        from ci_judge.renderers.live_progress import (  # noqa: PLC0415 - only a terminal pays for it
            on_terminal,
        )

        runs = sum(test.gate.runs for test in plan.tests if test.skip is None)
        return self._stack.enter_context(on_terminal(total_runs=runs))

    def note(self, text: str) -> None:
        self._screen.err.line(text)

    def overheard(self, text: str) -> None:
        self._screen.err.untrusted(text)

    def warn(self, text: str) -> None:
        self._screen.err.line(f"warning: {text}")

    def crashed(self, error: Exception) -> None:
        self._screen.err.untrusted("".join(traceback.format_exception(error)))

    def conclude(self, finished: Finished) -> None:
        for piece in self._report(finished):
            self._screen.out.line(piece.removesuffix("\n"))
        for kind, path in finished.files.items():
            self._screen.out.line(f"{kind}: {shown_path(path)}")
        if self._resumable and finished.document["run"]["interrupted"]:
            self._screen.out.line("`ci-judge run --resume` goes on with what was not run.")

    def _report(self, finished: Finished) -> Iterator[str]:
        if self._quiet:
            return console.render_briefly(finished.document, finished.runs)
        return console.render(finished.document, finished.runs)
