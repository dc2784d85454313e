"""Text files as people save them: with a byte order mark, Windows line ends, or in UTF-16."""

import codecs
from pathlib import Path

from ci_judge.errors import InvalidInput, Place, Problem

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is the start of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def read_text(path: Path, *, file: str) -> str:
    """Read a file's text without its byte order mark, every line end a line feed.

    ``file`` is the name to show. Raises InvalidInput when it is missing, unreadable or not text.
    """
    content = _content(path, file)
    mark, encoding = next(
        ((mark, name) for mark, name in _MARKS if content.startswith(mark)), (b"", "utf-8")
    )
    body = content[len(mark) :]
    try:
        return plain_text(body.decode(encoding))
    except UnicodeDecodeError as error:
        raise InvalidInput(_not_text(body, error, encoding, file, len(mark))) from error


def plain_text(text: str) -> str:
    """Drop a byte order mark and turn every line end into a line feed."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _content(path: Path, file: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InvalidInput(
            Problem(message="the file does not exist", place=Place(file=file))
        ) from error
    except IsADirectoryError as error:
        raise InvalidInput(
            Problem(message="this is a folder, not a file", place=Place(file=file))
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(
            Problem(message=f"the file cannot be read: {reason}", place=Place(file=file))
        ) from error


def _not_text(
    body: bytes, error: UnicodeDecodeError, encoding: str, file: str, skipped: int
) -> Problem:
    line = body.count(b"\n", 0, error.start) + 1 if encoding == "utf-8" else None
    return Problem(
        message=(
            f"the file is not {encoding.upper()} text: byte 0x{body[error.start]:02x} "
            f"at offset {error.start + skipped}"
        ),
        hint="save it as UTF-8",
        place=Place(file=file, line=line),
    )
