"""Which commit is checked out in a folder, as its .git says: read as files, git is not run."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

_HEAD_BYTES = 1024
_CONFIGURATION_BYTES = 256 * 1024
_PACKED_BYTES = 20 * 1024 * 1024
MOST_FOLDERS = 50_000
_DEEPEST = 4
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFERENCE = re.compile(r"ref: (refs/[\w./+@{}=,-]+)")
_ELSEWHERE = re.compile(r"gitdir: (.+)")


class TooManyFolders(Exception):
    """The rest of the workspace was not looked at."""


def repositories(workspace: Path, *, most_folders: int) -> Iterator[Path]:
    """Yield the folders that hold a ``.git``, the workspace first; not too deep.

    Symbolic links are not followed. Raises TooManyFolders rather than leave any out.
    """
    for number, (folder, folders, files) in enumerate(os.walk(workspace)):
        if number == most_folders:
            raise TooManyFolders
        if ".git" in folders or ".git" in files:
            yield Path(folder)
        deep = len(Path(folder).relative_to(workspace).parts) >= _DEEPEST
        folders[:] = [] if deep else sorted(set(folders) - {".git", "node_modules"})


def repository_of(folder: Path, *, top: Path) -> Path | None:
    """Give the repository that a folder lies in, looking no higher than ``top``."""
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
        if candidate == top:
            break
    return None


def commit_of(repository: Path) -> str | None:
    """Give the hash of the commit that is checked out, None where that cannot be told."""
    try:
        return _commit(_git_folder(repository / ".git"))
    except (OSError, ValueError):
        return None


def configuration_of(repository: Path) -> str:
    """Give git's configuration of the repository, which names where it came from."""
    try:
        git = _git_folder(repository / ".git")
        with (_common_folder(git) / "config").open("rb") as file:
            return file.read(_CONFIGURATION_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _git_folder(git: Path) -> Path:
    """Follow a ``.git`` that is a file, as of a worktree or a submodule."""
    if git.is_dir():
        return git
    elsewhere = _ELSEWHERE.fullmatch(_read(git))
    if elsewhere is None:
        raise ValueError("neither a folder nor a pointer to one")
    return git.parent / elsewhere[1]


def _commit(git: Path) -> str | None:
    head = _read(git / "HEAD")
    if _COMMIT.fullmatch(head):
        return head
    named = _REFERENCE.fullmatch(head)
    if named is None or ".." in named[1]:
        return None
    shared = _common_folder(git)
    return _loose(shared / named[1]) or _packed(shared, named[1])


def _common_folder(git: Path) -> Path:
    """Give the folder that holds the branches, which a worktree shares with its repository."""
    pointer = git / "commondir"
    return git / _read(pointer) if pointer.is_file() else git


def _loose(path: Path) -> str | None:
    found = _read(path) if path.is_file() else ""
    return found if _COMMIT.fullmatch(found) else None


def _packed(git: Path, name: str) -> str | None:
    path = git / "packed-refs"
    if not path.is_file():
        return None
    with path.open("rb") as file:
        text = file.read(_PACKED_BYTES).decode("utf-8", "replace")
    for line in text.splitlines():
        commit, _, reference = line.partition(" ")
        if reference == name and _COMMIT.fullmatch(commit):
            return commit
    return None


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_HEAD_BYTES).decode("utf-8", "replace").strip()
