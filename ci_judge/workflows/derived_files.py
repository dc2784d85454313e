"""Committed files that repeat what the code declares: written, or held against it."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path


def stale_files(made: Mapping[str, str], *, root: Path) -> list[str]:
    """Name the files below ``root`` that are missing, or not as they are made. Path → text."""
    return [name for name, text in made.items() if _content(root / name) != text]


def settle(made: Mapping[str, str], arguments: Sequence[str], *, root: Path, remedy: str) -> int:
    """Write what is stale (--write), else name it on standard error (1: something is).

    ``remedy`` is the command that writes.
    """
    stale = stale_files(made, root=root)
    if list(arguments) == ["--write"]:
        for name in stale:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(made[name], encoding="utf-8", newline="\n")
        return 0
    for name in stale:
        sys.stderr.write(f"{name} is not what the code says; run `{remedy}`\n")
    return 1 if stale else 0


def _content(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None
