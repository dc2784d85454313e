"""The report out of a zip file that anybody may have made."""

import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.workflows.report_archive import (
    MOST_REPORT_BYTES,
    BadArchive,
    report_bytes,
)
from tests.github_past import zipped

NAME = "report.json"


def refused(archive: bytes) -> str:
    with pytest.raises(BadArchive) as error:
        report_bytes(archive, name=NAME)
    return str(error.value)


@pytest.mark.parametrize("place", ["report.json", "ci-judge-report/report.json"])
def test_the_report_is_found_in_whatever_folder(place: str) -> None:
    archive = zipped({"junit.xml": b"<x/>", place: b"{}", "old-report.json": b"[]"})
    assert report_bytes(archive, name=NAME) == b"{}"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "no files called"),
        ({"a/report.json": b"1", "b/report.json": b"2"}, "2 files called"),
        ({"/report.json": b"{}"}, "outside"),
        ({"a/../../report.json": b"{}"}, "outside"),
        ({f"{number}.txt": b"" for number in range(10_001)}, "more than 10,000"),
    ],
)
def test_a_strange_archive_is_refused(files: dict[str, bytes], why: str) -> None:
    assert why in refused(zipped(files))


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    assert "300 to 1" in refused(zipped({NAME: b" " * (8 << 20)}))
    assert "larger than 64 MiB" in refused(zipped({NAME: b" " * (MOST_REPORT_BYTES + 1)}))


def test_a_size_that_is_a_lie_does_not_help() -> None:
    content = bytes(range(256)) * 8
    archive = bytearray(zipped({NAME: content * 2}))
    real = struct.pack("<I", len(content) * 2)
    for at in [at for at in range(len(archive)) if archive[at : at + 4] == real]:
        archive[at : at + 4] = struct.pack("<I", len(content))
    assert "zip file" in refused(bytes(archive))


def test_unusual_compression_is_refused() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(NAME, b"{}")
    assert "unusual" in refused(made.getvalue())


def test_encryption_is_refused() -> None:
    archive = bytearray(zipped({NAME: b"{}"}))
    central = archive.index(b"PK\x01\x02")
    archive[central + 8] |= 1
    assert "encrypted" in refused(bytes(archive))


@given(st.integers(0, 400), st.integers(0, 255))
def test_whatever_is_broken_is_a_sentence_or_harmless(at: int, value: int) -> None:
    archive = bytearray(zipped({NAME: b'{"a": 1}', "other": b"x"}))
    archive[at % len(archive)] = value
    try:
        report_bytes(bytes(archive), name=NAME)
    except BadArchive:
        return
