"""What the documentation shows is read by whoever reads it in earnest: loaders, GitHub, GitLab."""

import ast
import inspect
import json
import re
import subprocess
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from ci_judge import case, run
from ci_judge.action_inputs import INPUTS
from ci_judge.judges.settings import SHARED_BY_PANEL
from ci_judge.model.suite import GateDefaults
from ci_judge.settings import load_settings
from ci_judge.suites.criteria import parse_criteria
from ci_judge.suites.scenarios import load_scenarios
from ci_judge.suites.waivers import load_waivers
from ci_judge.targets.template_problems import template_problems
from ci_judge.version import __version__
from tests.documents import DOCS, ROOT, Block, blocks_of, pages
from tests.reader import ACTIONS
from tests.tools import tool

SHOWN = [block for path in pages() for block in blocks_of(path)]
READ_HERE = frozenset({"step", "gitlab", "pre-commit", "waivers", "caller"})
OURS: dict[str, Callable[..., Any]] = {"case": case, "run": run}
STEP = """\
on: pull_request
permissions: {}
jobs:
  gate:
    runs-on: ubuntu-24.04
    strategy: {matrix: {shard: [1, 2, 3]}}
    steps:
"""


def shown(*languages: str, mark: str = "") -> pytest.MarkDecorator:
    found = [one for one in SHOWN if one.language in languages and kind_of(one) == mark]
    assert found, f"no block of {languages} {mark}"
    return pytest.mark.parametrize("block", found, ids=str)


def kind_of(block: Block) -> str:
    """Name what a block is: its mark of ours, what a YAML file is by its keys, or nothing."""
    if block.mark in READ_HERE or block.mark.startswith(("produced: ", "file: ")):
        return block.mark
    if block.language in {"yaml", "toml"}:
        return "scenarios" if "\nscenarios:" in f"\n{block.text}" else "configuration"
    return ""


def test_every_mark_is_one_that_a_test_reads() -> None:
    ours = {*ACTIONS, *READ_HERE, "produced"}
    assert {block.mark.partition(":")[0] for block in SHOWN if block.mark} <= ours


def test_files_that_are_only_shown_are_used_by_a_command_of_their_page() -> None:
    written = {block.file for block in SHOWN if block.mark.startswith("file: ")}
    assert written <= {block.file for block in SHOWN if block.mark.startswith("run: ")}


@shown("yaml", "toml", mark="configuration")
def test_each_configuration_loads(block: Block, tmp_path: Path) -> None:
    (tmp_path / f"ci-judge.{block.language}").write_text(block.text, encoding="utf-8")
    variables = {name: f"the-{name.lower()}" for name in re.findall(r"\$\{(\w+)\}", block.text)}
    settings = load_settings(config=None, cwd=tmp_path, environment=variables, overrides={})
    for name, target in {"target": settings.target, **settings.targets}.items():
        if target is not None:
            assert not template_problems(target, section=name)


def test_the_keys_that_a_panel_hands_down_are_those_that_the_page_names(tmp_path: Path) -> None:
    page = (DOCS / "how-to/judges.md").read_text(encoding="utf-8")
    (panel,) = [one for one in SHOWN if "panel_rule: majority" in one.text]
    (tmp_path / "ci-judge.yaml").write_text(panel.text, encoding="utf-8")
    judge = load_settings(config=None, cwd=tmp_path, environment={}, overrides={}).judge
    assert judge is not None
    assert [member.used_repetitions for member in judge.members] == [1, 3, 1]
    named = re.findall(r"`(\w+)`", page.split("What stands beside `panel` (")[1].split(")")[0])
    assert set(named) <= set(SHARED_BY_PANEL)


@shown("yaml", mark="scenarios")
def test_each_scenario_file_loads(block: Block, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(block.text, encoding="utf-8")
    criteria = parse_criteria("## Refunds\n\nSays it.\n", file="acceptance.md")
    root, targets = tmp_path, frozenset({"search"})
    assert load_scenarios([root / "a.yaml"], criteria, GateDefaults(), root=root, targets=targets)


@shown("yaml", mark="waivers")
def test_each_waiver_loads(block: Block, tmp_path: Path) -> None:
    (tmp_path / "waivers.yaml").write_text(block.text, encoding="utf-8")
    (expires,) = re.findall(r"expires: (\S+)", block.text)
    today = date.fromisoformat(expires) - timedelta(days=30)
    assert load_waivers(tmp_path, today=today)


@pytest.mark.parametrize("block", [one for one in SHOWN if one.language == "python"], ids=str)
def test_each_program_compiles(block: Block) -> None:
    for call in ast.walk(ast.parse(block.text, str(block))):
        called = getattr(call.func, "id", None) if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and called in OURS:
            named = {each.arg: None for each in call.keywords if each.arg}
            inspect.signature(OURS[called]).bind(*call.args, **named)


@shown("yaml", mark="step")
def test_each_step_is_one_that_github_accepts(block: Block, tmp_path: Path) -> None:
    (step,) = yaml.safe_load(block.text)
    assert set(step.get("with", {})) <= set(INPUTS)
    workflow = tmp_path / "workflow.yml"
    lines = "".join(f"      {line}\n" for line in block.text.splitlines())
    workflow.write_text(STEP + lines, encoding="utf-8")
    check(tool("actionlint"), "-no-color", str(workflow))


@shown("yaml", mark="caller")
def test_each_caller_fits_the_workflow_that_it_calls(block: Block, tmp_path: Path) -> None:
    called = yaml.safe_load((ROOT / "examples/workflows/reusable.yml").read_text(encoding="utf-8"))
    (calling,) = yaml.safe_load(block.text)["jobs"].values()
    takes = called[True]["workflow_call"]  # YAML 1.1 reads "on" as true
    assert set(calling["with"]) <= set(takes["inputs"])
    assert set(calling["secrets"]) <= set(takes["secrets"])
    assert calling["permissions"] == called["jobs"]["gate"]["permissions"]
    workflow = tmp_path / "workflow.yml"
    workflow.write_text(block.text, encoding="utf-8")
    check(tool("actionlint"), "-no-color", str(workflow))


@shown("yaml", mark="gitlab")
def test_each_job_is_one_that_gitlab_accepts(block: Block, tmp_path: Path) -> None:
    (tmp_path / ".gitlab-ci.yml").write_text(block.text, encoding="utf-8")
    schema = ("--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci")
    check(tool("check-jsonschema"), *schema, str(tmp_path / ".gitlab-ci.yml"))


@shown("yaml", mark="pre-commit")
def test_each_hook_is_one_that_there_is(block: Block) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (repository,) = yaml.safe_load(block.text)["repos"]
    assert {hook["id"] for hook in repository["hooks"]} <= {hook["id"] for hook in hooks}


def check(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_version_that_people_copy_is_this_one() -> None:
    for block in SHOWN:
        if not block.mark.startswith("produced"):
            found = re.findall(r"ci-judge/ci-judge(?:/composite)?(?:@v|:)([\d.]+)", block.text)
            assert set(found) <= {__version__}, block


def test_json_that_is_shown_is_json() -> None:
    for block in SHOWN:
        if block.language == "json":
            json.loads(block.text)
