"""Makes the action's files out of the tables in code, for a container and for a bare runner.

``python -m ci_judge.workflows.action_metadata --write``
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from ci_judge.action_inputs import INPUTS, variable_of
from ci_judge.sinks.outputs import OUTPUTS
from ci_judge.workflows.derived_files import settle

_MADE_BY = "python -m ci_judge.workflows.action_metadata"
_HEAD = f"""\
# Made by `{_MADE_BY} --write`; edit the tables in the code.
name: CI Judge
description: A statistical gate for software whose right answer cannot be compared with ==
author: CI Judge
"""
_BRANDING = """\
branding:
  icon: check-circle
  color: purple
"""
_IN_A_CONTAINER = """\
runs:
  using: docker
  image: Dockerfile
"""
_ON_THE_RUNNER = """\
runs:
  using: composite
  steps:
    - name: Python for CI Judge
      id: python
      uses: actions/setup-python@a309ff8b426b58ec0e2a45f0f869d46889d02405 # v6.2.0
      with:
        python-version: "3.13"
        update-environment: false # the job keeps its own
    - name: Install CI Judge
      shell: bash
      env:
        PYTHON: ${{ steps.python.outputs.python-path }}
      run: |
        home="$RUNNER_TEMP/ci-judge"
        source="$GITHUB_ACTION_PATH/.."
        install=(-I -m pip install --quiet --disable-pip-version-check)
        locked=("${install[@]}" --require-hashes --requirement)
        wheel=(-I -m pip wheel --quiet --no-deps --no-index --no-build-isolation)
        "$PYTHON" -I -m venv --clear "$home" "$home-build"
        "$home/bin/python" "${locked[@]}" "$source/requirements.lock"
        "$home-build/bin/python" "${locked[@]}" "$source/requirements-build.lock"
        "$home-build/bin/python" "${wheel[@]}" --wheel-dir "$home-build/wheels" "$source"
        "$home/bin/python" "${install[@]}" --no-deps --no-index "$home-build/wheels/"*.whl
        cp "$source/entrypoint.py" "$home/"
    - name: CI Judge
      id: judge
      shell: bash
      run: exec "$RUNNER_TEMP/ci-judge/bin/python" -I -B -u "$RUNNER_TEMP/ci-judge/entrypoint.py"
      env:
"""


def action_yml() -> str:
    """Give the whole of action.yml, which builds the image."""
    outputs = ("outputs:", *_outputs())
    return _HEAD + _BRANDING + _lines(*_inputs(), *outputs) + _IN_A_CONTAINER


def composite_action_yml() -> str:
    """Give the whole of composite/action.yml, for runners without Docker.

    Inputs pass through the environment, as with a container: no shell ever reads one.
    """
    outputs = ("outputs:", *_outputs(step="judge"))
    given = (f"        {variable_of(name)}: ${{{{ inputs.{name} }}}}" for name in INPUTS)
    return _HEAD + _lines(*_inputs(), *outputs) + _ON_THE_RUNNER + _lines(*given)


FILES = {"action.yml": action_yml, "composite/action.yml": composite_action_yml}
"""What is made, by its path in the repository."""


def main(arguments: list[str], *, root: Path = Path()) -> int:
    """Write the files (--write), or say whether they are as the code has them (--check)."""
    made = {name: make() for name, make in FILES.items()}
    return settle(made, arguments, root=root, remedy=f"{_MADE_BY} --write")


def _inputs() -> Iterator[str]:
    yield "inputs:"
    for name, spec in INPUTS.items():
        yield f"  {name}:"
        yield f"    description: {_quoted(spec.description)}"
        yield "    required: false"
        yield f"    default: {_quoted(spec.default)}"


def _outputs(*, step: str | None = None) -> Iterator[str]:
    """Describe each; where it is not the action's own, say whose ``step`` it is."""
    for name, description in OUTPUTS.items():
        yield f"  {name}:"
        yield f"    description: {_quoted(description)}"
        if step is not None:
            yield f"    value: ${{{{ steps.{step}.outputs.{name} }}}}"


def _lines(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    return json.dumps(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
