"""The folder of the cache: made when it is needed, and kept out of version control."""

from pathlib import Path

_IGNORE_ALL = "# made by ci-judge: nothing in here belongs into a repository\n*\n"


def prepare_cache_folder(folder: Path) -> None:
    """Make the folder if need be; only a new one is told to Git. Raises OSError."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text(_IGNORE_ALL, encoding="utf-8", newline="\n")
