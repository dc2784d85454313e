"""Reads what the runner hands in, has the suite run, and sets the outputs whatever happens."""

import asyncio
import io
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ci_judge.action.admission import Admission
from ci_judge.action.comment_desk import Connect
from ci_judge.action.desk import Desk, connect_to_github
from ci_judge.action.mistakes import TITLE, show_crash, show_problems
from ci_judge.action.order import Judge, Judged, Order
from ci_judge.action.suite_run import run_suite
from ci_judge.action_inputs import ActionInputs, given, read_inputs
from ci_judge.ci_context import CiContext, github_context
from ci_judge.engine.stopping import StopSign
from ci_judge.engine.unawaited import UnawaitedThreads
from ci_judge.errors import CiJudgeError, ExitCode
from ci_judge.github_api import Patience
from ci_judge.processes import end_the_rest_of_the_container
from ci_judge.redaction import Redactor
from ci_judge.sinks.command_files import CommandFiles
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.lasting_stream import LastingStream
from ci_judge.sinks.log import LogWriter
from ci_judge.sinks.marked_stream import MarkedStream
from ci_judge.sinks.outputs import outputs_of, outputs_without_report, write_outputs
from ci_judge.sinks.ownership import hand_over, heir_of
from ci_judge.workflows.surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentTime:
    """How long the comment may take in all, and after a signal."""

    most_seconds: float = 180.0
    grace_seconds: float = 1.5


COMMENT_TIME = CommentTime()

_CLOSING_SECONDS = 0.4


def main() -> int:
    """Run the action in this process and give its exit code."""
    return run_action(
        dict(os.environ),
        write=_log_of_the_step(),
        judge=_judge_here,
        end_others=end_the_rest_of_the_container,
    )


async def _judge_here(order: Order, log: LogWriter, stop_sign: StopSign) -> Judged:
    return await run_suite(order, log, stop_sign, surroundings=Surroundings.real())


def run_action(
    environment: Mapping[str, str],
    *,
    write: Callable[[str], object],
    judge: Judge,
    connect: Connect | None = None,
    comment_time: CommentTime = COMMENT_TIME,
    end_others: Callable[[], None] = lambda: None,
) -> int:
    """Run the action; whatever else is printed meanwhile goes into the log as text by others.

    After ``comment_time`` the comment is given up.
    ``end_others`` ends every process
    that the suite may have left behind.
    """
    log = LogWriter(write, commands=True)
    with MarkedStream(log) as stream, redirect_stdout(stream), redirect_stderr(stream):
        door = _Door(
            environment=environment,
            log=log,
            judge=judge,
            connect=connect or partial(connect_to_github, environment=environment),
            comment_time=comment_time,
            end_others=end_others,
        )
        return asyncio.run(door.act())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Door:
    environment: Mapping[str, str]
    log: LogWriter
    judge: Judge
    connect: Connect
    comment_time: CommentTime
    end_others: Callable[[], None]

    async def act(self) -> int:
        asyncio.get_running_loop().set_default_executor(UnawaitedThreads())
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
        context = github_context(self.environment)
        admission = Admission(
            environment=self.environment,
            inputs=inputs,
            context=context,
            log=self.log,
            connect=self.connect,
        )
        judged = await self._judged_if_let_in(admission, stop_sign)
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
        signalled = StopSign()
        with signalled.on_signals():
            if stop_sign.exit_code is not None:
                signalled.stop(stop_sign.reason or "interrupted")
            comment_url = await self._unless_stopped(
                desk.comment(judged, _patience(signalled, admission.patience)), signalled
            )
            if comment_url:
                self._set_outputs({"comment-url": comment_url})
        heir = heir_of(inputs.workspace, we=os.geteuid())
        if heir is not None:  # the comment may have been left in a file
            hand_over([judged.report_dir], heir)
        # the suite's own code, whatever came later: the verdict stood before
        return judged.document["exit_code"]

    async def _judged_if_let_in(self, admission: Admission, stop_sign: StopSign) -> Judged:
        """Have the suite run, or skip it where there is nothing to judge, or nothing to do it with.

        Raises InvalidInput before anything of the workspace is read where that is a stranger's.
        """
        await stop_sign.before(admission.refuse_strangers())
        untouched = await stop_sign.before(admission.why_untouched())
        if untouched:
            return admission.skipped(untouched, quiet=True)
        order = replace(
            _order(admission.inputs, admission.context),
            look_for_baseline=admission.look_for_baseline,
            look_for_earlier=admission.look_for_earlier,
        )
        try:
            return await self._judged(order, stop_sign)
        except CiJudgeError as error:
            return admission.without_secrets(error)

    async def _judged(self, order: Order, stop_sign: StopSign) -> Judged:
        """Have the suite run, and take back what its programs told the runner behind our back."""
        files = CommandFiles.remember(self.environment)
        try:
            return await self.judge(order, self.log, stop_sign)
        finally:
            self.end_others()
            for name in files.restore():
                message = f"A program of the suite wrote to {name}; that was taken out again"
                self.log.command("warning", message, title=TITLE)

    async def _unless_stopped(self, comment: Coroutine[Any, Any, str], signalled: StopSign) -> str:
        """Wait for the comment, but not for ever, and after a signal only for a moment."""

        async def patience() -> None:
            await signalled.wait()
            await asyncio.sleep(self.comment_time.grace_seconds)

        writing, waiting = asyncio.create_task(comment), asyncio.create_task(patience())
        try:
            await asyncio.wait(
                {writing, waiting},
                timeout=self.comment_time.most_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if writing.done():
                return writing.result()
        finally:
            for task in (writing, waiting):
                task.cancel()
            await asyncio.wait({writing, waiting}, timeout=_CLOSING_SECONDS)
        why = f"the step was {signalled.reason}" if signalled.reason else "GitHub took too long"
        self.log.line(f"No pull request comment: given up, for {why}")
        return ""

    def _set_outputs(self, outputs: Mapping[str, str]) -> None:
        path = self.environment.get("GITHUB_OUTPUT")
        if not path:
            return
        try:
            write_outputs(Path(path), outputs)
        except SinkFailed as failure:
            self.log.command("warning", str(failure), title=TITLE)


def _patience(signalled: StopSign, spent: Patience) -> Patience:
    """Wait for GitHub's rate limits until a signal comes: from then on there is no time."""

    async def pause(seconds: float) -> bool:
        try:
            await asyncio.wait_for(signalled.wait(), timeout=seconds)
        except TimeoutError:
            return True
        return False

    return replace(spent, pause=pause)


def _order(inputs: ActionInputs, context: CiContext) -> Order:
    return Order(
        config=inputs.config,
        overrides=inputs.overrides,
        select=inputs.select,
        tags=inputs.tags,
        working_directory=inputs.working_directory,
        workspace=inputs.workspace,
        context=replace(context, pull_request=context.pull_request or inputs.pr_number),
        secrets=(inputs.github_token,) if inputs.github_token else (),
        requirements=inputs.requirements,
        fresh=inputs.fresh,
    )


def _log_of_the_step() -> Callable[[str], object]:
    """Write at once and in UTF-8, whatever the container's locale suggests, as long as it is read.

    A runner that stops reading, as when a job is cancelled, does not stop the report.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    return LastingStream(sys.stdout).write
