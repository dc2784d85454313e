"""What a first configuration and workflow say where Python cases are all that is tested."""

import json
import re
import tomllib
from pathlib import Path

from ci_judge.suites.paths import holds_case, is_skipped_folder
from ci_judge.visible_text import no_lone_surrogates

_PLAIN_PATH = re.compile(r"(?!(?i:null)\Z)[A-Za-z_][\w./*-]*")
_PATHS = "  paths: [cases]"
_FIRST_INPUT = "          max-requests:"
_MEANING = "# what the cases import: a file, or words for pip"


def case_files(folder: Path) -> list[Path]:
    """Give the case files of a folder and of those one down, as far as a look around tells.

    Without those that no search finds, or that the configuration cannot name.
    """
    patterns = ("case_*.py", "*/case_*.py")
    found = sorted(path for pattern in patterns for path in folder.glob(pattern))
    return [path for path in found if _is_one(path, path.parent.relative_to(folder).name)]


def _is_one(path: Path, folder: str) -> bool:
    is_text = no_lone_surrogates(folder) == folder
    return is_text and not is_skipped_folder(folder) and holds_case(path)


def with_paths(text: str, folder: Path) -> str:
    """Name in the text of the starter configuration where the case files are, if any are."""
    parents = dict.fromkeys(path.parent.relative_to(folder) for path in case_files(folder))
    names = ["case_*.py" if parent == Path() else parent.as_posix() for parent in parents]
    if not names:
        return text
    listed = ", ".join(map(_scalar, sorted(names)))
    return text.replace(_PATHS, f"  paths: [{listed}]", 1)


def with_requirements(text: str, folder: Path) -> str:
    """Name in the text of the starter workflow what the cases of a repository need installed."""
    needed = _needed(folder)
    line = f"requirements: {needed} {_MEANING}" if needed else f"# requirements: -e . {_MEANING}"
    return text.replace(_FIRST_INPUT, f"          {line}\n{_FIRST_INPUT}", 1)


def _scalar(name: str) -> str:
    return name if _PLAIN_PATH.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _needed(folder: Path) -> str | None:
    if (folder / "setup.py").is_file() or _is_project(folder / "pyproject.toml"):
        return "-e ."
    return "requirements.txt" if (folder / "requirements.txt").is_file() else None


def _is_project(path: Path) -> bool:
    """Tell whether pip can install what a pyproject.toml describes; many only configure tools."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return False
    return "project" in tables or "build-system" in tables
