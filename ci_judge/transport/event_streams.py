"""Bytes of a stream to its events: server-sent events and JSON lines, in pieces of any size."""

import re
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

StreamKind: TypeAlias = Literal["sse", "ndjson"]

LAST_WORD = "[DONE]"
"""What many servers send as their last event; it is no data."""

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\n|\r")


class BrokenOff(Exception):
    """The stream ends in the middle of an event; the text says where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEvent:
    """One event: its data as text, and its type (always "message" for JSON lines)."""

    data: str
    type: str = "message"


class EventReader(Protocol):
    """Reads the events of one stream."""

    def feed(self, piece: bytes) -> list[StreamEvent]:
        """Take the next piece of the body; returns the events that it completes."""
        ...

    def finish(self) -> list[StreamEvent]:
        """Take the end of the body. Raises BrokenOff where it cuts an event in two."""
        ...


def event_reader(kind: StreamKind) -> EventReader:
    """Return a reader for one stream of this kind."""
    return SseReader() if kind == "sse" else JsonLineReader()


class SseReader:
    """Server-sent events, read as the HTML standard says (9.2.6, "Interpreting an event stream").

    Fields ``id`` and ``retry`` are for reconnecting, which nobody does here. One thing is stricter
    than in a browser, which drops data without an empty line behind it: that is ``BrokenOff``.
    """

    def __init__(self) -> None:
        self._lines = _Lines()
        self._data: list[str] = []
        self._type = ""

    def feed(self, piece: bytes) -> list[StreamEvent]:
        found = (self._line(line.decode("utf-8", "replace")) for line in self._lines.feed(piece))
        return [event for event in found if event is not None]

    def finish(self) -> list[StreamEvent]:
        rest = self._lines.rest().decode("utf-8", "replace")
        if rest:
            self._line(rest)
        cut = rest.partition(":")[0] or self._data or self._type
        if cut and self._data != [LAST_WORD]:
            raise BrokenOff("no empty line behind its last event")
        return []

    def _line(self, line: str) -> StreamEvent | None:
        if not line:
            return self._dispatched()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        return None

    def _dispatched(self) -> StreamEvent | None:
        data, self._data = self._data, []
        type_, self._type = self._type, ""
        return StreamEvent(data="\n".join(data), type=type_ or "message") if data else None


class JsonLineReader:
    """One event a line that is not blank; the last line needs no end."""

    def __init__(self) -> None:
        self._lines = _Lines()

    def feed(self, piece: bytes) -> list[StreamEvent]:
        return [event for line in self._lines.feed(piece) for event in _of_line(line)]

    def finish(self) -> list[StreamEvent]:
        return _of_line(self._lines.rest())


def _of_line(line: bytes) -> list[StreamEvent]:
    return [StreamEvent(data=line.decode("utf-8", "replace"))] if line.strip() else []


class _Lines:
    """Cuts bytes into lines, ended by CR, LF or both; a byte order mark at the start is none."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []
        self._after_cr = False
        self._first = True

    def feed(self, piece: bytes) -> list[bytes]:
        if self._after_cr and piece:
            piece = piece.removeprefix(b"\n")
            self._after_cr = False
        self._after_cr |= piece.endswith(b"\r")
        *ended, begun = _LINE_END.split(piece)
        lines = []
        for line in ended:
            lines.append(self._whole(line))
            self._begun = []
        self._begun.append(begun)
        return lines

    def rest(self) -> bytes:
        """Return what stands behind the last line end."""
        return self._whole(b"")

    def _whole(self, last: bytes) -> bytes:
        line = b"".join((*self._begun, last))
        if self._first:
            self._first = False
            return line.removeprefix(_BOM)
        return line
