"""Tests that are handed in one by one: none is begun before its turn, and more may always come."""

from collections.abc import Callable


class Intake:
    """Knows which tests have been handed in. Belongs to one event loop.

    The scheduler is told of each through ``on_change`` and does not end before ``close``.
    """

    def __init__(self) -> None:
        self.closed = False
        self._taken: set[str] = set()
        self._changed: Callable[[], None] | None = None

    def has(self, test_id: str) -> bool:
        """Tell whether a test was handed in."""
        return test_id in self._taken

    def hand_in(self, test_id: str) -> None:
        """Let a test begin. A second time, and after the end, it does nothing."""
        if self.closed or test_id in self._taken:
            return
        self._taken.add(test_id)
        self._tell()

    def close(self) -> None:
        """Say that no further test will come."""
        self.closed = True
        self._tell()

    def on_change(self, changed: Callable[[], None]) -> None:
        """Call ``changed`` now, for what has happened before, and after each change."""
        self._changed = changed
        changed()

    def _tell(self) -> None:
        if self._changed is not None:
            self._changed()
