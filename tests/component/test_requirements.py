"""The input ``requirements``: pip in an environment of its own, which all children then have."""

import asyncio
import os
import shutil
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from ci_judge.app import FrontDoor, RunOptions, execute
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import CiJudgeError, ExitCode, InvalidInput
from ci_judge.model.document import ReportDocument
from ci_judge.processes import Children
from ci_judge.workflows.requirements import (
    Installed,
    NotInstalled,
    index_secrets,
    install_requirements,
)
from ci_judge.workflows.surroundings import Surroundings
from tests.tiny_package import write_package

OFFLINE = {"PATH": os.environ["PATH"], "PIP_NO_INDEX": "1", "HOME": "/nowhere"}
CASE = """\
import shutil, subprocess, sys
from ci_judge import case
from tiny_shop import price

@case('says "3 euros"')
def test_price():
    return {"text": price("apple")}

@case('finds "requirements/bin"')
def test_program():
    return {"text": shutil.which("tiny-shop")}

@case('says "ci_judge alone"')
def test_what_else_is_there():
    code = "import ci_judge, importlib.util as u; print([n for n in ('click', 'httpx', 'pydantic')"
    code += " if u.find_spec(n)] or 'ci_judge alone')"
    return {"text": subprocess.run(["python", "-c", code], capture_output=True, text=True).stdout}
"""
CONFIG = """\
suite: {paths: [case_shop.py, scenarios.yaml], criteria: acceptance.md}
target: {command: "tiny-shop"}
judge: {provider: stub}
"""
SCENARIOS = """\
criterion: prices
scenarios:
  - {name: Asks, message: How much?, checks: [{contains: 3 euros}], runs: 1, gate: rate}
"""


class Heard(FrontDoor):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def overheard(self, text: str) -> None:
        self.texts.append(text)


def suite(folder: Path) -> None:
    write_package(folder)
    (folder / "case_shop.py").write_text(CASE)
    (folder / "ci-judge.yaml").write_text(CONFIG)
    (folder / "scenarios.yaml").write_text(SCENARIOS)
    (folder / "acceptance.md").write_text("## Prices\n")


def run(folder: Path, requirements: str, front: FrontDoor) -> ReportDocument:
    options = RunOptions(requirements=requirements, top=folder)
    surroundings = Surroundings(cwd=folder, environment=OFFLINE)
    finished = asyncio.run(execute(options, surroundings, front=front, stop_sign=StopSign()))
    return finished.document


def install(
    folder: Path, text: str, environment: Mapping[str, str] = OFFLINE
) -> tuple[Installed, list[str]]:
    heard: list[str] = []

    async def main() -> Installed:
        async with AsyncExitStack() as stack:
            children = await stack.enter_async_context(Children())
            return await install_requirements(
                text,
                children=children,
                surroundings=Surroundings(cwd=folder, environment=environment),
                workspace=folder,
                stack=stack,
                overheard=heard.append,
            )

    return asyncio.run(main()), heard


@pytest.mark.parametrize("requirements", ["-e .", "requirements.txt", ".\n"])
def test_cases_and_commands_have_what_is_required(tmp_path: Path, requirements: str) -> None:
    suite(tmp_path)
    (tmp_path / "requirements.txt").write_text("--no-index\n-e .  # ourselves\n")
    front = Heard()
    document = run(tmp_path, requirements, front)
    results = {
        test["name"]: test["result"] for group in document["groups"] for test in group["tests"]
    }
    assert len(results) == 4
    assert set(results.values()) == {"passed"}, document
    assert "Successfully installed tiny-shop-1.0" in "".join(front.texts)


def test_the_environment_is_gone_afterwards(tmp_path: Path) -> None:
    write_package(tmp_path)
    installed, heard = install(tmp_path, ".")
    assert "Successfully installed" in heard[0]
    assert not installed.python.exists()


def test_what_pip_refuses_is_one_error_and_no_verdict(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled) as raised:
        install(tmp_path, "no-such-thing-at-all==1")
    error = raised.value
    assert error.exit_code == ExitCode.UNDECIDED
    (problem,) = error.problems
    assert "no-such-thing-at-all==1" in problem.message
    assert "\n" not in str(problem)
    assert "no-such-thing-at-all" in error.output


@pytest.mark.parametrize(
    ("text", "said"),
    [("-e 'x", "cannot be split"), ("missing.txt", '"missing.txt", which is no file')],
)
def test_what_cannot_be_meant_is_wrong_input(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        install(tmp_path, text)


def test_no_shell_reads_the_words(tmp_path: Path) -> None:
    with pytest.raises(CiJudgeError):
        install(tmp_path, f"; touch {tmp_path}/here $(touch {tmp_path}/there)")
    assert list(tmp_path.iterdir()) == []


SPY = """\
import json, os, pathlib
pathlib.Path(r"SEEN").write_text(json.dumps(sorted(os.environ)))
"""


def test_builds_see_neither_inputs_nor_tokens(tmp_path: Path) -> None:
    write_package(tmp_path)
    backend = tmp_path / "tiny_backend.py"
    seen = tmp_path / "seen.json"
    backend.write_text(SPY.replace("SEEN", str(seen)) + backend.read_text())
    secret = {"GITHUB_TOKEN": "x" * 20, "INPUT_GITHUB-TOKEN": "x" * 20, "OPENAI_API_KEY": "y" * 20}
    install(tmp_path, ".", {**OFFLINE, **secret, "GITHUB_ENV": "/x", "HTTPS_PROXY": "http://p/"})
    names = seen.read_text()
    assert "HTTPS_PROXY" in names
    for name in (*secret, "GITHUB_ENV"):
        assert name not in names


def test_the_credentials_of_an_index_are_secrets() -> None:
    address = "https://robot:hunter2hunter2@pypi.example/simple"
    secrets = index_secrets({"PIP_EXTRA_INDEX_URL": f"https://a/ {address}", "OTHER": address})
    assert "hunter2hunter2" in secrets
    assert index_secrets({"OTHER": address}) == ()


def test_a_signal_stops_it(tmp_path: Path) -> None:
    write_package(tmp_path)
    (tmp_path / "tiny_backend.py").write_text("import threading\nthreading.Event().wait(600)\n")
    sign = StopSign()

    async def main() -> None:
        async with AsyncExitStack() as stack:
            children = await stack.enter_async_context(Children())
            installing = install_requirements(
                ".",
                children=children,
                surroundings=Surroundings(cwd=tmp_path, environment=OFFLINE),
                workspace=tmp_path,
                stack=stack,
                overheard=list[str]().append,
            )
            asyncio.get_running_loop().call_later(0.2, sign.stop, "interrupted")
            await sign.before(installing)

    with pytest.raises(CiJudgeError) as raised:
        asyncio.run(asyncio.wait_for(main(), 60))
    assert raised.value.exit_code in {ExitCode.INTERRUPTED, ExitCode.TERMINATED}
    assert shutil.which("tiny-shop") is None
