"""The engine in a thread with an event loop of its own, so that pytest can go on and wait."""

import asyncio
import contextlib
import threading
import traceback
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from ci_judge.app import Finished, RunOptions, execute
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import CiJudgeError, ExitCode
from ci_judge.model.reasons import NotRunCode
from ci_judge.pytest_plugin.watching import Watcher
from ci_judge.workflows.surroundings import Surroundings

T = TypeVar("T")

END_SECONDS: Final = 120.0
"""How long pytest waits at its end for the report to be written."""


def in_a_thread(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Do asynchronous work to its end, whatever event loop the caller may be in.

    Raises what the work raises.
    """
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(asyncio.run(work()))
        except BaseException as error:  # noqa: BLE001 - raised again by who waits
            failed.append(error)

    thread = threading.Thread(target=run, name="ci-judge look", daemon=True)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


class BackgroundRun:
    """One run. ``finished`` is its report; ``error`` is what kept it from having one."""

    def __init__(self, options: RunOptions, surroundings: Surroundings, watcher: Watcher) -> None:
        self.watcher = watcher
        self.finished: Finished | None = None
        self.error: BaseException | None = None
        self._options = options
        self._surroundings = surroundings
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop_sign: StopSign | None = None
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ci-judge", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._up.wait(END_SECONDS)

    def hand_in(self, test_id: str) -> None:
        """Let a test begin, where tests are handed in one by one."""
        handout = self._options.handout
        if handout is not None:
            self._call(lambda: handout.intake.hand_in(test_id))

    def close(self) -> None:
        """Say that no further test will be handed in."""
        handout = self._options.handout
        if handout is not None:
            self._call(handout.intake.close)

    def stop(self, reason: str, *, code: NotRunCode, by_signal: bool) -> None:
        """Make no further run, and write the report."""
        exit_code = ExitCode.INTERRUPTED if by_signal else None
        sign = self._stop_sign
        if sign is not None:
            self._call(lambda: sign.stop(reason, code=code, exit_code=exit_code))

    def wait(self) -> bool:
        """Wait until the report is written; False where that takes too long."""
        self._thread.join(END_SECONDS)
        return not self._thread.is_alive()

    def _call(self, what: Callable[[], None]) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                self._loop.call_soon_threadsafe(what)

    def _run(self) -> None:
        try:
            self.finished = asyncio.run(self._execute())
        except BaseException as error:  # noqa: BLE001 - the border: told to whoever waits
            self.error = error
        finally:
            self._up.set()
            self.watcher.end(self.finished)

    async def _execute(self) -> Finished:
        self._loop = asyncio.get_running_loop()
        self._stop_sign = StopSign()
        self._up.set()
        return await execute(
            self._options, self._surroundings, front=self.watcher, stop_sign=self._stop_sign
        )


def error_lines(error: BaseException) -> list[str]:
    """Say what kept a run from being made: a line a problem, or a bug by its name."""
    if isinstance(error, CiJudgeError):
        return [str(problem) for problem in error.problems]
    return [f"This is a bug in CI Judge ({type(error).__name__}: {error})"]


def output_of(error: BaseException) -> str:
    """Give what may explain an error (untrusted): a program's output, or a bug's traceback."""
    if isinstance(error, CiJudgeError):
        return error.output
    return "".join(traceback.format_exception(error))
