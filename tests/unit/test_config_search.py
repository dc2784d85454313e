"""Where a configuration is looked for."""

from pathlib import Path

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.settings.finding import find_config


def deep(tmp_path: Path) -> Path:
    """Make a folder three levels below a configuration."""
    (tmp_path / "ci-judge.yaml").touch()
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    return folder


def test_the_folders_above_are_searched(tmp_path: Path) -> None:
    assert find_config(None, deep(tmp_path)) == tmp_path / "ci-judge.yaml"


def test_the_search_ends_at_the_top(tmp_path: Path) -> None:
    folder = deep(tmp_path)
    with pytest.raises(InvalidInput):
        find_config(None, folder, top=tmp_path / "a")
    assert find_config(None, folder, top=tmp_path) == tmp_path / "ci-judge.yaml"


@pytest.mark.parametrize("worktree", [True, False])
def test_the_search_ends_at_the_root_of_a_repository(tmp_path: Path, *, worktree: bool) -> None:
    folder = deep(tmp_path)
    mark = folder.parent / ".git"
    if worktree:
        mark.write_text("gitdir: elsewhere")
    else:
        mark.mkdir()
    with pytest.raises(InvalidInput):
        find_config(None, folder)
    (folder.parent / "ci-judge.toml").touch()
    assert find_config(None, folder) == folder.parent / "ci-judge.toml"


@pytest.mark.skipif(not Path("/proc/1/fdinfo").exists(), reason="there is no /proc")
def test_a_folder_below_that_may_not_be_entered_is_passed_over() -> None:
    with pytest.raises(InvalidInput):
        find_config(None, Path("/proc/1"))
