"""The workflows that people paste, before the eyes of those who know workflows."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ci_judge.action_inputs import INPUTS
from ci_judge.sinks.outputs import OUTPUTS
from ci_judge.version import __version__
from ci_judge.workflows.action_tables import action_tables, main, with_tables
from ci_judge.workflows.artifact_reports import artifact_name
from tests.tools import tool

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "workflows"
GITHUB = sorted(FOLDER.glob("*.yml"))
GITHUB = [path for path in GITHUB if path.name != ".gitlab-ci.yml"]
PASTED = [ROOT / "ci_judge/workflows/starter/workflow.yml", *GITHUB]
ACTION = f"ci-judge/ci-judge@v{__version__}"


def run_tool(*command: str, cwd: Path = ROOT) -> None:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that has all of them where GitHub looks for them."""
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    for path in GITHUB:
        shutil.copy(path, folder)
    return tmp_path


def steps_of(path: Path) -> list[dict[str, Any]]:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8").replace("@ACTION@", ACTION))
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_there_are_some() -> None:
    assert {"ci-judge.yml", "fork-safe-judge.yml", "fork-safe-comment.yml"} <= {
        path.name for path in GITHUB
    }


def test_actionlint_finds_nothing(repository: Path) -> None:
    run_tool(tool("actionlint"), "-no-color", cwd=repository)


def test_github_accepts_them() -> None:
    schema = ("--builtin-schema", "vendor.github-workflows")
    run_tool(tool("check-jsonschema"), *schema, *map(str, GITHUB))


def test_gitlab_accepts_its_own() -> None:
    schema = ("--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci")
    run_tool(tool("check-jsonschema"), *schema, str(FOLDER / ".gitlab-ci.yml"))


def test_zizmor_finds_nothing(repository: Path) -> None:
    flags = ["--offline", "--no-progress", "--persona=auditor", "--min-severity=medium"]
    run_tool(tool("zizmor"), *flags, ".", cwd=repository)


def test_the_plain_one_is_what_init_writes() -> None:
    starter = (ROOT / "ci_judge/workflows/starter/workflow.yml").read_text(encoding="utf-8")
    plain = (FOLDER / "ci-judge.yml").read_text(encoding="utf-8")
    assert plain == starter.replace("@ACTION@", ACTION)


@pytest.mark.parametrize("path", PASTED, ids=lambda path: path.name)
def test_foreign_actions_are_pinned_by_hash_with_their_version_beside(path: Path) -> None:
    uses = re.findall(r"uses: +(\S+)(.*)", path.read_text(encoding="utf-8"))
    foreign = [pair for pair in uses if not pair[0].startswith(("@ACTION@", "ci-judge/"))]
    assert foreign
    for action, comment in foreign:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


def test_every_hash_is_one_of_one_version_everywhere() -> None:
    """A hash that was mistyped, or paired with another version, stands apart from the others."""
    known: dict[str, set[str]] = {}
    files = [*PASTED, *(ROOT / ".github/workflows").glob("*.yml")]
    for path in files:
        for pinned, version in re.findall(
            r"uses: +([\w./-]+@[0-9a-f]{40}) # (v[\d.]+)", path.read_text(encoding="utf-8")
        ):
            known.setdefault(pinned, set()).add(version)
            known.setdefault(f"{pinned.partition('@')[0]} {version}", set()).add(pinned)
    assert all(len(values) == 1 for values in known.values()), known


@pytest.mark.parametrize("path", PASTED, ids=lambda path: path.name)
def test_inputs_and_outputs_are_ones_that_there_are(path: Path) -> None:
    for step in steps_of(path):
        if str(step.get("uses", "")).startswith("ci-judge/ci-judge@"):
            assert set(step.get("with", {})) <= set(INPUTS)
    used = re.findall(r"steps\.judge\.outputs\.([\w-]+)", path.read_text(encoding="utf-8"))
    assert set(used) <= set(OUTPUTS)


@pytest.mark.parametrize("path", PASTED, ids=lambda path: path.name)
def test_no_shell_fills_the_step_summary_of_which_github_takes_so_much_only(path: Path) -> None:
    for step in steps_of(path):
        assert not re.search(r">>?\s*\S*GITHUB_STEP_SUMMARY", step.get("run", ""))


@pytest.mark.parametrize("name", ["ci-judge.yml", "fork-safe-judge.yml", "reusable.yml"])
def test_there_is_a_budget_for_the_start(name: str) -> None:
    (judge,) = [step for step in steps_of(FOLDER / name) if step.get("id") == "judge"]
    assert {"max-requests", "max-minutes"} <= set(judge["with"])


@pytest.mark.parametrize("name", ["ci-judge.yml", "fork-safe-judge.yml"])
def test_the_artifact_is_the_one_that_the_next_run_looks_for(name: str) -> None:
    workflow = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    (job,) = workflow["jobs"]
    expected = artifact_name(f"{workflow['name']}/{job}")
    kept = [step["with"].get("name") for step in steps_of(FOLDER / name) if "with" in step]
    assert expected in kept


def test_the_examples_own_artifact_is_the_one_that_its_next_run_looks_for() -> None:
    steps = steps_of(ROOT / ".github/workflows/example.yml")
    (key,) = [step["with"]["comment-key"] for step in steps if step.get("id") == "judge"]
    assert artifact_name(key) in [step.get("with", {}).get("name") for step in steps]


def test_whoever_calls_the_shared_one_finds_its_artifact_again() -> None:
    steps = steps_of(FOLDER / "reusable.yml")
    (key,) = [step["with"]["comment-key"] for step in steps if step.get("id") == "judge"]
    assert artifact_name(key) in [step.get("with", {}).get("name") for step in steps]


def test_the_pair_fits_together() -> None:
    judge, comment = (
        yaml.safe_load((FOLDER / f"fork-safe-{name}.yml").read_text(encoding="utf-8"))
        for name in ("judge", "comment")
    )
    trigger = comment[True]["workflow_run"]  # YAML 1.1 reads "on" as true
    assert trigger["workflows"] == [judge["name"]]
    names = [
        [step["with"]["name"] for step in steps_of(FOLDER / f"fork-safe-{name}.yml")
         if "artifact@" in str(step.get("uses", ""))]
        for name in ("judge", "comment")
    ]  # fmt: skip
    assert names[0] == names[1]
    (judging,) = judge["jobs"].values()
    (commenting,) = comment["jobs"].values()
    assert "write" not in judging["permissions"].values()
    assert commenting["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert "secrets." not in (FOLDER / "fork-safe-judge.yml").read_text(encoding="utf-8")
    assert not any("checkout" in str(step.get("uses")) for step in commenting["steps"])


def test_the_readmes_tables_are_the_ones_in_the_code(tmp_path: Path) -> None:
    """Remedy: python -m ci_judge.workflows.action_tables --write."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert action_tables() in readme
    path = tmp_path / "README.md"
    path.write_text("a\n<!-- block: action-tables -->\nold\n<!-- end -->\nb\n")
    assert main(["--check"], path=path) == 1
    assert main(["--write"], path=path) == 0
    assert main(["--check"], path=path) == 0
    assert path.read_text() == with_tables(path.read_text())
    assert action_tables() in path.read_text()
