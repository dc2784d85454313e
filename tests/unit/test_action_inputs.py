from pathlib import Path

import pytest

from ci_judge.action_inputs import INPUTS, ActionInputs, read_inputs, variable_of
from ci_judge.errors import InvalidInput


def read(tmp_path: Path, **inputs: str) -> ActionInputs:
    given = {variable_of(name.replace("_", "-")): text for name, text in inputs.items()}
    return read_inputs({"GITHUB_WORKSPACE": str(tmp_path)} | given)


def refused(tmp_path: Path, **inputs: str) -> str:
    with pytest.raises(InvalidInput) as error:
        read(tmp_path, **inputs)
    return str(error.value)


def test_missing_and_empty_inputs_are_not_given(tmp_path: Path) -> None:
    empty = {name.replace("-", "_"): "" for name in INPUTS}
    assert read(tmp_path) == read(tmp_path, **empty)
    inputs = read(tmp_path)
    assert inputs.overrides == {}
    assert inputs.config is None
    assert inputs.comment == "auto"
    assert (inputs.summary, inputs.annotations) == (True, True)
    assert inputs.working_directory == tmp_path.resolve()


def test_inputs_that_mirror_the_configuration_override_it(tmp_path: Path) -> None:
    inputs = read(
        tmp_path,
        paths=" scenarios \r\n\r\ncases/*.py\r\n",
        runs="3",
        threshold=" 2/3 ",
        judge_provider="stub",
        fail_on="never",
        report_dir="out/reports",
    )
    assert inputs.overrides == {
        "suite.paths": ("scenarios", "cases/*.py"),
        "run.runs": "3",
        "run.threshold": "2/3",
        "judge.provider": "stub",
        "run.fail_on": "never",
        "report.dir": "out/reports",
    }


def test_a_path_may_hold_blanks_and_quotes(tmp_path: Path) -> None:
    assert (
        read(tmp_path, config="dir with space/it's.yaml\r\n").config == "dir with space/it's.yaml"
    )


@pytest.mark.parametrize(
    ("spelling", "meant"), [("true", True), ("True", True), (" FALSE ", False), ("false", False)]
)
def test_booleans_are_spelt_as_github_does(tmp_path: Path, spelling: str, meant: bool) -> None:  # noqa: FBT001 - a case of the table
    assert read(tmp_path, summary=spelling).summary is meant


@pytest.mark.parametrize("spelling", ["yes", "1", "on", "tRUE", "'true'"])
def test_any_other_boolean_is_refused_with_the_fix(tmp_path: Path, spelling: str) -> None:
    message = refused(tmp_path, annotations=spelling)
    assert message == (
        f'input "annotations" is "{spelling}", which is not a boolean (write true or false)'
    )


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    message = refused(
        tmp_path,
        summary="yes",
        comment="always",
        pr_number="#7",
        config="a.yaml\nb.yaml",
        working_directory="..",
        report_dir="/etc",
    )
    named = [line.split('"')[1] for line in message.splitlines()]
    assert sorted(named) == [
        "comment",
        "config",
        "pr-number",
        "report-dir",
        "summary",
        "working-directory",
    ]
    assert "write auto, on-failure or never" in message


@pytest.mark.parametrize("folder", ["../reports", "sub/../../reports", "/tmp", "link/reports"])  # noqa: S108 - never opened
def test_reports_stay_inside_the_workspace(tmp_path: Path, folder: str) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "link").symlink_to(tmp_path)
    assert "outside the workspace" in refused(workspace, report_dir=folder)


def test_folders_start_at_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    inputs = read(tmp_path, working_directory="sub", report_dir="../reports")
    assert inputs.working_directory == tmp_path.resolve() / "sub"
    assert "outside" in refused(tmp_path, working_directory="sub", report_dir="../../reports")


@pytest.mark.parametrize("number", ["0", "-1", "7.0", "\u0667", "seven"])
def test_a_pull_request_number_is_digits(tmp_path: Path, number: str) -> None:
    assert '"pr-number"' in refused(tmp_path, pr_number=number)


def test_a_comment_belongs_to_its_workflow_and_job_unless_a_key_is_given(tmp_path: Path) -> None:
    runner = {"GITHUB_WORKSPACE": str(tmp_path), "GITHUB_WORKFLOW": "CI", "GITHUB_JOB": "judge"}
    assert read_inputs(runner).comment_key == "CI/judge"
    assert read_inputs(runner | {"INPUT_COMMENT-KEY": "leg 1"}).comment_key == "leg 1"


def test_inputs_that_override_a_setting_have_no_default() -> None:
    assert [name for name, spec in INPUTS.items() if spec.setting and spec.default] == []


@pytest.mark.parametrize("folder", ["nope", "file", "x" * 5_000])
def test_a_working_directory_that_is_no_folder_is_one_mistake(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").touch()
    message = refused(tmp_path, working_directory=folder)
    assert message.startswith('input "working-directory" is "')
    assert "which is no folder" in message
    assert "\n" not in message
    assert len(message) < 300


@pytest.mark.parametrize("kind", ["nothing", "a file", "a circle of links", "a long name"])
def test_a_workspace_that_is_no_folder_is_the_one_mistake(tmp_path: Path, kind: str) -> None:
    path = tmp_path / ("x" * 300 if kind == "a long name" else "workspace")
    if kind == "a file":
        path.touch()
    elif kind == "a circle of links":
        path.symlink_to(path.name)
    message = refused(path, summary="ja")
    assert message.startswith('the workspace "')
    assert "GITHUB_WORKSPACE" in message
    assert len(message) < 300


@pytest.mark.parametrize("folder", ["/", "..", "nope"])
def test_one_wrong_folder_is_not_blamed_on_another_input(tmp_path: Path, folder: str) -> None:
    message = refused(tmp_path, working_directory=folder)
    assert "report-dir" not in message
    assert len(message.splitlines()) == 1
    assert '"report-dir"' in refused(tmp_path, working_directory=folder, report_dir="../../x")


def test_a_pull_request_number_of_thousands_of_digits_is_a_mistake(tmp_path: Path) -> None:
    assert '"pr-number"' in refused(tmp_path, pr_number="1" * 5_000)
