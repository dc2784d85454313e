"""Files as editors save them."""

import codecs
from pathlib import Path

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.file_schema import read_text


@pytest.mark.parametrize(
    "content",
    [
        "één\nzwei\n".encode(),
        codecs.BOM_UTF8 + "één\r\nzwei\r\n".encode(),
        "één\rzwei\r".encode(),
        codecs.BOM_UTF16_LE + "één\r\nzwei\n".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "één\nzwei\n".encode("utf-16-be"),
        codecs.BOM_UTF32_LE + "één\nzwei\n".encode("utf-32-le"),
    ],
)
def test_marks_and_line_ends_leave_no_trace(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(content)
    assert read_text(tmp_path / "a.md", file="a.md") == "één\nzwei\n"


def refusal(path: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_text(path, file="sub/a.md")
    return str(caught.value)


def test_bytes_that_are_no_text_are_named_with_line_and_offset(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\ntwo caf\xe9\n")
    assert refusal(tmp_path / "a.md") == (
        "sub/a.md:2: the file is not UTF-8 text: byte 0xe9 at offset 11 (save it as UTF-8)"
    )


def test_half_a_utf16_file_names_its_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(codecs.BOM_UTF16_LE + b"a")
    assert "not UTF-16-LE text" in refusal(tmp_path / "a.md")


def test_what_is_not_there_or_no_file_is_said(tmp_path: Path) -> None:
    assert refusal(tmp_path / "gone.md") == "sub/a.md: the file does not exist"
    assert "a folder" in refusal(tmp_path)
    assert "cannot be read" in refusal(tmp_path / "nul\0.md")
    (tmp_path / "file").touch()
    assert "cannot be read" in refusal(tmp_path / "file" / "below")
