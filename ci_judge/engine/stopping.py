"""Ends a run early, for whoever has a reason: a signal, or enough failures."""

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from ci_judge.errors import ExitCode, Interrupted, Problem, Terminated
from ci_judge.model.reasons import NotRunCode

T = TypeVar("T")

_SIGNALS = {signal.SIGINT: ExitCode.INTERRUPTED, signal.SIGTERM: ExitCode.TERMINATED}


@dataclass(slots=True)
class StopSign:
    """Goes up once; the first reason stands. ``exit_code`` is set when a signal put it up.

    ``code`` is that of the runs that are not made because of it.
    """

    reason: str | None = None
    code: NotRunCode = NotRunCode.INTERRUPTED
    exit_code: ExitCode | None = None
    _event: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(
        self,
        reason: str,
        *,
        exit_code: ExitCode | None = None,
        code: NotRunCode = NotRunCode.INTERRUPTED,
    ) -> None:
        if self.reason is None:
            self.reason = reason
            self.exit_code = exit_code
            self.code = code
        self._event.set()

    async def wait(self) -> None:
        await self._event.wait()

    async def before(self, work: Coroutine[Any, Any, T]) -> T:
        """Do work that has no result worth keeping when stopped. Raises Interrupted then."""
        task = asyncio.create_task(work)
        stopped = asyncio.create_task(self.wait())
        try:
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
        finally:
            for each in (task, stopped):
                each.cancel()
            await asyncio.gather(task, stopped, return_exceptions=True)
        kind = Terminated if self.exit_code is ExitCode.TERMINATED else Interrupted
        raise kind(Problem(message=f"{self.reason} before the first run; nothing was judged"))

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Put the sign up on SIGINT and SIGTERM for as long as this lasts.

        Whoever listened before listens again afterwards.
        """
        loop = asyncio.get_running_loop()
        before = {number: signal.getsignal(number) for number in _SIGNALS}
        for number, exit_code in _SIGNALS.items():
            reason = f"interrupted by {number.name}"
            loop.add_signal_handler(number, partial(self.stop, reason, exit_code=exit_code))
        try:
            yield
        finally:
            for number, handler in before.items():
                loop.remove_signal_handler(number)
                if handler is not None:  # one that Python did not set cannot be set again
                    signal.signal(number, handler)
