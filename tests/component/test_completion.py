"""What a shell completes, asked as a shell asks; and the example of every command's help."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ci_judge.cli.completion import script
from ci_judge.cli.front import COMMANDS, run_command_line
from tests.tools import tool

REPOSITORY = Path(__file__).parent.parent.parent
BASH = """
eval "$("$1" completion bash)"
COMP_WORDS=(ci-judge {words})
COMP_CWORD={last}
_ci_judge_completion "$1"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completed(folder: Path, *words: str) -> list[str]:
    """Let a real bash complete the last word."""
    program = folder / "ci-judge"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ci_judge "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        [
            *(tool("bash"), "--norc", "-c"),
            BASH.format(words=" ".join(words), last=len(words)),
            *("bash", str(program)),
        ],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands(tmp_path: Path) -> None:
    assert completed(tmp_path, "re") == ["rejudge", "regate", "render"]


def test_bash_completes_the_options_of_a_command(tmp_path: Path) -> None:
    found = completed(tmp_path, "run", "--max-")
    assert {"--max-cost", "--max-requests"} <= set(found)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["completion", shell]) == 0
    assert capsys.readouterr().out.strip() == script(shell).strip()
    assert f"_CI_JUDGE_COMPLETE={shell}_complete" in script(shell)


def test_another_shell_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["completion", "tcsh"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "'bash', 'zsh', 'fish'" in line


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_shows_an_example_of_it(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line([name, "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Example: " in text
    assert f"ci-judge {name}" in text.partition("Example: ")[2]
