"""When in an answer that comes in pieces something is there for the first time."""

from collections.abc import Callable
from typing import TypeAlias

Sight: TypeAlias = Callable[[bytes], bool]
"""Is given each piece of a body, decompressed; tells whether what it waits for has come."""


class FirstSight:
    """Notes the seconds since ``started`` at which ``sight`` first says yes, and asks no more.

    ``clock`` is monotonic, in seconds.
    """

    def __init__(self, sight: Sight, *, clock: Callable[[], float], started: float) -> None:
        self._sight = sight
        self._clock = clock
        self._started = started
        self.seconds: float | None = None

    def look(self, piece: bytes) -> None:
        if self.seconds is None and self._sight(piece):
            self.seconds = self._clock() - self._started
