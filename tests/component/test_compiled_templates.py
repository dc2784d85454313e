"""Compiled templates are kept beside Python's bytecode, and never used where they do not fit."""

import sys
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from ci_judge.renderers.compiled_templates import CompiledTemplates


def rendered(folder: Path, source: str) -> str:
    environment = Environment(  # noqa: S701 - no HTML
        loader=DictLoader({"page": source}), bytecode_cache=CompiledTemplates(folder)
    )
    return environment.get_template("page").render(name="world")


@pytest.fixture(autouse=True)
def _bytecode_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def kept(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


def test_what_was_compiled_is_kept_and_used_again(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    assert rendered(folder, "hello {{ name }}") == "hello world"
    (file,) = kept(folder)
    written = file.stat().st_mtime_ns
    assert rendered(folder, "hello {{ name }}") == "hello world"
    assert kept(folder) == [file]
    assert file.stat().st_mtime_ns == written


def test_another_source_is_compiled_anew(tmp_path: Path) -> None:
    rendered(tmp_path, "hello {{ name }}")
    assert rendered(tmp_path, "bye {{ name }}") == "bye world"


@pytest.mark.parametrize("damage", [b"", b"no bytecode", b"\x00" * 400])
def test_a_damaged_file_is_passed_over(tmp_path: Path, damage: bytes) -> None:
    rendered(tmp_path, "hello {{ name }}")
    (file,) = kept(tmp_path)
    file.write_bytes(damage)
    assert rendered(tmp_path, "hello {{ name }}") == "hello world"


def test_nothing_is_written_where_python_writes_no_bytecode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(tmp_path, "hello {{ name }}") == "hello world"
    assert kept(tmp_path) == []


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert rendered(tmp_path / "file" / "folder", "hello {{ name }}") == "hello world"
