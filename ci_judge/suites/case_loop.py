"""The one event loop of a case process, so that clients tied to a loop live over all runs.

asyncio is imported only when a case needs it: it would double the start of a process.
Runs in the process of the case files, so it uses the standard library only.
"""

import sys
import threading
from collections.abc import Awaitable, Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from ci_judge.suites.case_traceback import stack_detail, suspended_detail

if TYPE_CHECKING:
    import asyncio

CO_COROUTINE = 0x80  # inspect names it too, but takes 15 ms to import


class CaseLoop:
    """Runs in the main thread, where signal handlers and most libraries expect a loop."""

    def __init__(self) -> None:
        self._wanted = threading.Event()
        self._running = threading.Event()
        self._ending = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: dict[int, asyncio.Task[Any] | None] = {}  # None: not begun yet
        self._main = threading.get_ident()

    def run_in_this_thread(self) -> None:
        """Wait until a coroutine comes (or the end), then run the loop until the end."""
        self._wanted.wait()
        if self._ending.is_set():
            return
        import asyncio  # noqa: PLC0415 - see the module's docstring

        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        self._running.set()
        while not self._ending.is_set():
            try:
                self._loop.run_forever()
            except (SystemExit, KeyboardInterrupt):  # of a task that a case left behind
                continue
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()

    def end(self) -> None:
        self._ending.set()
        if self._loop:
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._wanted.set()

    def call(self, call_id: int, function: Callable[[], Any]) -> Any:
        """Call in this thread; await what it returns on the loop, if that can be awaited.

        Raises whatever the function raises.
        """
        value = _with_own_loop(function)
        return self._await(call_id, value) if hasattr(type(value), "__await__") else value

    def _await(self, call_id: int, awaitable: Awaitable[Any]) -> Any:
        import asyncio  # noqa: PLC0415 - see the module's docstring

        self._wanted.set()
        self._running.wait()
        if self._loop is None:
            raise RuntimeError("the process is ending")
        self._tasks[call_id] = None
        work = self._outcome(call_id, awaitable)
        value, error = asyncio.run_coroutine_threadsafe(work, self._loop).result()
        if error is not None:
            raise error
        return value

    async def _outcome(
        self, call_id: int, awaitable: Awaitable[Any]
    ) -> tuple[Any, BaseException | None]:
        import asyncio  # noqa: PLC0415 - see the module's docstring

        self._tasks[call_id] = asyncio.current_task()
        try:
            return await awaitable, None
        except BaseException as error:  # noqa: BLE001 - sys.exit must end the call, not the loop
            return None, error
        finally:
            self._tasks.pop(call_id, None)

    def where(self, call_id: int) -> tuple[str, bool] | None:
        """Return (stack, True if the loop is held by something else) of a call on the loop.

        None for a call that is not on the loop. Called from another thread, while the loop may be
        stuck: it only looks.
        """
        if call_id not in self._tasks:
            return None
        frame = sys._current_frames().get(self._main)  # noqa: SLF001 - the documented way
        if self._call_in(frame) == call_id:
            return stack_detail(frame), False
        idle = frame is not None and frame.f_code.co_name == "select"
        task = self._tasks[call_id]
        return (suspended_detail(task.get_coro()) if task else ""), not idle

    def _call_in(self, frame: FrameType | None) -> int | None:
        code = CaseLoop._outcome.__code__
        while frame is not None and frame.f_code is not code:
            frame = frame.f_back
        return None if frame is None else frame.f_locals["call_id"]


def _with_own_loop(function: Callable[[], Any]) -> Any:
    """Call with a loop set in this thread, for ``get_event_loop()`` in a plain function."""
    if "asyncio" not in sys.modules or _only_makes_a_coroutine(function):
        return function()
    import asyncio  # noqa: PLC0415 - not what is in sys.modules: that may be half imported

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return function()
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def _only_makes_a_coroutine(function: Callable[[], Any]) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & CO_COROUTINE)
