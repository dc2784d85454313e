"""Which files make up a suite."""

from pathlib import Path

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.suites.paths import FoundFiles, find_files


def tree(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")


def find(root: Path, *paths: str, **changes: object) -> FoundFiles:
    skip = changes.pop("skip", ())
    assert isinstance(skip, tuple)
    assert not changes
    return find_files(root, criteria=(), paths=paths, pattern="case_*.py", skip=skip)


def names(root: Path, found: FoundFiles) -> list[str]:
    files = (*found.scenario_files, *found.case_files)
    return [path.relative_to(root).as_posix() for path in files]


def test_a_folder_is_searched_all_the_way_down_in_order(tmp_path: Path) -> None:
    tree(tmp_path, "s/b.yaml", "s/a/z.yml", "s/a/case_x.py", "s/case_a.py", "s/note.md", "s/h.py")
    found = find(tmp_path, "s")
    assert names(tmp_path, found) == ["s/a/z.yml", "s/b.yaml", "s/a/case_x.py", "s/case_a.py"]


def test_configuration_waivers_calibration_and_hidden_files_are_no_scenarios(
    tmp_path: Path,
) -> None:
    tree(
        tmp_path,
        "real.yaml",
        "ci-judge.yaml",
        "ci-judge.staging.yaml",
        "other-config.yaml",
        "waivers.yaml",
        ".hidden.yaml",
        ".github/workflows/ci.yml",
        "calibration/labels.yaml",
        "node_modules/x/a.yaml",
        ".venv/case_a.py",
        "__pycache__/case_b.py",
    )
    found = find(tmp_path, ".", skip=(tmp_path / "other-config.yaml",))
    assert names(tmp_path, found) == ["real.yaml"]


def test_globs_match_below_the_root_and_leave_hidden_folders_out(tmp_path: Path) -> None:
    tree(tmp_path, "a/s/x.yaml", "b/s/y.yaml", "b/.git/z.yaml", "b/helper.py", "b/case_b.py")
    assert names(tmp_path, find(tmp_path, "*/s/*.yaml")) == ["a/s/x.yaml", "b/s/y.yaml"]
    assert names(tmp_path, find(tmp_path, "**/*.yaml")) == ["a/s/x.yaml", "b/s/y.yaml"]
    assert names(tmp_path, find(tmp_path, "b/*")) == ["b/s/y.yaml", "b/case_b.py"]
    assert names(tmp_path, find(tmp_path, f"{tmp_path.as_posix()}/a/**/*.yaml")) == ["a/s/x.yaml"]


def test_a_file_that_is_named_needs_to_fit_no_pattern(tmp_path: Path) -> None:
    tree(tmp_path, "checks/price.py", "checks/other.py", "odd [1].yaml")
    found = find(tmp_path, "checks/price.py", "odd [1].yaml")
    assert names(tmp_path, found) == ["odd [1].yaml", "checks/price.py"]


def test_each_file_counts_once(tmp_path: Path) -> None:
    tree(tmp_path, "s/a.yaml", "s/b.yaml")
    assert names(tmp_path, find(tmp_path, "s/b.yaml", "s", "s/*.yaml")) == ["s/b.yaml", "s/a.yaml"]


def test_links_that_lead_back_end_the_search(tmp_path: Path) -> None:
    tree(tmp_path, "s/a.yaml", "elsewhere/c.yaml")
    (tmp_path / "s" / "loop").symlink_to(tmp_path / "s", target_is_directory=True)
    (tmp_path / "s" / "there").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (tmp_path / "s" / "dead.yaml").symlink_to(tmp_path / "nowhere.yaml")
    assert names(tmp_path, find(tmp_path, "s")) == ["s/a.yaml", "s/there/c.yaml"]


def test_every_path_that_yields_nothing_is_named(tmp_path: Path) -> None:
    tree(tmp_path, "empty/helper.py", "data.json")
    with pytest.raises(InvalidInput) as caught:
        find_files(
            tmp_path,
            criteria=["missing.md", "docs/*.md"],
            paths=["nowhere", "nothing/*.yaml", "empty", "data.json", "**bad"],
            pattern="case_*.py",
        )
    lines = [str(problem) for problem in caught.value.problems]
    assert [line.split('"')[1] for line in lines] == [
        "missing.md", "docs/*.md", "nowhere", "nothing/*.yaml", "empty", "data.json", "**bad",
    ]  # fmt: skip
    assert "does not exist" in lines[2]
    assert "matches nothing" in lines[3]
    assert "case_*.py" in lines[4]


def test_criteria_are_files_and_globs(tmp_path: Path) -> None:
    tree(tmp_path, "docs/b.md", "docs/a.md", "c.md")
    found = find_files(tmp_path, criteria=["c.md", "docs/*.md", "c.md"], paths=(), pattern="")
    shown = [path.relative_to(tmp_path).as_posix() for path in found.criteria_files]
    assert shown == ["c.md", "docs/a.md", "docs/b.md"]


def test_the_defaults_apply_where_they_exist(tmp_path: Path) -> None:
    assert find_files(tmp_path, criteria=None, paths=None, pattern="x") == FoundFiles()
    tree(tmp_path, "acceptance.md", "scenarios/a.yaml")
    found = find_files(tmp_path, criteria=None, paths=None, pattern="x")
    assert found.criteria_files == (tmp_path / "acceptance.md",)
    assert found.scenario_files == (tmp_path / "scenarios" / "a.yaml",)


def stray(root: Path, *paths: str) -> list[str]:
    found = find_files(
        root, criteria=(), paths=paths or None, pattern="case_*.py", skip=(root / "x",)
    )
    return [path.relative_to(root).as_posix() for path in found.stray_cases]


def test_case_files_where_nobody_looks_are_found_too(tmp_path: Path) -> None:
    tree(tmp_path, "s/case_in.py", "s/in.yaml", "case_empty.py", "deep/below/case_deep.py")
    for name in ("case_out.py", "other.py", "cases/case_near.py", ".venv/case_lib.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('@case("R")\ndef test_a(): ...\n', encoding="utf-8")
    assert stray(tmp_path) == ["case_out.py", "cases/case_near.py"]
    assert stray(tmp_path, "s") == ["case_out.py"]
    assert stray(tmp_path, "s", "case_out.py") == []
