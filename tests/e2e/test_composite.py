"""The composite action, for runners without Docker: its own steps, run as the runner runs them."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from ci_judge.sinks.outputs import OUTPUTS
from tests.composite_double import CompositeDouble, CompositeResult
from tests.runner_double import RunnerFiles, read_log
from tests.tiny_package import write_package
from tests.tools import missing

REPOSITORY = Path(__file__).resolve().parents[2]
_INDEX = ("PIP_", "SSL_CERT_", "REQUESTS_CA_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
INSTALL = "Install CI Judge"
_NO_INDEX = ("connection", "resolution", "No matching distribution", "SSLError", "ProxyError")

CONFIG = "suite: {paths: [case_shop.py]}\njudge: {provider: stub}\n"
CASE = """\
import os
from ci_judge import case
from tiny_shop import price

@case('says "3 euros"')
def test_price():
    return {"text": price("apple"), "inputs": [n for n in os.environ if n.startswith("INPUT_")]}
"""


@pytest.fixture(scope="module")
def temp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runner-temp")


@pytest.fixture(scope="module")
def action(temp: Path) -> CompositeDouble:
    """Give the action as it stands beside the sources that it installs."""
    checkout = temp / "checkout"
    for name in ("ci_judge", "composite"):
        shutil.copytree(REPOSITORY / name, checkout / name, ignore=_no_bytecode)
    for name in (*("pyproject.toml", "README.md", "LICENSE", "entrypoint.py"), *_locks()):
        shutil.copy(REPOSITORY / name, checkout / name)
    provided = {"python": {"python-path": sys.executable}}
    action = CompositeDouble(checkout / "composite/action.yml", temp=temp, provided=provided)
    index = {name: text for name, text in os.environ.items() if name.upper().startswith(_INDEX)}
    result = action.run(index | {"HOME": str(temp), "GITHUB_ACTIONS": "true"}, cwd=temp)
    if result.failed_step == INSTALL and any(one in result.out for one in _NO_INDEX):
        missing("no package index can be reached")
    assert result.failed_step == "CI Judge", result.out  # it is there, and nothing to judge is
    action.done.add(INSTALL)
    return action


def _locks() -> list[str]:
    return [path.name for path in REPOSITORY.glob("requirements*.lock")]


_no_bytecode = shutil.ignore_patterns("__pycache__")


def use(action: CompositeDouble, files: RunnerFiles, **inputs: str) -> CompositeResult:
    environment = {"HOME": str(files.workspace)} | files.environment()
    return action.run(environment, cwd=files.workspace, **inputs)


def test_it_judges_and_sets_every_output(action: CompositeDouble, tmp_path: Path) -> None:
    files = RunnerFiles(tmp_path)
    write_package(files.workspace)
    (files.workspace / "case_shop.py").write_text(CASE)
    (files.workspace / "ci-judge.yaml").write_text(CONFIG)
    for name in ("json", "venv", "pip", "ci_judge"):
        (files.workspace / f"{name}.py").write_text("raise SystemExit('taken over')")
    token = "ghs_" + "0123456789" * 3
    result = use(action, files, requirements="-e .", report_dir="out", github_token=token)
    assert result.exit_code == 0, result.out
    assert "taken over" not in result.out
    assert result.outputs["status"] == "passed"
    assert set(result.outputs) == set(OUTPUTS)
    assert result.outputs["report-dir"] == "out"
    assert (files.workspace / result.outputs["json"]).is_file()
    assert token in read_log(result.out).masks, "an input with a hyphen has got through the shell"
    assert '"inputs": []' in (files.workspace / "out/report.json").read_text()


def test_an_input_is_data_however_it_looks(action: CompositeDouble, tmp_path: Path) -> None:
    files = RunnerFiles(tmp_path)
    trap = f"$(touch {files.workspace}/there); `touch {files.workspace}/there`\"'"
    result = use(action, files, config=trap)
    assert result.exit_code == 2, result.out
    assert result.outputs["status"] == "invalid"
    assert not (files.workspace / "there").exists()
