"""Projects whose packages setuptools looks for: the folders of a suite are none of them."""

from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from ci_judge.cli.front import commands
from ci_judge.cli.init import command
from ci_judge.workflows.automatic_packages import taken_for_packages
from tests.tools import missing

PROJECT = '[project]\nname = "textkit"\nversion = "1"\n'


def a_project(root: Path, text: str = PROJECT, *, package: bool = True) -> None:
    (root / "pyproject.toml").write_text(text, encoding="utf-8")
    own = root / ("textkit/__init__.py" if package else "textkit.py")
    own.parent.mkdir(exist_ok=True)
    own.write_text("", encoding="utf-8")


def said(root: Path, *flags: str) -> list[str]:
    result = CliRunner().invoke(command, [str(root), *flags], catch_exceptions=False)
    return [line for line in result.output.splitlines() if "setuptools" in line]


@pytest.mark.parametrize(("flags", "folder"), [(("--cases",), "cases"), ((), "scenarios")])
def test_init_says_what_to_write_before_pip_refuses(
    tmp_path: Path, flags: tuple[str, ...], folder: str
) -> None:
    a_project(tmp_path)
    (line,) = said(tmp_path, *flags)
    assert f'takes "{folder}" for a package' in line
    assert "pip install -e . fails" in line
    assert 'write include = ["textkit*"] under [tool.setuptools.packages.find]' in line


def test_a_project_of_modules_is_told_to_name_them(tmp_path: Path) -> None:
    a_project(tmp_path, package=False)
    (line,) = said(tmp_path, "--cases")
    assert "installed in the place of your modules" in line
    assert 'write py-modules = ["textkit"] under [tool.setuptools] into pyproject.toml' in line


def test_check_says_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_project(tmp_path)
    said(tmp_path, "--cases")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(commands, ["check"], standalone_mode=False)
    assert result.return_value == 0, result.exception
    assert 'warning: setuptools takes "cases" for a package' in result.output


@pytest.mark.parametrize(
    "text",
    [
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n' + PROJECT,
        f'{PROJECT}[tool.setuptools]\npackages = ["textkit"]\n',
        f'{PROJECT}[tool.setuptools.packages.find]\ninclude = ["textkit*"]\n',
        f"{PROJECT}[tool.setuptools]\npy-modules = []\n",
        "[tool.black]\nline-length = 100\n",
        "tool = 1\n",
        "no TOML",
    ],
)
def test_who_names_the_packages_or_builds_otherwise_is_told_nothing(
    tmp_path: Path, text: str
) -> None:
    a_project(tmp_path, text)
    assert said(tmp_path, "--cases") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.cfg", "[options]\npackages = find:\n"),
        ("setup.py", "setup(packages=find_packages())"),
        ("src/textkit/__init__.py", ""),
    ],
)
def test_packages_named_elsewhere_count(tmp_path: Path, name: str, text: str) -> None:
    a_project(tmp_path)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert said(tmp_path, "--cases") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [("setup.py", "setup(name='textkit')"), ("setup.cfg", "[options]\nzip_safe = no\n")],
)
def test_a_project_of_the_older_files_is_a_project(tmp_path: Path, name: str, text: str) -> None:
    a_project(tmp_path, "[tool.black]\n")
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert len(said(tmp_path, "--cases")) == 1


@pytest.mark.parametrize("path", ["tests/cases", "ci-cases", "case_*.py", "textkit"])
def test_folders_that_setuptools_passes_over_are_no_matter(tmp_path: Path, path: str) -> None:
    a_project(tmp_path)
    for folder in ("tests/cases", "ci-cases"):
        (tmp_path / folder).mkdir(parents=True)
    assert taken_for_packages(tmp_path, paths=[path]) is None


def test_labels_at_the_top_are_such_a_folder_too(tmp_path: Path) -> None:
    a_project(tmp_path)
    (tmp_path / "calibration").mkdir()
    problem = taken_for_packages(tmp_path, paths=["tests"])
    assert problem is not None
    assert '"calibration"' in problem.message


def test_setuptools_itself_takes_the_folder_and_heeds_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        find = import_module("setuptools.discovery").FlatLayoutPackageFinder.find
    except ImportError:
        missing("setuptools is not installed")
    a_project(tmp_path)
    said(tmp_path, "--cases")
    monkeypatch.chdir(tmp_path)
    assert set(find(".")) == {"cases", "textkit"}
    assert find(".", include=["textkit*"]) == ["textkit"]
