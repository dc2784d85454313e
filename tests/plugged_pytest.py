"""pytest with our plugin, in a process of its own, over a small suite whose target is at hand.

    result = plugged.run("-v")            # pytest --ci-judge -v
    result.assert_outcomes(passed=2)      # what pytest printed, see pytest's pytester
    plugged.suite.served.requests         # what the target was asked
    plugged.report()                      # ci-judge-report/report.json

The plugin is offered by what ``pyproject.toml`` says, not by how the tests' own Python got it.
"""

import json
import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.small_suites import SmallSuite, a_small_suite

REPOSITORY = Path(__file__).parent.parent
SECONDS = 120.0


@dataclass(slots=True, kw_only=True)
class Plugged:
    pytester: pytest.Pytester
    suite: SmallSuite

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run ``pytest --ci-judge`` in the folder of the suite."""
        return self.run_plain("--ci-judge", *arguments)

    def run_plain(self, *arguments: str) -> pytest.RunResult:
        return self.pytester.runpytest_subprocess(*arguments, timeout=SECONDS)

    def report(self) -> Any:
        return json.loads(self.suite.report("ci-judge-report").read_text("utf-8"))

    def asked(self) -> int:
        return len(self.suite.served.requests)


@contextmanager
def plugged_pytest(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plugged]:
    offered = pytester.path / "offered"
    _offer(offered / "ci_judge_offered-0.dist-info")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(offered), str(REPOSITORY)]))
    monkeypatch.setenv("COLUMNS", "250")
    with a_small_suite(pytester.path / "project") as suite:
        os.chdir(suite.folder)  # as pytester does itself, which goes back at its end
        yield Plugged(pytester=pytester, suite=suite)


def _offer(folder: Path) -> None:
    """Write what an installer makes of the entry points."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    points = project["entry-points"]["pytest11"]
    lines = [f"{name} = {target}" for name, target in points.items()]
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: ci-judge-offered\nVersion: 0\n")
    (folder / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines, ""]))
