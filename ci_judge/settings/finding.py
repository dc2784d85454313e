"""Finds the configuration file and reads it."""

import os
from pathlib import Path

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema import LoadedFile, load_toml, load_yaml, read_text

NAMES = ("ci-judge.yaml", "ci-judge.yml", "ci-judge.toml")


def find_config(config: Path | None, cwd: Path, *, top: Path | None = None) -> Path:
    """Give the absolute path of ``config``, or of what ``cwd`` or a folder above it holds.

    The search ends at the root of the repository, and at ``top`` if that is given: the suite of
    somebody else is never meant. Raises InvalidInput when there is none, or two in one folder.
    """
    if config is not None:
        return Path(os.path.abspath(cwd / config))  # noqa: PTH100 - resolve() would follow links
    for folder in (cwd, *cwd.parents):
        found = [folder / name for name in NAMES if (folder / name).is_file()]
        if len(found) > 1:
            raise InvalidInput(_several(found, cwd))
        if found:
            return found[0]
        if folder == top or (folder / ".git").exists():
            break
    raise InvalidInput(
        Problem(
            message=f"no {NAMES[0]} or {NAMES[2]} in this folder or above it",
            hint="`ci-judge init` writes one; --config names another file",
        )
    )


def read_config(path: Path, cwd: Path) -> LoadedFile:
    """Read a configuration file, TOML by its name or else YAML. Raises InvalidInput."""
    shown = shown_name(path, cwd)
    text = read_text(path, file=shown)
    if path.suffix.lower() == ".toml":
        return load_toml(text, file=shown)
    return load_yaml(text, file=shown)


def shown_name(path: Path, cwd: Path) -> str:
    """Name a file relative to the working directory when it is below it."""
    return (path.relative_to(cwd) if path.is_relative_to(cwd) else path).as_posix()


def _several(found: list[Path], cwd: Path) -> Problem:
    names = " and ".join(path.name for path in found)
    return Problem(
        message=f"the folder holds {names}",
        hint="keep one of them, or name one with --config",
        place=Place(file=shown_name(found[0], cwd)),
    )
