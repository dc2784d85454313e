"""The words of a configured command: a list, or text that is split as a shell would split it."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ci_judge.errors import InvalidInput


def command_words(
    command: str | Sequence[str], *, section: str, environment: Mapping[str, str]
) -> tuple[str, ...]:
    """Return program and arguments.

    ``python`` is the interpreter that runs us where no other is on the path. Raises InvalidInput,
    naming ``section`` ("target.serve.command"), for text that cannot be split or holds no word.
    """
    words = _split(command, section) if isinstance(command, str) else tuple(command)
    if not words:
        raise InvalidInput.of(f"{section} is empty")
    if words[0] == "python" and not shutil.which("python", path=environment.get("PATH")):
        words = (sys.executable, *words[1:])  # a virtual environment that is not activated
    return words


def require_program(
    words: Sequence[str], *, section: str, root: Path, environment: Mapping[str, str]
) -> None:
    """Raise InvalidInput unless there is such a program, on the path or at a path from ``root``."""
    named = words[0]
    program = str(root / named) if os.sep in named else named
    if shutil.which(program, path=environment.get("PATH", os.defpath)) is None:
        raise InvalidInput.of(
            f'{section} names "{named}", which is no program that can be run',
            hint="there is no shell: give one program and its arguments, from the folder of the "
            "configuration",
        )


def _split(text: str, section: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise InvalidInput.of(
            f"{section} cannot be split into words: {error}",
            hint="close the quote, or give the command as a list",
        ) from error
