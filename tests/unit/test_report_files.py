import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.model.document import ReportDocument
from ci_judge.protocols import RunSource
from ci_judge.sinks.files import (
    ReportFiles,
    prepare_copy,
    prepare_report_folder,
    remove_old_files,
    shown_path,
    write_whole,
)
from tests.builders import a_report


class Says:
    """A renderer of fixed pieces, which may end in an error."""

    def __init__(self, *pieces: str, fails: Exception | None = None) -> None:
        self._pieces = pieces
        self._fails = fails

    def render(self, document: ReportDocument, runs: RunSource) -> Iterator[str]:
        del document, runs
        yield from self._pieces
        if self._fails:
            raise self._fails


def test_the_folder_is_made_with_its_parents_and_left_empty(tmp_path: Path) -> None:
    folder = tmp_path / "out" / "deep" / "reports"
    prepare_report_folder(folder)
    prepare_report_folder(folder, top=tmp_path)
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_is_the_users_mistake(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InvalidInput, match=r"cannot write reports to .*/file/reports"):
        prepare_report_folder(tmp_path / "file" / "reports")


def test_a_folder_outside_of_the_workspace_is_refused_and_not_made(tmp_path: Path) -> None:
    (top := tmp_path / "workspace").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (top / "link").symlink_to(tmp_path / "elsewhere")
    for folder in (tmp_path / "out", top / ".." / "out", top / "link" / "out"):
        with pytest.raises(InvalidInput, match="lies outside the workspace"):
            prepare_report_folder(folder, top=top)
    assert not list(tmp_path.rglob("out"))


def test_a_folder_is_named_without_detours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InvalidInput) as error:
        prepare_report_folder(tmp_path / "a" / ".." / "file")
    assert f'"{tmp_path / "file"}"' in str(error.value)


def test_a_path_below_the_working_directory_is_shown_from_there() -> None:
    here = Path.cwd()
    assert shown_path(here / "a" / ".." / "b" / "report.json") == "b/report.json"
    assert shown_path(here.parent / "x") == (here.parent / "x").as_posix()


def test_old_files_go_and_what_is_not_there_is_no_trouble(tmp_path: Path) -> None:
    old = tmp_path / "report.json"
    old.touch()
    remove_old_files([old, tmp_path / "junit.xml"])
    assert list(tmp_path.iterdir()) == []


def test_folders_in_the_place_of_reports_are_all_told_at_once(tmp_path: Path) -> None:
    paths = [tmp_path / "report.json", tmp_path / "junit.xml"]
    for path in paths:
        path.mkdir()
    with pytest.raises(InvalidInput) as error:
        remove_old_files(paths)
    shown = [str(problem) for problem in error.value.problems]
    assert len(shown) == 2
    for path, line in zip(paths, shown, strict=True):
        assert line.startswith(f'cannot replace "{path}": it is a folder (')


def test_a_file_appears_whole_and_readable_by_all(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    before = os.umask(0o022)
    try:
        write_whole(path, iter(["é漢", "😀\n"]))
    finally:
        os.umask(before)
    assert path.read_bytes() == "é漢😀\n".encode()
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    pieces = Says("new and", fails=RuntimeError("half way")).render(*a_report())
    with pytest.raises(RuntimeError):
        write_whole(path, pieces)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_lone_surrogate_does_not_cost_the_file(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    write_whole(path, ["half \ud83d"])
    assert path.read_text(encoding="utf-8") == "half \\ud83d"


def test_a_format_that_fails_does_not_cost_the_others(tmp_path: Path) -> None:
    warnings: list[str] = []
    crashes: list[Exception] = []
    bug = KeyError("bug")
    in_the_way = tmp_path / "summary.md"
    in_the_way.mkdir()
    sink = ReportFiles(
        {
            "html": (tmp_path / "report.html", Says("<p>", fails=bug)),
            "markdown": (in_the_way, Says("# it")),
            "json": (tmp_path / "sub" / "report.json", Says("{}")),
        },
        warn=warnings.append,
        crashed=crashes.append,
    )
    asyncio.run(sink.publish(*a_report()))
    assert dict(sink.written) == {"json": tmp_path / "sub" / "report.json"}
    assert sink.written["json"].read_text() == "{}"
    assert crashes == [bug]
    html, markdown = warnings
    assert "html" in html
    assert str(in_the_way) in markdown


def test_a_copy_gets_its_folder_and_leaves_nothing_there(tmp_path: Path) -> None:
    prepare_copy(tmp_path / "new" / "junit.xml", option="--junitxml")
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize("name", ["", "folder", "file/junit.xml", "x" * 5_000])
def test_a_copy_that_can_never_be_written_is_refused_first(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput) as refused:
        prepare_copy(tmp_path / name, option="--junitxml")
    assert str(refused.value).startswith("--junitxml cannot be written")
    assert len(str(refused.value)) < 400
