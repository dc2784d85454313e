"""Output files belong to whom the workspace belongs to, also when root has written them."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

ChangeOwner: TypeAlias = Callable[[Path, int, int], None]
"""(path, uid, gid): makes a path theirs, a link itself and not what it leads to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heir:
    """Who gets what was written below ``top``, the workspace; ``we`` is who wrote it."""

    top: Path
    uid: int
    gid: int
    we: int


def heir_of(top: Path, *, we: int) -> Heir | None:
    """Give who the files below ``top`` are due to; None where they are theirs, or nobody can.

    Only root may give files away.
    """
    try:
        found = top.stat()
    except OSError:
        return None
    if we != 0 or found.st_uid == we:
        return None
    return Heir(top=top, uid=found.st_uid, gid=found.st_gid, we=we)


def hand_over(
    paths: Iterable[Path],
    heir: Heir,
    *,
    change_owner: ChangeOwner = lambda path, uid, gid: os.chown(
        path, uid, gid, follow_symlinks=False
    ),
) -> None:
    """Make theirs what is ours among the paths, below them, and above them up to the workspace.

    What belongs to anybody else, or lies outside of the workspace, stays as it is: a configuration
    may name any folder. Raises nothing: a report that its reader may not delete is better than
    none.
    """
    places = (place for place in map(_place, paths) if place.is_relative_to(heir.top))
    for path in places:
        for each in (*_above(path, heir.top), *_tree(path)):
            with contextlib.suppress(OSError):
                if each.lstat().st_uid == heir.we:
                    change_owner(each, heir.uid, heir.gid)


def _place(path: Path) -> Path:
    """Say where it really lies; a link lies where it is, not where it leads to."""
    return Path(os.path.normpath(Path(os.path.realpath(path.parent)) / path.name))


def _above(path: Path, top: Path) -> Iterator[Path]:
    yield from (folder for folder in path.parents if folder != top and folder.is_relative_to(top))


def _tree(path: Path) -> Iterator[Path]:
    yield path
    if path.is_symlink():
        return
    for folder, folders, files in os.walk(path):
        yield from (Path(folder, name) for name in (*folders, *files))
