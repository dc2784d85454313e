"""The files that GitHub reads, checked by the tools that people check such files with."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ci_judge.action_inputs import INPUTS, variable_of
from ci_judge.sinks.outputs import OUTPUTS
from ci_judge.workflows.action_metadata import FILES, action_yml, composite_action_yml, main
from tests.tools import tool

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def run_tool(*command: str) -> None:
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", FILES)
def test_the_actions_are_what_the_code_says(name: str) -> None:
    """Remedy: python -m ci_judge.workflows.action_metadata --write."""
    assert (ROOT / name).read_text(encoding="utf-8") == FILES[name]()


def test_action_yml_reads_back_as_the_tables() -> None:
    action: dict[str, Any] = yaml.safe_load(action_yml())
    inputs = {name: (one["description"], one["default"]) for name, one in action["inputs"].items()}
    assert inputs == {name: (spec.description, spec.default) for name, spec in INPUTS.items()}
    outputs = {name: one["description"] for name, one in action["outputs"].items()}
    assert outputs == dict(OUTPUTS)
    assert action["runs"] == {"using": "docker", "image": "Dockerfile"}, "args would be pasted"


def test_both_actions_have_the_same_inputs_and_outputs() -> None:
    action, composite = (yaml.safe_load(made()) for made in (action_yml, composite_action_yml))
    assert composite["inputs"] == action["inputs"]
    outputs = {name: one["description"] for name, one in composite["outputs"].items()}
    assert outputs == dict(OUTPUTS)
    for name, one in composite["outputs"].items():
        assert one["value"] == f"${{{{ steps.judge.outputs.{name} }}}}"


def test_the_composite_action_hands_every_input_over_and_pastes_none_into_a_shell() -> None:
    steps = yaml.safe_load(composite_action_yml())["runs"]["steps"]
    (judge,) = [step for step in steps if step.get("id") == "judge"]
    expected = {variable_of(name): f"${{{{ inputs.{name} }}}}" for name in INPUTS}
    assert judge["env"] == expected
    for step in steps:
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("name", FILES)
def test_the_generator_checks_and_writes(tmp_path: Path, name: str) -> None:
    assert main(["--check"], root=tmp_path) == 1
    assert main(["--write"], root=tmp_path) == 0
    assert main(["--check"], root=tmp_path) == 0
    path = tmp_path / name
    path.write_text(path.read_text() + "# by hand\n")
    assert main(["--check"], root=tmp_path) == 1


def test_github_accepts_the_actions() -> None:
    run_tool(tool("check-jsonschema"), "--builtin-schema", "vendor.github-actions", *FILES)


def test_github_accepts_the_workflows() -> None:
    names = [str(path) for path in WORKFLOWS]
    run_tool(tool("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", *names)


def test_actionlint_finds_nothing() -> None:
    run_tool(tool("actionlint"), "-no-color", *map(str, WORKFLOWS))


def test_zizmor_finds_nothing() -> None:
    flags = ["--offline", "--no-progress", "--persona=auditor", "--min-severity=medium"]
    run_tool(tool("zizmor"), *flags, "action.yml", "composite", ".github")


def test_hadolint_finds_nothing() -> None:
    run_tool(tool("hadolint"), "Dockerfile")


@pytest.mark.parametrize(
    "path", [*WORKFLOWS, ROOT / "composite/action.yml"], ids=lambda path: path.name
)
def test_every_action_is_pinned_by_hash_with_its_version_beside(path: Path) -> None:
    uses = re.findall(r"uses: +(\S+)(.*)", path.read_text(encoding="utf-8"))
    assert uses
    for action, comment in uses:
        assert action == "./" or re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action), action
        assert action == "./" or re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


def test_the_example_uses_inputs_and_outputs_that_there_are() -> None:
    text = (ROOT / ".github" / "workflows" / "example.yml").read_text(encoding="utf-8")
    (step,) = [
        one for one in yaml.safe_load(text)["jobs"]["faq-bot"]["steps"] if one.get("uses") == "./"
    ]
    assert set(step["with"]) <= set(INPUTS)
    assert set(re.findall(r"steps\.judge\.outputs\.([\w-]+)", text)) <= set(OUTPUTS)


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-build.lock"])
def test_every_locked_requirement_has_its_hash(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    pinned = re.findall(r"^[\w.-]+==\S+.*(?:\n    .*)*", text, flags=re.MULTILINE)
    assert pinned
    assert all("--hash=sha256:" in one for one in pinned)
    assert "://" not in text


def test_the_lock_holds_every_dependency() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = project.partition("\ndependencies = [")[2].partition("]")[0]
    wanted = {name.lower() for name in re.findall(r'"([\w-]+)', block)}
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = {name.lower() for name in re.findall(r"^([\w.-]+)==", lock, flags=re.MULTILINE)}
    assert wanted
    assert wanted <= locked
