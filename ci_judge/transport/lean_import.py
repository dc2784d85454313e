"""Imports httpx without its own command line."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_COMMAND_LINE = "httpx._main"


@contextmanager
def without_command_line() -> Iterator[None]:
    """Keep ``import httpx`` from loading its command line, for as long as this lasts.

    httpx imports it where click and rich are installed, as they are with us, and falls back where
    it cannot: a tenth of a second of CPU for a program that nobody calls.
    """
    if "httpx" in sys.modules:
        yield
        return
    sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]  # Python's own way to say "no"
    try:
        yield
    finally:
        del sys.modules[_COMMAND_LINE]
