"""Content-Encoding undone within a size limit, so that a few bytes cannot fill the memory."""

import zlib

from ci_judge.transport.limits import TooLarge, Undecodable

ACCEPTED = "gzip, deflate"
"""What every request advertises: what can be undone here, and nothing else."""

_GZIP = 16 + zlib.MAX_WBITS
_HEADER_BYTES = 2  # of zlib, which deflate has or has not


class BoundedBody:
    """Collects the raw pieces of one body. Raises TooLarge and Undecodable."""

    def __init__(self, encoding: str, *, limit: int) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self._raw_size = 0
        self._inflater = _inflater(encoding)

    def feed(self, raw: bytes) -> bytes:
        """Take a raw piece; returns what it is, decompressed."""
        self._raw_size += len(raw)
        if self._raw_size > self._limit:
            raise TooLarge
        return self._kept(raw if self._inflater is None else self._inflater.feed(raw, self._room))

    def finish(self) -> bytes:
        if self._inflater is not None and self._raw_size and not self._inflater.complete:
            raise Undecodable("the compressed body breaks off")
        return b"".join(self._pieces)

    @property
    def _room(self) -> int:
        return self._limit - self._size + 1

    def _kept(self, piece: bytes) -> bytes:
        self._size += len(piece)
        if self._size > self._limit:
            raise TooLarge
        self._pieces.append(piece)
        return piece


class _Inflater:
    """gzip (with several members) or deflate (with or without the zlib header)."""

    def __init__(self, windows: tuple[int, ...]) -> None:
        self._windows = windows
        self._stream = zlib.decompressobj(windows[0])
        self._head = b""  # what the kind of deflate has been judged by so far

    @property
    def complete(self) -> bool:
        return self._stream.eof

    def feed(self, raw: bytes, room: int) -> bytes:
        """Return at most ``room`` bytes; what would come after them is not even produced."""
        out = self._inflate(raw, room)
        pieces = [out]
        room -= len(out)
        while room > 0 and self._stream.eof and self._stream.unused_data.strip(b"\0"):
            rest = self._stream.unused_data
            self._stream = zlib.decompressobj(self._windows[0])
            out = self._inflate(rest, room)
            pieces.append(out)
            room -= len(out)
        return b"".join(pieces)

    def _inflate(self, raw: bytes, room: int) -> bytes:
        undecided = len(self._windows) > 1 and len(self._head) < _HEADER_BYTES
        if undecided:
            self._head += raw
        try:
            return self._stream.decompress(raw, room)
        except zlib.error as error:
            if not undecided:
                raise Undecodable("the compressed body is damaged") from error
        self._windows = self._windows[1:]
        self._stream = zlib.decompressobj(self._windows[0])
        return self._inflate(self._head, room)


def _inflater(encoding: str) -> _Inflater | None:
    match encoding.strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return _Inflater((_GZIP,))
        case "deflate":
            return _Inflater((zlib.MAX_WBITS, -zlib.MAX_WBITS))
        case other:
            raise Undecodable(f"the body is compressed as {other[:40]!r}, which nobody asked for")
