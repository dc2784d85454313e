"""The workflow that ``ci-judge init`` writes, before the eyes of those who know workflows."""

import re
import subprocess
from pathlib import Path

import pytest

from ci_judge.workflows.initialise import initialise
from tests.tools import tool

_WORKFLOW = ".github/workflows/ci-judge.yml"
_TIMEOUT_SECONDS = 60


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    initialise(tmp_path, version="1.2.3")
    (tmp_path / ".git").mkdir()  # the tools look for the top of a repository
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["actionlint", "-no-color", _WORKFLOW],
        ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", _WORKFLOW],
        ["zizmor", "--offline", "--no-progress", "--persona=auditor", "--min-severity=medium", "."],
    ],
    ids=lambda arguments: arguments[0],
)
def test_the_linters_have_nothing_to_say(repository: Path, arguments: list[str]) -> None:
    command = [tool(arguments[0]), *arguments[1:]]
    result = subprocess.run(
        command,
        cwd=repository,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_SECONDS,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_what_the_product_promises_of_it(repository: Path) -> None:
    text = (repository / _WORKFLOW).read_text(encoding="utf-8")
    assert "uses: ci-judge/ci-judge@v1.2.3 " in text
    assert "permissions: {}\n" in text
    assert "persist-credentials: false\n" in text
    assert "if: always()\n" in text
    assert "cancel-in-progress: ${{ github.event_name == 'pull_request' }}\n" in text
    for event in ("push:", "pull_request:", "merge_group:"):
        assert f"  {event}\n" in text
    foreign = re.findall(r"uses: (actions/\S+)( # v[\d.]+)?\n", text)
    assert len(foreign) == 3
    assert all(re.search(r"@[0-9a-f]{40}$", name) and version for name, version in foreign)
