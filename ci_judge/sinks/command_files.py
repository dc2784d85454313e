"""The files in which a step gives the runner commands: none but ours may come out of it."""

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

VARIABLES = (
    "GITHUB_ENV",
    "GITHUB_OUTPUT",
    "GITHUB_PATH",
    "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandFiles:
    """What these files held before anybody else's code ran; None for one that was not there."""

    starting: Mapping[str, tuple[Path, bytes | None]]

    @classmethod
    def remember(cls, environment: Mapping[str, str]) -> "CommandFiles":
        """Read them all, as far as the environment names them.

        What is there and no file, such as /dev/stdout, is nothing that could be restored.
        """
        named = {name: Path(environment[name]) for name in VARIABLES if environment.get(name)}
        files = {name: path for name, path in named.items() if not _is_no_file(path)}
        return cls(starting={name: (path, _content(path)) for name, path in files.items()})

    def restore(self) -> tuple[str, ...]:
        """Undo what was written since, once nobody is left to write; names what was changed.

        Raises nothing: what cannot be written is found out when we write our own lines.
        """
        changed = []
        for name, (path, content) in self.starting.items():
            found = _content(path, most_bytes=len(content or b"") + 1)
            odd = path.is_symlink() or (content is None and path.exists())
            if found != content or odd:
                changed.append(name)
                with contextlib.suppress(OSError):
                    _put(path, content)
        return tuple(changed)


def _is_no_file(path: Path) -> bool:
    try:
        return path.exists() and not path.is_file()
    except OSError:
        return False


def _content(path: Path, *, most_bytes: int = -1) -> bytes | None:
    """Read a file; a pipe, from which nothing may ever come, is none."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(most_bytes)
    except OSError:
        return None


def _put(path: Path, content: bytes | None) -> None:
    """Write into the same file where it still is one, so that it stays its owner's."""
    if path.is_symlink() or not path.is_file() or content is None:
        path.unlink(missing_ok=True)
    if content is not None:
        fresh = not path.exists()
        path.write_bytes(content)
        if fresh:
            folder = path.parent.stat()
            os.chown(path, folder.st_uid, folder.st_gid)
