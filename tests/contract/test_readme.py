"""What the README shows is true: snippets load, numbers and tables are what the code says."""

import re
import subprocess
import textwrap
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest

from ci_judge.errors import ExitCode
from ci_judge.judges.settings import ProviderName
from ci_judge.model.suite import CheckKind, GateDefaults, GateKind
from ci_judge.rules.gates import needed_passes
from ci_judge.settings import load_settings
from ci_judge.suites.criteria import parse_criteria
from ci_judge.suites.scenarios import load_scenarios
from ci_judge.version import __version__
from tests.model_builders import a_rule
from tests.tools import tool

REPOSITORY = Path(__file__).parent.parent.parent
README = (REPOSITORY / "README.md").read_text()


def block(beginning: str) -> str:
    """Give the one fenced block that holds this text."""
    fenced = re.findall(r"^```\w+\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    (found,) = [text for text in fenced if beginning in text]
    return str(found)


def test_the_configuration_loads(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.yaml").write_text(block("staging.example.com"))
    settings = load_settings(
        config=None, cwd=tmp_path, environment={"STAGING_TOKEN": "t0ken-t0ken"}, overrides={}
    )
    assert settings.target is not None
    assert settings.target.headers == {"Authorization": "Bearer t0ken-t0ken"}
    assert settings.gate_defaults().kind is GateKind.EXACT


def test_the_checks_of_what_is_captured_load(tmp_path: Path) -> None:
    head = "criterion: a\nscenarios: [{name: Asks, message: How?}]\ndefaults:\n"
    checks = textwrap.indent(block("tools_called: ["), "  ")
    (tmp_path / "a.yaml").write_text(head + checks)
    criteria = parse_criteria("## A\n\nSays it.\n", file="acceptance.md")
    (scenario,) = load_scenarios(
        [tmp_path / "a.yaml"], criteria, GateDefaults(), root=tmp_path, targets=frozenset()
    )
    assert [check.needs for check in scenario.checks] == ["tools", "context"]


def test_the_criteria_and_scenarios_load(tmp_path: Path) -> None:
    (tmp_path / "refunds.yaml").write_text(block("criterion: refund-policy"))
    scenarios = load_scenarios(
        [tmp_path / "refunds.yaml"],
        parse_criteria(block("{#refund-policy}"), file="acceptance.md"),
        GateDefaults(),
        root=tmp_path,
        targets=frozenset(),
    )
    assert [scenario.name for scenario in scenarios] == ["Asks how to get money back", "Haggles"]
    assert scenarios[0].expectations[0].phrases == ("14 days",)


def test_the_cases_compile() -> None:
    compile(block("from ci_judge import case"), "case_readme.py", "exec")


def test_the_workflow_is_the_one_that_init_writes() -> None:
    starter = REPOSITORY / "ci_judge/workflows/starter/workflow.yml"
    written = starter.read_text().replace("@ACTION@", f"ci-judge/ci-judge@v{__version__}")
    assert block("uses: ci-judge/ci-judge") == written


def test_the_workflow_is_one_that_github_accepts(tmp_path: Path) -> None:
    workflow = tmp_path / "workflow.yml"
    workflow.write_text(block("uses: ci-judge/ci-judge"))
    done = subprocess.run(
        [tool("actionlint"), "-no-color", str(workflow)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("runs", "threshold", "column"), [(10, "0.7", 3), (30, "0.8", 4)])
def test_the_table_of_gates_is_right(runs: int, threshold: str, column: int) -> None:
    for kind in (GateKind.LOWER_BOUND, GateKind.EXACT, GateKind.RATE):
        row = next(line for line in README.splitlines() if line.startswith(f"| `{kind.value}`"))
        rule = a_rule(kind=kind, runs=runs, threshold=Fraction(threshold))
        assert row.split("|")[column].strip() == f"{needed_passes(rule)} of {runs}"


def test_every_kind_is_documented() -> None:
    for check in CheckKind:
        assert f"`{check.value}`" in README
    for gate in GateKind:
        assert f"| `{gate.value}`" in README
    for provider in get_args(ProviderName):
        assert f"| `{provider}` |" in README


def test_every_exit_code_is_documented() -> None:
    table = README[README.index("| exit code |") :]
    for code in ExitCode:
        assert re.search(rf"^\| (\d+, )?{code.value}\b", table, re.MULTILINE), code
