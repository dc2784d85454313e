"""Finds the configuration file and reads it."""

import os
from collections.abc import Iterator
from pathlib import Path

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema import LoadedFile, load_toml, load_yaml, read_text

NAMES = ("ci-judge.yaml", "ci-judge.yml", "ci-judge.toml")
_NEARLY = (
    *(f"{stem}.{end}" for stem in ("ci_judge", "cijudge", ".ci-judge") for end in ("yaml", "yml")),
    "ci_judge.toml",
    "ci-judge.json",
    "ci-judge.yaml.txt",
)
_ELSES = frozenset({"node_modules", "venv", "site-packages", "__pycache__"})
_MOST_FOLDERS = 200
_DEEPEST = 2


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
            hint=_perhaps_meant(cwd) or "`ci-judge init` writes one; --config names another file",
        )
    )


def _perhaps_meant(cwd: Path) -> str | None:
    """Name what lies below and is a configuration, or here and is nearly named like one."""
    below = list(_below(cwd))
    if below:
        return f"there is {below[0]}: change to its folder, or say --config {below[0]}"
    for name in _NEARLY:
        if (cwd / name).is_file():
            return f"is {name} meant? Call it {NAMES[0]}, or say --config {name}"
    return None


def _below(cwd: Path) -> Iterator[str]:
    """Yield the configurations in the folders below, the nearest first, after a bounded look."""
    folders = [cwd]
    for looked, folder in enumerate(folders):
        if looked >= _MOST_FOLDERS:
            return
        try:
            inner = _folders_in(folder)
        except OSError:
            continue
        for each in inner:
            yield from (shown_name(each / name, cwd) for name in NAMES if _is_file(each / name))
        if folder == cwd or len(folder.relative_to(cwd).parts) < _DEEPEST:
            folders += inner


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # in a folder that may be listed but not entered
        return False


def _folders_in(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        names = sorted(each.name for each in entries if each.is_dir(follow_symlinks=False))
    return [folder / name for name in names if name[0] != "." and name not in _ELSES]


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
