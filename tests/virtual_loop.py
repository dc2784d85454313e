"""An event loop whose clock jumps to the next timer: hours of waiting in no time, reproducibly."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

from ci_judge.transport import Effects

T = TypeVar("T")


class _JumpingSelector(selectors.DefaultSelector):
    """Instead of waiting for a timer, moves the clock there."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("everything waits for something that no timer will bring")
        if not ready and timeout is not None:
            self.now += max(timeout, 0.0)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """The real loop of asyncio in virtual seconds."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    def effects(self) -> Effects:
        return Effects(
            sleep=asyncio.sleep,
            monotonic=self.time,
            now=lambda: 1_700_000_000.0 + self.time(),
            random=lambda: 0.5,
        )


def run_virtually(work: Coroutine[Any, Any, T], *, loop: VirtualLoop) -> T:
    """Run to the end and close the loop."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(work)
