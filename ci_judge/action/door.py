"""Reads what the runner hands in, has the suite run, and sets the outputs whatever happens."""

import asyncio
import io
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ci_judge.action.desk import Connect, Desk, connect_to_github
from ci_judge.action.mistakes import TITLE, show_crash, show_problems
from ci_judge.action.order import Judge, Judged, Order
from ci_judge.action.suite_run import run_suite
from ci_judge.action_inputs import ActionInputs, given, read_inputs
from ci_judge.ci_context import CiContext, github_context
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import CiJudgeError, ExitCode
from ci_judge.redaction import Redactor
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.lasting_stream import LastingStream
from ci_judge.sinks.log import LogWriter
from ci_judge.sinks.marked_stream import MarkedStream
from ci_judge.sinks.outputs import outputs_of, outputs_without_report, write_outputs
from ci_judge.workflows.surroundings import Surroundings


def main() -> int:
    """Run the action in this process and give its exit code."""
    return run_action(dict(os.environ), write=_log_of_the_step(), judge=_judge_here)


async def _judge_here(order: Order, log: LogWriter, stop_sign: StopSign) -> Judged:
    return await run_suite(order, log, stop_sign, surroundings=Surroundings.real())


def run_action(
    environment: Mapping[str, str],
    *,
    write: Callable[[str], object],
    judge: Judge,
    connect: Connect | None = None,
) -> int:
    """Run the action; whatever else is printed meanwhile goes into the log as text by others."""
    log = LogWriter(write, commands=True)
    with MarkedStream(log) as stream, redirect_stdout(stream), redirect_stderr(stream):
        door = _Door(
            environment=environment,
            log=log,
            judge=judge,
            connect=connect or partial(connect_to_github, environment=environment),
        )
        return asyncio.run(door.act())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Door:
    environment: Mapping[str, str]
    log: LogWriter
    judge: Judge
    connect: Connect

    async def act(self) -> int:
        token = given(self.environment, "github-token")
        self.log.protect(Redactor([token] if token else []))
        stop_sign = StopSign()
        with stop_sign.on_signals():
            try:
                return await self._judge_and_publish(stop_sign)
            except CiJudgeError as error:
                exit_code = error.exit_code
                show_problems(error, self.environment, self.log)
            except Exception as error:  # noqa: BLE001 - the border: a crash still sets the outputs
                exit_code = ExitCode.BUG
                show_crash(error, self.log)
            self._set_outputs(outputs_without_report(exit_code))
            return exit_code

    async def _judge_and_publish(self, stop_sign: StopSign) -> int:
        inputs = read_inputs(self.environment)
        context = _context(self.environment, inputs)
        judged = await self.judge(_order(inputs, context), self.log, stop_sign)
        desk = Desk(
            environment=self.environment,
            inputs=inputs,
            context=context,
            log=self.log,
            connect=self.connect,
        )
        published = await desk.publish(judged)
        # before the comment, which takes a while: a step that is cancelled then has them
        self._set_outputs(outputs_of(judged.document, published))
        comment_url = await desk.comment(judged)
        if comment_url:
            self._set_outputs({"comment-url": comment_url})
        return judged.document["exit_code"]

    def _set_outputs(self, outputs: Mapping[str, str]) -> None:
        path = self.environment.get("GITHUB_OUTPUT")
        if not path:
            return
        try:
            write_outputs(Path(path), outputs)
        except SinkFailed as failure:
            self.log.command("warning", str(failure), title=TITLE)


def _context(environment: Mapping[str, str], inputs: ActionInputs) -> CiContext:
    context = github_context(environment)
    return replace(context, pull_request=context.pull_request or inputs.pr_number)


def _order(inputs: ActionInputs, context: CiContext) -> Order:
    return Order(
        config=inputs.config,
        overrides=inputs.overrides,
        select=inputs.select,
        tags=inputs.tags,
        working_directory=inputs.working_directory,
        workspace=inputs.workspace,
        context=context,
        secrets=(inputs.github_token,) if inputs.github_token else (),
    )


def _log_of_the_step() -> Callable[[str], object]:
    """Write at once and in UTF-8, whatever the container's locale suggests, as long as it is read.

    A runner that stops reading, as when a job is cancelled, does not stop the report.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    return LastingStream(sys.stdout).write
