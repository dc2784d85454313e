"""Imports by the command, in this process: what was written and said, and that check accepts it.

made = imported("promptfoo", folder, "promptfooconfig.yaml")
made.scenarios("promptfooconfig")    # the entries of scenarios/promptfooconfig.yaml
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from ci_judge.cli.front import commands
from ci_judge.errors import CiJudgeError
from ci_judge.file_schema import load_yaml

_WARNING = "warning: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """``output`` is what was printed, ``checked`` what ``ci-judge check`` said of the result."""

    into: Path
    exit_code: int
    output: str
    notes: list[str]
    error: str
    checked: str

    def text(self, name: str) -> str:
        return (self.into / name).read_text("utf-8")

    def yaml(self, name: str) -> Any:
        return load_yaml(self.text(name), file=name).data

    def scenarios(self, criterion: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.yaml(f"scenarios/{criterion}.yaml")["scenarios"]
        return found


def imported(
    tool: str,
    folder: Path,
    file: str,
    *,
    check: bool = True,
    environment: Mapping[str, str] | None = None,
) -> Import:
    """Import a file of ``folder`` into ``folder/new``; what was written must pass ``check``."""
    into = folder / "new"
    result = _run(["import", tool, str(folder / file), "--into", str(into)], environment)
    error = result.exception
    assert error is None or isinstance(error, CiJudgeError), error
    checked = ""
    if check and error is None and (into / "ci-judge.yaml").exists():
        of_check = _run(["check", "--config", str(into / "ci-judge.yaml")], environment)
        assert of_check.exception is None, of_check.exception
        checked = of_check.output
    lines = result.stderr.splitlines()
    return Import(
        into=into,
        exit_code=int(error.exit_code) if isinstance(error, CiJudgeError) else result.exit_code,
        output=result.stdout,
        notes=[line.removeprefix(_WARNING) for line in lines if line.startswith(_WARNING)],
        error=str(error.problems[0]) if isinstance(error, CiJudgeError) else "",
        checked=checked,
    )


def _run(arguments: list[str], environment: Mapping[str, str] | None) -> Result:
    return CliRunner().invoke(commands, arguments, standalone_mode=False, env=environment)
