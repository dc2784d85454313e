"""What the Dockerfile must hold to, where no tool that builds images is at hand."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def steps() -> list[tuple[str, str]]:
    """Give the instructions as (name, the rest of the line)."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def test_the_build_sees_what_is_copied_and_nothing_else(steps: list[tuple[str, str]]) -> None:
    copied = {
        source
        for name, rest in steps
        if name == "COPY" and not rest.startswith("--from")
        for source in rest.split()[:-1]
    }
    first, *rest = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert first == "*"
    let_in = {one[1:] for one in rest if one.startswith("!")}
    matched = {str(path.relative_to(ROOT)) for one in let_in for path in ROOT.glob(one)}
    assert matched == copied
    assert [one for one in rest if not one.startswith("!")] == ["**/__pycache__"]


def test_it_starts_isolated_as_whoever_the_runner_says_where_the_runner_says(
    steps: list[tuple[str, str]],
) -> None:
    (entrypoint,) = [json.loads(rest) for name, rest in steps if name == "ENTRYPOINT"]
    python, *flags, script = entrypoint
    assert set(flags) == {"-I", "-B", "-u"}
    assert (python, script) == ("/opt/ci-judge/bin/python", "/opt/ci-judge/entrypoint.py")
    assert not {"USER", "WORKDIR", "CMD", "ADD"} & {name for name, _ in steps}


def test_bytecode_is_written_in_the_image_and_never_after(steps: list[tuple[str, str]]) -> None:
    names = [name for name, _ in steps]
    last_run = len(names) - 1 - names[::-1].index("RUN")
    forbidding = [at for at, (_, rest) in enumerate(steps) if "PYTHONDONTWRITEBYTECODE=1" in rest]
    assert forbidding
    assert min(forbidding) > last_run > names[::-1].index("FROM")
    assert "import ci_judge.action" in steps[last_run][1]


def test_whatever_is_installed_is_locked_by_hashes_or_our_own(
    steps: list[tuple[str, str]],
) -> None:
    commands = [one for name, rest in steps if name == "RUN" for one in rest.split("&&")]
    installs = [one for one in commands if re.search(r"\bpip (install|wheel)\b", one)]
    assert len(installs) == 4
    for one in installs:
        assert "--require-hashes" in one or {"--no-deps", "--no-index"} <= set(one.split()), one


def test_container_and_composite_action_run_on_the_same_python(
    steps: list[tuple[str, str]],
) -> None:
    bases = {rest.split()[0] for name, rest in steps if name == "FROM"}
    composite: dict[str, Any] = yaml.safe_load((ROOT / "composite/action.yml").read_text())
    (version,) = [
        step["with"]["python-version"] for step in composite["runs"]["steps"] if "with" in step
    ]
    assert {re.sub(r"@.*", "", base) for base in bases} == {f"python:{version}-slim"}
