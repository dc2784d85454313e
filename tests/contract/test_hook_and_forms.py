"""What other tools read here: pre-commit's manifest, GitHub's issue forms."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.tools import tool

ROOT = Path(__file__).resolve().parents[2]
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


def the_hook() -> dict[str, Any]:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    return dict(hook)


def test_the_hook_starts_a_command_that_the_package_installs() -> None:
    program, *arguments = the_hook()["entry"].split()
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert program in scripts
    assert arguments == ["check"]
    assert the_hook()["language"] == "python"
    assert the_hook()["pass_filenames"] is False, "check reads the suite, not a list of files"


@pytest.mark.parametrize(
    ("path", "is_checked"),
    [
        ("ci-judge.yaml", True),
        ("shop/ci-judge.toml", True),
        ("acceptance.md", True),
        ("scenarios/refunds.yml", True),
        ("scenarios/rows.csv", True),
        ("cases/case_price.py", True),
        ("shop/server.py", False),
        ("pyproject.toml", False),
    ],
)
def test_the_hook_runs_for_files_that_a_suite_can_hold(path: str, *, is_checked: bool) -> None:
    assert bool(re.search(the_hook()["files"], path)) is is_checked


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_github_accepts_the_issue_forms(form: Path) -> None:
    schema = "issue-config" if form.name == "config.yml" else "issue-forms"
    done = subprocess.run(
        [tool("check-jsonschema"), "--builtin-schema", f"vendor.github-{schema}", str(form)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
