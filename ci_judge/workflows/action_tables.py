"""The README's tables of the action's inputs and outputs, made from the tables in code.

``python -m ci_judge.workflows.action_tables --write``
"""

import re
import sys
from pathlib import Path

from ci_judge.action_inputs import INPUTS, InputSpec
from ci_judge.sinks.outputs import OUTPUTS
from ci_judge.workflows.derived_files import settle

_MARKED = re.compile(r"(?<=<!-- block: action-tables -->\n).*?(?=<!-- end -->\n)", re.DOTALL)


def action_tables() -> str:
    """Give both tables as Markdown."""
    inputs = [
        f"| `{name}` | {_default(spec)} | {_cell(spec.description)} |"
        for name, spec in INPUTS.items()
    ]
    outputs = [f"| `{name}` | {_cell(description)} |" for name, description in OUTPUTS.items()]
    head = ["| input | default | meaning |", "| --- | --- | --- |"]
    middle = ["", "| output | meaning |", "| --- | --- |"]
    return "".join(f"{line}\n" for line in (*head, *inputs, *middle, *outputs))


def with_tables(readme: str) -> str:
    """Put the tables where the README marks their place."""
    return _MARKED.sub(lambda _: f"\n{action_tables()}\n", readme)


def main(arguments: list[str], *, path: Path = Path("README.md")) -> int:
    """Write the tables (--write), or say whether they are as the code has them (--check)."""
    text = path.read_text(encoding="utf-8")
    remedy = "python -m ci_judge.workflows.action_tables --write"
    return settle({path.name: with_tables(text)}, arguments, root=path.parent, remedy=remedy)


def _default(spec: InputSpec) -> str:
    if spec.setting is not None:
        return f"as configured (`{spec.setting}`)"
    return f"`{spec.default}`" if spec.default else ""


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
