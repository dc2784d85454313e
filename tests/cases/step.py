"""One step of the action: the real entrypoint over a case, before the stub's GitHub."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cases.outcome import Outcome
from tests.cases.servers import Servers
from tests.cases.translation import JUDGE_KEY
from tests.cases.workbench import Workbench
from tests.e2e.commands import LONGEST_SECONDS, REPOSITORY
from tests.runner_double import RunnerFiles, SeenLog, read_log, read_outputs

TOKEN = "ghs_stub_000111222333"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """The end of one step: the outcome, what the runner saw of the log, and its outputs."""

    outcome: Outcome
    log: SeenLog
    files: RunnerFiles

    @property
    def exit_code(self) -> int:
        return self.outcome.exit_code

    @property
    def outputs(self) -> dict[str, str]:
        return read_outputs(self.files.output)

    @property
    def summary(self) -> str:
        return self.files.summary.read_bytes().decode("utf-8")

    def notices(self) -> str:
        """Give what the step says beside its tests: notices, warnings and lines."""
        said = [one.message for one in self.log.commands if one.name in {"notice", "warning"}]
        return "\n".join([*said, *self.log.shown])


class Step:
    """Runs the entrypoint in a case's folder as its workspace, each time with fresh files."""

    def __init__(self, case: Workbench, running: Servers) -> None:
        self.case = case
        self.running = running

    def run(
        self,
        *,
        event: str | None = None,
        event_name: str = "pull_request",
        prefill: bytes = b"",
        environment: Mapping[str, str | None] | None = None,
        **inputs: str,
    ) -> StepOutcome:
        """Run one step; ``event`` is a file of the case, inputs as for ``RunnerFiles``."""
        files = RunnerFiles(Path(tempfile.mkdtemp(prefix="runner-", dir=self.case.root.parent)))
        files.summary.write_bytes(prefill)
        if event is not None:
            shutil.copyfile(self.case.root / event, files.event)
        given = {"github_token": TOKEN, **inputs}
        variables = files.environment(**given) | self._variables(event_name)
        changed = {**variables, **(environment or {})}
        return self._end(files, {key: value for key, value in changed.items() if value is not None})

    def _variables(self, event_name: str) -> dict[str, str]:
        hub = self.running.addresses["GITHUB"]
        return {
            "GITHUB_API_URL": hub,
            "GITHUB_GRAPHQL_URL": f"{hub}/graphql",
            "GITHUB_EVENT_NAME": event_name,
            "GITHUB_WORKSPACE": str(self.case.root),
            "PATH": os.environ["PATH"],
            "STUB_KEY": JUDGE_KEY,
            **self.case.suite.get("env", {}),
        }

    def _end(self, files: RunnerFiles, variables: Mapping[str, str]) -> StepOutcome:
        done = subprocess.run(
            [sys.executable, "-I", "-B", "-u", str(REPOSITORY / "entrypoint.py")],
            cwd=self.case.root,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        text = done.stdout.decode()
        outcome = self.case.ended(exit_code=done.returncode, out=text, err="")
        outcome.check()
        assert TOKEN not in "".join(line for line in text.splitlines() if "add-mask" not in line)
        return StepOutcome(outcome=outcome, log=read_log(text), files=files)

    def writes(self) -> list[str]:
        """Give what was written to GitHub so far: method and path."""
        return [
            f"{request['method']} {request['path']}"
            for request in self.running.asked("github")
            if not request["path"].endswith("graphql") and request["method"] != "GET"
        ]


def comments(state: Path) -> list[dict[str, Any]]:
    """Read the comments that the stub keeps."""
    if not state.exists():
        return []
    kept: list[dict[str, Any]] = json.loads(state.read_text(encoding="utf-8"))["comments"]
    return kept


def failing(case: Workbench) -> None:
    """Let the case's scenario fail: its answer has another number."""
    case.write("scenarios.yaml", case.read("scenarios.yaml").replace("14 days", "15 days"))
