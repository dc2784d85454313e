"""What root writes in somebody else's workspace becomes theirs."""

import os
from pathlib import Path

import pytest

from ci_judge.sinks.ownership import Heir, hand_over, heir_of

WE = os.geteuid()


@pytest.fixture
def written(tmp_path: Path) -> Path:
    report = tmp_path / "out" / "report"
    report.mkdir(parents=True)
    (report / "report.json").write_text("{}")
    (report / "deep").mkdir()
    (report / "deep" / "file").write_text("x")
    (tmp_path / "theirs").write_text("x")
    return report


def changes(top: Path, *paths: Path, we: int = WE) -> set[str]:
    """Give what would change hands, by its name below ``top``."""
    seen: list[Path] = []
    heir = Heir(top=top, uid=1001, gid=1002, we=we)

    def change(path: Path, uid: int, gid: int) -> None:
        assert (uid, gid) == (1001, 1002)
        seen.append(path)

    hand_over(paths, heir, change_owner=change)
    return {str(path.relative_to(top)) for path in seen}


def test_all_that_we_wrote_and_the_folders_that_we_made_for_it(
    tmp_path: Path, written: Path
) -> None:
    everything = {"out", "out/report", "out/report/report.json", "out/report/deep"}
    assert changes(tmp_path, written) == everything | {"out/report/deep/file"}
    assert changes(tmp_path, written / "report.json") == {
        "out",
        "out/report",
        "out/report/report.json",
    }


def test_nothing_that_is_not_ours(tmp_path: Path, written: Path) -> None:
    assert changes(tmp_path, written, we=WE + 1) == set()


def test_nothing_where_nothing_was_written(tmp_path: Path) -> None:
    assert changes(tmp_path, tmp_path / "never") == set()


def test_a_link_changes_hands_and_not_what_it_leads_to(tmp_path: Path, written: Path) -> None:
    outside = tmp_path.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "secret").write_text("x")
    (written / "link").symlink_to(outside)
    assert "out/report/link" in changes(tmp_path, written)
    (tmp_path / "linked").symlink_to(outside)
    assert changes(tmp_path, tmp_path / "linked") == {"linked"}


def test_nothing_outside_of_the_workspace_whatever_the_configuration_names(
    tmp_path: Path, written: Path
) -> None:
    top = written.parent
    (top / "out").symlink_to(tmp_path)
    for outside in (tmp_path, top / "..", top / "out" / "theirs", tmp_path / "theirs"):
        assert changes(top, outside) == set()
    assert "report/report.json" in changes(top, top / ".." / top.name / "report")


def test_only_root_gives_files_away_and_only_in_a_workspace_of_others(tmp_path: Path) -> None:
    mine = tmp_path.stat().st_uid
    assert heir_of(tmp_path, we=mine + 1 or 1) is None
    assert heir_of(tmp_path / "never", we=0) is None
    if mine == 0:
        assert heir_of(tmp_path, we=0) is None


@pytest.mark.skipif(WE != 0, reason="only root can give files away")
def test_as_root_the_files_are_really_theirs(tmp_path: Path, written: Path) -> None:
    os.chown(tmp_path, 1001, 1001)
    link = written / "link"
    link.symlink_to(tmp_path / "theirs")
    heir = heir_of(tmp_path, we=0)
    assert heir is not None
    hand_over([written], heir)
    owned = {path.name: path.lstat().st_uid for path in tmp_path.rglob("*")}
    assert owned.pop("theirs") == 0
    assert set(owned.values()) == {1001}
