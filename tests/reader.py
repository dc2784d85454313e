"""Somebody who does what a page of the documentation says, in an empty folder.

Marks in HTML comments say what a block is: ``file: NAME`` is written, ``run: CODE`` is run and must
end with that exit code, ``prints`` must be what the command before it printed.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.documents import ROOT, Block
from tests.e2e.commands import LONGEST_SECONDS

ACTIONS = ("file", "run", "prints")
_VARYING = (
    (re.compile(r"\brun \d+:"), "run N:"),
    (re.compile(r"\bseed \d+"), "seed N"),
    (re.compile(r"\b\d+\.\d+ s\b"), "N s"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)


class Reader:
    """Does one block after the other, with the ``ci-judge`` and ``python`` of the tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "empty"
        self.printed = ""
        self._bin = folder / "bin"
        for path in (self.folder, self._bin):
            path.mkdir()
        self._command("python", f'exec {sys.executable} "$@"')
        self._command("ci-judge", f'exec {sys.executable} -W error -m ci_judge "$@"')

    def _command(self, name: str, line: str) -> None:
        (self._bin / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (self._bin / name).chmod(0o755)

    def follow(self, block: Block) -> None:
        """Do what a block says; what has no mark of ours is only read."""
        action, _, argument = block.mark.partition(": ")
        match action:
            case "file":
                path = self.folder / argument
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            case "run":
                self._run(block, exit_code=int(argument))
            case "prints":
                assert agrees(block.text, self.printed), f"{block}\n{self.printed}"
            case _:
                pass

    def _run(self, block: Block, *, exit_code: int) -> None:
        done = subprocess.run(
            ["sh", "-euc", block.text],
            cwd=self.folder,
            env={
                "PATH": f"{self._bin}:{os.environ['PATH']}",
                "HOME": str(self.folder.parent),
                "PYTHONPATH": str(ROOT),
                "PYTHONIOENCODING": "utf-8",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=LONGEST_SECONDS,
            check=False,
        )
        assert done.returncode == exit_code, f"{block}\n{done.stdout}"
        self.printed = done.stdout


def agrees(shown: str, printed: str) -> bool:
    """Compare line by line; a line "…" stands for any lines."""
    pattern = "".join(
        "(?:.*\n)*?" if line == "…" else re.escape(line) + "\n"
        for line in _without_varying(shown).splitlines()
    )
    return re.fullmatch(pattern, _without_varying(printed)) is not None


def _without_varying(text: str) -> str:
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return text
