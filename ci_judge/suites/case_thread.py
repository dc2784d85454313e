"""The threads that calls of cases are made in: one call a thread at a time, used again afterwards.

Starting a thread takes several times as long as a quick case. Each call has a context of its own
(``contextvars``), as in a new thread; what ``threading.local`` holds stays, as a module's own
variables do. Runs in the process of the case files, so it uses the standard library only.
"""

import threading
from collections.abc import Callable
from contextvars import Context


class CaseThread:
    """A thread that waits for a call, and puts itself among the idle ones after it."""

    def __init__(self, idle: "list[CaseThread]") -> None:
        self._idle = idle
        self._call: Callable[[], None] | None = None
        self._given = threading.Lock()
        self._given.acquire()
        self.thread = threading.Thread(target=self._go_on, daemon=True)
        self.thread.start()

    def begin(self, call: Callable[[], None], *, name: str) -> None:
        """Make a call under this name of the thread; it must be idle, or new."""
        self.thread.name = name
        self._call = call
        self._given.release()

    def _go_on(self) -> None:
        while self._given.acquire() and self._call is not None:
            Context().run(self._call)
            self._idle.append(self)


class CaseThreads:
    """As many threads as there are calls at once: none ever waits for one that hangs."""

    def __init__(self) -> None:
        self._idle: list[CaseThread] = []

    def free(self) -> CaseThread:
        """Take an idle thread, or start one. To be asked from one thread alone."""
        return self._idle.pop() if self._idle else CaseThread(self._idle)
