"""Threads for calls that block, such as looking up a name: the end of a command waits for none."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")

_MOST_THREADS = 32


class UnawaitedThreads(ThreadPoolExecutor):
    """An event loop's default executor whose shutdown leaves running calls to themselves.

    The standard one is waited for, by the loop and again by the interpreter: a name server that
    does not answer would hold a step for half a minute after its signal.
    """

    def __init__(self) -> None:
        super().__init__(max_workers=1)  # its own threads are never started
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._idle = Semaphore(0)
        self._started = 0

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Have a call made by an idle thread, or by a new one as long as there are few."""
        future: Future[_T] = Future()
        self._calls.put(partial(_make, future, partial(fn, *args, **kwargs)))
        if not self._idle.acquire(blocking=False) and self._started < _MOST_THREADS:
            self._started += 1
            Thread(target=self._work, daemon=True, name="ci-judge-blocking-call").start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the base's signature
        """Let every thread end after its call; nothing is waited for."""
        del wait, cancel_futures
        for _ in range(self._started):
            self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
            del call
            self._idle.release()


def _make(future: Future[_T], call: Callable[[], _T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(call())
    except BaseException as error:  # noqa: BLE001 - whoever waits for the call is told
        future.set_exception(error)
