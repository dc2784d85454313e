"""The ``traceparent`` header (W3C Trace Context, version 00): one trace a run, a span a request."""

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

HexId: TypeAlias = Callable[[int], str]
"""Makes a random id of so many bytes, written in lower-case hexadecimal digits."""

TRACEPARENT = "traceparent"

_TRACE_BYTES = 16
_SPAN_BYTES = 8
_SAMPLED = "01"
_WRITTEN = re.compile(r"(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-.{2,}")


class Trace:
    """The trace of one run: an id of its own, and one more for each request."""

    def __init__(self, hex_id: HexId) -> None:
        self._hex_id = hex_id
        self.id = hex_id(_TRACE_BYTES)

    def header(self) -> str:
        """Return the header of one more request."""
        return f"00-{self.id}-{self._hex_id(_SPAN_BYTES)}-{_SAMPLED}"


def sent_trace_id(headers: Mapping[str, str]) -> str | None:
    """Read the trace id out of the headers of a request, None where they name none."""
    text = next((text for name, text in headers.items() if name.lower() == TRACEPARENT), "")
    found = _WRITTEN.fullmatch(text.strip())
    return found[1] if found else None
