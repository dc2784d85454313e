"""Takes the report out of an artifact's zip file, which may have been made by anybody."""

import io
import zipfile
import zlib

MOST_ARCHIVE_BYTES = 100 * 1024 * 1024
MOST_REPORT_BYTES = 64 * 1024 * 1024
_MOST_ENTRIES = 10_000
_MOST_RATIO = 300
_SMALL_BYTES = 1024 * 1024
_ENCRYPTED = 0x1
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class BadArchive(Exception):
    """The archive holds no report, or is not one that we read; the text says why."""


def report_bytes(archive: bytes, *, name: str) -> bytes:
    """Give the content of the one file of this name in the archive, in whatever folder.

    Nothing is written to the disk. Raises BadArchive.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            entry = _entry(opened, name)
            _refuse_bomb(entry)
            with opened.open(entry) as file:
                content = file.read(MOST_REPORT_BYTES + 1)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, OSError) as error:
        raise BadArchive(f"it is no zip file that can be read: {error}") from error
    except zlib.error as error:
        raise BadArchive("its report cannot be decompressed") from error
    if len(content) > MOST_REPORT_BYTES:
        raise BadArchive("its report is larger than it says")
    return content


def _entry(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    entries = archive.infolist()
    if len(entries) > _MOST_ENTRIES:
        raise BadArchive(f"it holds more than {_MOST_ENTRIES:,} files")
    found = [entry for entry in entries if entry.filename.rpartition("/")[2] == name]
    if len(found) != 1:
        raise BadArchive(f'it holds {len(found) or "no"} files called "{name}"')
    (entry,) = found
    if entry.filename.startswith("/") or ".." in entry.filename.split("/"):
        raise BadArchive("its report lies outside of it")
    return entry


def _refuse_bomb(entry: zipfile.ZipInfo) -> None:
    if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _METHODS:
        raise BadArchive("its report is encrypted or compressed in an unusual way")
    if entry.file_size > MOST_REPORT_BYTES:
        raise BadArchive(f"its report is larger than {MOST_REPORT_BYTES // 1024**2} MiB")
    ratio = entry.file_size / max(1, entry.compress_size)
    if entry.file_size > _SMALL_BYTES and ratio > _MOST_RATIO:
        raise BadArchive(f"its report is compressed more than {_MOST_RATIO} to 1")
