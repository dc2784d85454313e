"""A double of what the runner does with a composite action: its steps, one after the other.

Expressions in ``env`` and outputs are filled in; steps with ``run`` are run by bash with the
runner's own flags; what a step with ``uses`` would put out is handed in.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.runner_double import read_outputs

LONGEST_SECONDS = 300
_EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositeResult:
    """How it ended: the failed step's exit code or 0, and what the last step printed."""

    exit_code: int
    failed_step: str | None
    out: str
    outputs: Mapping[str, str]


class CompositeDouble:
    """Runs the action in a folder; ``provided`` are outputs of steps that use other actions.

    Steps named in ``done`` are left out: what they leave behind is there already.
    """

    def __init__(
        self, action: Path, *, temp: Path, provided: Mapping[str, Mapping[str, str]]
    ) -> None:
        self.definition: dict[str, Any] = yaml.safe_load(action.read_text(encoding="utf-8"))
        self._folder = action.parent
        self._temp = temp
        self._provided = provided
        self.done: set[str] = set()

    def run(self, environment: Mapping[str, str], *, cwd: Path, **inputs: str) -> CompositeResult:
        given = self._inputs(inputs)
        outputs: dict[str, Mapping[str, str]] = {}
        out = ""
        for number, step in enumerate(self.definition["runs"]["steps"]):
            name = step.get("id", f"step {number}")
            if "uses" in step:
                outputs[name] = self._provided[name]
                continue
            if step["name"] in self.done:
                continue
            own = {key: self._filled(text, given, outputs) for key, text in step["env"].items()}
            file = self._temp / f"output-{number}"
            file.touch()
            code, out = self._bash(step, {**environment, **own, "GITHUB_OUTPUT": str(file)}, cwd)
            outputs[name] = read_outputs(file)
            if code:
                return self._result(code, step["name"], out, given, outputs)
        return self._result(0, None, out, given, outputs)

    def _inputs(self, given: Mapping[str, str]) -> dict[str, str]:
        named = {name.replace("_", "-"): text for name, text in given.items()}
        declared = self.definition["inputs"]
        assert set(named) <= set(declared)
        defaults = {name: one["default"] for name, one in declared.items()}
        return {name: _EXPRESSION.sub("", text) for name, text in defaults.items()} | named

    def _filled(
        self,
        text: str,
        inputs: Mapping[str, str],
        outputs: Mapping[str, Mapping[str, str]],
    ) -> str:
        def value(found: re.Match[str]) -> str:
            match found[1].split("."):
                case ["inputs", name]:
                    return inputs[name]
                case ["steps", step, "outputs", name]:
                    return outputs[step].get(name, "") if step in outputs else ""
                case _:
                    raise AssertionError(f"not an expression that is needed here: {found[0]}")

        return _EXPRESSION.sub(value, text)

    def _bash(
        self, step: Mapping[str, Any], environment: Mapping[str, str], cwd: Path
    ) -> tuple[int, str]:
        assert step["shell"] == "bash"
        script = self._temp / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            env={
                "PATH": os.environ["PATH"],
                **environment,
                "GITHUB_ACTION_PATH": str(self._folder),
                "RUNNER_TEMP": str(self._temp),
            },
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        return done.returncode, done.stdout

    def _result(
        self,
        exit_code: int,
        failed_step: str | None,
        out: str,
        inputs: Mapping[str, str],
        outputs: Mapping[str, Mapping[str, str]],
    ) -> CompositeResult:
        declared = self.definition["outputs"].items()
        return CompositeResult(
            exit_code=exit_code,
            failed_step=failed_step,
            out=out,
            outputs={name: self._filled(one["value"], inputs, outputs) for name, one in declared},
        )
