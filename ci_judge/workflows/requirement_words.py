"""What the input ``requirements`` says: a requirements file, or words for pip."""

import contextlib
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from ci_judge.errors import InvalidInput

_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
_PACKAGED = (".whl", ".zip", ".gz", ".bz2", ".xz")
_LISTS = (".txt", ".in", ".lock")
_FILE_OPTIONS = ("-r", "--requirement")
_LARGEST_BYTES = 1024 * 1024
_INPUT = 'input "requirements"'


def pip_words(text: str, *, cwd: Path) -> tuple[str, ...]:
    """Split as a shell would, without one; a lone file is what ``-r`` takes.

    Raises InvalidInput.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InvalidInput.of(
            f"{_INPUT} cannot be split into words: {error}", hint="close the quote"
        ) from error
    if len(words) != 1 or words[0].startswith("-"):
        return tuple(words)
    if _is_list(cwd / words[0]):
        return "-r", words[0]
    if words[0].endswith(_LISTS):
        raise InvalidInput.of(
            f'{_INPUT} names "{words[0]}", which is no file',
            hint="paths start at the working directory, inside the workspace",
        )
    return (words[0],)


def _is_list(path: Path) -> bool:
    try:
        return path.is_file() and not path.name.endswith(_PACKAGED)
    except (OSError, ValueError):  # a name that no path can have
        return False


def builds_here(words: Sequence[str], *, cwd: Path) -> bool:
    """Tell whether a project in a folder is among the words, or in the files that they name."""
    pending, seen = [list(words)], set[str]()
    while pending:
        line = pending.pop()
        if any(_is_project(cwd, word) for word in line):
            return True
        new = [name for name in _list_names(line) if name not in seen]
        seen.update(new)
        pending.extend(words for name in new for words in _listed(cwd / name))
    return False


def _is_project(cwd: Path, word: str) -> bool:
    place = word.removeprefix("--editable=").removeprefix("-e").partition("[")[0]
    place = place.removeprefix("file://").removeprefix("file:") or "."
    if word in {"-e", "--editable"} or (word.startswith("-") and not word.startswith("-e")):
        return word.startswith("--editable=") and _holds_project(cwd / place)
    return _holds_project(cwd / place)


def _holds_project(folder: Path) -> bool:
    try:
        return any((folder / name).is_file() for name in _PROJECT_FILES)
    except (OSError, ValueError):  # a name that no path can have
        return False


def _list_names(words: Sequence[str]) -> Iterator[str]:
    """Yield the files that ``-r`` names, with or without a space."""
    for word, after in zip(words, [*words[1:], ""], strict=False):
        if word in _FILE_OPTIONS:
            yield after
        elif word.startswith("--requirement="):
            yield word.removeprefix("--requirement=")
        elif word.startswith("-r"):
            yield word.removeprefix("-r")


def _listed(file: Path) -> Iterator[list[str]]:
    """Yield the lines of a requirements file, in words."""
    try:
        if file.stat().st_size > _LARGEST_BYTES:
            return
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, ValueError):  # pip will have something to say about it
        return
    for line in lines:
        with contextlib.suppress(ValueError):  # likewise
            yield shlex.split(line, comments=True)
