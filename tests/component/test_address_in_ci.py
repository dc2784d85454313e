"""Targets of this machine, where the workflow runs the container: ``check`` says it in time."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from ci_judge.cli.front import commands
from ci_judge.settings import load_settings
from ci_judge.workflows.address_in_ci import unreachable_in_ci
from ci_judge.workflows.initialise import initialise

SERVE = "serve: {command: [a], ready_url: 'http://127.0.0.1:{{port}}/'}"


def doubts(folder: Path, target: str) -> list[str]:
    (folder / "ci-judge.yaml").write_text(f"suite: {{}}\n{target}\n", encoding="utf-8")
    settings = load_settings(config=None, cwd=folder, environment={}, overrides={})
    return [str(problem) for problem in unreachable_in_ci(settings)]


def test_check_notes_it(tmp_path: Path) -> None:
    initialise(tmp_path, version="1.0.0")
    words = ["check", "--config", str(tmp_path / "ci-judge.yaml")]
    result = CliRunner().invoke(commands, words, standalone_mode=False)
    assert result.return_value == 0, result.exception
    (note,) = [line for line in result.output.splitlines() if line.startswith("note: ")]
    assert "target.url names 127.0.0.1" in note


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "[::1]:8000"])
def test_an_address_of_this_machine_is_told_where_it_stands(tmp_path: Path, host: str) -> None:
    initialise(tmp_path, version="1.0.0")
    (line,) = doubts(tmp_path, f"target: {{url: 'http://{host}/chat'}}")
    assert line.startswith("ci-judge.yaml:2:")
    assert "let target.serve start your service" in line


def test_each_target_is_named(tmp_path: Path) -> None:
    initialise(tmp_path, version="1.0.0")
    named = "targets: {here: {url: 'http://localhost/'}, there: {url: 'https://bot.example/'}}"
    (line,) = doubts(tmp_path, named)
    assert "targets.here.url names localhost" in line


@pytest.mark.parametrize(
    "target", ["target: {url: 'http://127.0.0.1:{{port}}/', " + SERVE + "}", "target: {command: a}"]
)
def test_what_is_started_for_the_run_is_there(tmp_path: Path, target: str) -> None:
    initialise(tmp_path, version="1.0.0")
    assert doubts(tmp_path, target) == []


@pytest.mark.parametrize(
    "workflow", [None, "steps: [{run: ci-judge run}]", "uses: ci-judge/ci-judge/composite@v1"]
)
def test_without_the_container_this_machine_may_be_right(
    tmp_path: Path, workflow: str | None
) -> None:
    if workflow is not None:
        path = tmp_path / ".github/workflows/gate.yml"
        path.parent.mkdir(parents=True)
        path.write_text(workflow, encoding="utf-8")
    assert doubts(tmp_path, "target: {url: 'http://127.0.0.1:8000/chat'}") == []
