"""Makes action.yml out of the tables in code: ``python -m ci_judge.workflows.action_metadata``."""

import json
import sys
from pathlib import Path

from ci_judge.action_inputs import INPUTS
from ci_judge.sinks.outputs import OUTPUTS

_HEAD = """\
# Made by `python -m ci_judge.workflows.action_metadata --write`; edit the tables in the code.
name: CI Judge
description: A statistical gate for software whose right answer cannot be compared with ==
author: CI Judge
branding:
  icon: check-circle
  color: purple
"""
_RUNS = """\
runs:
  using: docker
  image: Dockerfile
"""


def action_yml() -> str:
    """Give the whole of action.yml."""
    lines = ["inputs:"]
    for name, spec in INPUTS.items():
        lines += [
            f"  {name}:",
            f"    description: {_quoted(spec.description)}",
            "    required: false",
            f"    default: {_quoted(spec.default)}",
        ]
    lines.append("outputs:")
    for name, description in OUTPUTS.items():
        lines += [f"  {name}:", f"    description: {_quoted(description)}"]
    return _HEAD + "\n".join(lines) + "\n" + _RUNS


def main(arguments: list[str], *, path: Path = Path("action.yml")) -> int:
    """Write action.yml (--write), or say whether it is as the code has it (--check)."""
    if arguments == ["--write"]:
        path.write_text(action_yml(), encoding="utf-8")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == action_yml():
        return 0
    sys.stderr.write("action.yml is not what the code says; run this with --write\n")
    return 1


def _quoted(text: str) -> str:
    return json.dumps(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
