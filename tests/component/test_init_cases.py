"""``ci-judge init --cases``: a start for Python functions, without an endpoint."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ci_judge.cli.init import command
from ci_judge.errors import InvalidInput
from ci_judge.settings import load_settings

WRITTEN = [
    "ci-judge.yaml",
    "cases/case_first.py",
    ".github/workflows/ci-judge.yml",
    ".gitignore",
]


def init(folder: Path, *flags: str) -> Result:
    return CliRunner().invoke(command, [str(folder), "--cases", *flags], catch_exceptions=False)


def a_case_file(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("@case('R')\ndef test_a(): ...\n", encoding="utf-8")


def outcomes(result: Result) -> dict[str, str]:
    *files, _ = result.output.splitlines()
    return {line[9:].partition(" (")[0]: line[:8].strip() for line in files}


def workflow(folder: Path) -> str:
    return (folder / ".github/workflows/ci-judge.yml").read_text(encoding="utf-8")


def suite_paths(folder: Path) -> list[str]:
    settings = load_settings(config=None, cwd=folder, environment={}, overrides={})
    assert settings.target is None
    return list(settings.suite.paths or ())


def test_every_file_is_written_and_the_way_on_told(tmp_path: Path) -> None:
    made = init(tmp_path)
    assert outcomes(made) == dict.fromkeys(WRITTEN, "written")
    assert made.output.splitlines()[-1].startswith("Next: run ci-judge check and ci-judge run")


def test_one_of_its_cases_is_async_and_one_is_not(tmp_path: Path) -> None:
    init(tmp_path)
    text = (tmp_path / "cases/case_first.py").read_text(encoding="utf-8")
    assert "\nasync def test_refund_reply" in text
    assert "\ndef test_discount" in text


def test_nothing_that_exists_is_changed(tmp_path: Path) -> None:
    init(tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in WRITTEN}
    again = init(tmp_path)
    assert outcomes(again) == dict.fromkeys(WRITTEN, "kept")
    assert {name: (tmp_path / name).read_bytes() for name in WRITTEN} == before


def test_cases_that_are_there_are_named_and_get_no_example(tmp_path: Path) -> None:
    for name in ("case_shop.py", "my tests/case_prices.py", "eval/case_a.py", "eval/case_b.py"):
        a_case_file(tmp_path / name)
    made = init(tmp_path)
    assert "left out cases/case_first.py (you have cases: case_shop.py)" in made.output
    assert suite_paths(tmp_path) == ["case_*.py", "eval", "my tests"]


@pytest.mark.parametrize("name", ["no", "null", "true", "Off", "~a", "a: b", "ca[1]s"])
def test_a_folder_of_cases_is_named_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    a_case_file(tmp_path / name / "case_a.py")
    init(tmp_path)
    assert suite_paths(tmp_path) == [name]


@pytest.mark.parametrize("folder", [".venv", "venv", "node_modules", "__pycache__"])
def test_what_no_search_finds_is_no_case_of_yours(tmp_path: Path, folder: str) -> None:
    a_case_file(tmp_path / folder / "case_a.py")
    assert outcomes(init(tmp_path)) == dict.fromkeys(WRITTEN, "written")
    assert suite_paths(tmp_path) == ["cases"]


def test_a_file_without_a_case_and_one_that_yaml_cannot_name_are_no_cases_of_yours(
    tmp_path: Path,
) -> None:
    (tmp_path / "case_study.py").write_text("TITLE = 'How it went'\n", encoding="utf-8")
    (tmp_path / "case_folder.py").mkdir()
    a_case_file(tmp_path / os.fsdecode(b"\xff") / "case_a.py")
    assert outcomes(init(tmp_path)) == dict.fromkeys(WRITTEN, "written")


def test_a_kept_configuration_is_told_to_name_the_cases(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.toml").write_text('[judge]\nprovider = "stub"\n', encoding="utf-8")
    made = init(tmp_path)
    assert outcomes(made)["ci-judge.toml"] == "kept"
    assert outcomes(made)["cases/case_first.py"] == "written"
    assert made.output.splitlines()[-1] == (
        "Next: see that suite.paths of ci-judge.toml names cases, then run ci-judge check "
        "and ci-judge run."
    )


@pytest.mark.parametrize(
    ("name", "text", "needed"),
    [
        ("pyproject.toml", "[build-system]\nrequires = []\n", "-e ."),
        ("pyproject.toml", '\ufeff[project]\nname = "shop"\n', "-e ."),
        ("pyproject.toml", "[tool.ruff]\nline-length = 100\n", None),
        ("pyproject.toml", "[project\n", None),
        ("setup.py", "", "-e ."),
        ("requirements.txt", "httpx\n", "requirements.txt"),
    ],
)
def test_the_workflow_installs_what_cases_import(
    tmp_path: Path, name: str, text: str, needed: str | None
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    init(tmp_path)
    wanted = f"          requirements: {needed} # " if needed else "          # requirements: -e ."
    assert f"\n{wanted}" in workflow(tmp_path)


def test_the_workflow_is_otherwise_that_of_an_endpoint(tmp_path: Path) -> None:
    init(tmp_path / "cases")
    CliRunner().invoke(command, [str(tmp_path / "endpoint")])
    lines = workflow(tmp_path / "cases").splitlines()
    without = [line for line in lines if "requirements:" not in line]
    assert without == workflow(tmp_path / "endpoint").splitlines()
    assert len(lines) == len(without) + 1


def test_an_endpoint_and_cases_alone_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--cases and --url exclude each other"):
        init(tmp_path, "--url", "http://127.0.0.1:9")
    assert list(tmp_path.iterdir()) == []
