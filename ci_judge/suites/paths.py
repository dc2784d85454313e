"""Which files make up a suite: criteria, scenarios and cases, found by file, folder or glob."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema.wording import did_you_mean

DEFAULT_CRITERIA = "acceptance.md"
DEFAULT_PATHS = "scenarios"
_CASE = re.compile(rb"@(?:\w+\.)*case\b")
_YAML = frozenset({".yaml", ".yml"})
_SKIPPED_FOLDERS = frozenset({"__pycache__", ".venv", "venv", "node_modules", "calibration"})
_SKIPPED_FILES = ("ci-judge.y*ml", "ci-judge.*.y*ml", "waivers.yaml", "waivers.yml", ".*")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFiles:
    """The files of a suite, each once, in the order in which they are read.

    ``stray_cases`` match the pattern of case files and lie where nobody looks for them.
    """

    criteria_files: tuple[Path, ...] = ()
    scenario_files: tuple[Path, ...] = ()
    case_files: tuple[Path, ...] = ()
    stray_cases: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """What one search needs to know, and the real paths it has met (each counts once)."""

    root: Path
    pattern: str
    skip: frozenset[Path]
    place: Callable[[str], Place | None]
    met: set[Path] = field(default_factory=set)


def find_files(
    root: Path,
    *,
    criteria: Sequence[str] | None,
    paths: Sequence[str] | None,
    pattern: str,
    skip: Collection[Path] = (),
    place: Callable[[str], Place | None] = lambda _: None,
) -> FoundFiles:
    """Find the files of a suite below ``root``, the folder of the configuration.

    ``criteria`` and ``paths`` are files, folders or globs; None stands for ``acceptance.md`` and
    ``scenarios``, where these exist. Folders are searched all the way down, sorted. ``pattern``
    names the case files in them; every YAML file in them is taken for a scenario file, but for
    the configuration (``skip``), ``ci-judge*.yaml``, waivers, calibration files and dot-files.
    ``place`` says where a key of the configuration stands.
    Raises InvalidInput with every path that yields nothing.
    """
    skipped = frozenset(_real(each) for each in skip)
    search = _Search(root=root, pattern=pattern, skip=skipped, place=place)
    problems: list[Problem] = []
    criteria_files = _criteria_files(search, criteria, problems)
    tests = _test_files(search, paths, problems)
    if problems:
        raise InvalidInput(*problems)
    return FoundFiles(
        criteria_files=tuple(criteria_files),
        scenario_files=tuple(path for path in tests if _is_yaml(path)),
        case_files=tuple(path for path in tests if not _is_yaml(path)),
        stray_cases=tuple(_stray_cases(search, deep=paths is None)),
    )


def _stray_cases(search: _Search, *, deep: bool) -> Iterator[Path]:
    """Yield case files beside the configuration, or one folder down, that belong to no suite."""
    here = _entries(search.root)
    below = [entry for entry in here if entry.is_dir() and not is_skipped_folder(entry.name)]
    for file in (*here, *(file for folder in below if deep for file in _entries(folder))):
        is_new = _real(file) not in search.met
        if is_new and fnmatch(file.name, search.pattern) and holds_case(file):
            yield file


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def holds_case(file: Path) -> bool:
    """Tell whether it seems to be a case file: Python that says ``@case`` or ``@….case``."""
    try:
        return file.suffix == ".py" and _CASE.search(file.read_bytes()) is not None
    except OSError:
        return False


def _criteria_files(
    search: _Search, wanted: Sequence[str] | None, problems: list[Problem]
) -> list[Path]:
    if wanted is None:
        default = search.root / DEFAULT_CRITERIA
        return [default] if default.is_file() else []
    found: list[Path] = []
    for text in wanted:
        matches = [path for path in _matches(search.root, text) if path.is_file()]
        if not matches:
            problems.append(_nothing(search, "criteria", text, "names no Markdown file"))
        found += [path for path in matches if path not in found]
    return found


def _test_files(
    search: _Search, wanted: Sequence[str] | None, problems: list[Problem]
) -> list[Path]:
    if wanted is None:
        wanted = [DEFAULT_PATHS] if (search.root / DEFAULT_PATHS).exists() else []
    found: list[Path] = []
    for text in wanted:
        files, problem = _tests_at(search, text)
        found += files
        problems += [problem] if problem else []
    return found


def _tests_at(search: _Search, text: str) -> tuple[list[Path], Problem | None]:
    """Return the new test files at one entry of suite.paths, or why there is none at all."""
    try:
        matches = _matches(search.root, text)
        named = not _is_glob(text) or text.endswith((".py", ".yaml", ".yml"))
        files = [file for match in matches for file in _files_at(search, match, named=named)]
    except OSError as error:
        return [], _nothing(search, "paths", text, f"cannot be read: {error.strerror}")
    if not matches:
        what = "matches nothing" if _is_glob(text) else "does not exist"
        return [], _nothing(search, "paths", text, what)
    if not files:
        what = f'holds no scenario file (*.yaml) and no case "{search.pattern}"'
        return [], _nothing(search, "paths", text, what)
    return [file for file in files if _is_new(search, file)], None


def _files_at(search: _Search, match: Path, *, named: bool) -> Iterable[Path]:
    if match.is_dir():
        return (file for file in _walk(match, above=()) if _is_wanted(search, file))
    if named and _real(match) not in search.skip and (match.suffix == ".py" or _is_yaml(match)):
        return [match]
    return [match] if _is_wanted(search, match) else []


def _walk(folder: Path, *, above: tuple[Path, ...]) -> Iterator[Path]:
    """Yield all files below a folder, sorted by name; a link back to a folder above ends there."""
    here = _real(folder)
    if here in above:
        return
    for entry in sorted(folder.iterdir(), key=lambda path: path.name):
        if entry.is_dir():
            if not is_skipped_folder(entry.name):
                yield from _walk(entry, above=(*above, here))
        elif entry.is_file():
            yield entry


def is_skipped_folder(name: str) -> bool:
    """Tell whether a folder of this name is passed over where others are searched."""
    return name in _SKIPPED_FOLDERS or name.startswith(".")


def _is_wanted(search: _Search, file: Path) -> bool:
    if _real(file) in search.skip or any(fnmatch(file.name, each) for each in _SKIPPED_FILES):
        return False
    return _is_yaml(file) or fnmatch(file.name, search.pattern)


def _is_yaml(file: Path) -> bool:
    return file.suffix.lower() in _YAML


def _is_new(search: _Search, file: Path) -> bool:
    real = _real(file)
    if real in search.met:
        return False
    search.met.add(real)
    return True


def _matches(root: Path, text: str) -> list[Path]:
    """Return what a path or glob names, sorted; relative ones start at ``root``."""
    path = root / text
    if path.exists():
        return [path]
    parts = path.parts
    first = next((at for at, part in enumerate(parts) if _is_glob(part)), len(parts))
    base = Path(*parts[:first])
    if first == len(parts) or not base.is_dir():
        return []
    try:
        matches = sorted(base.glob("/".join(parts[first:])))
    except ValueError:  # such as "**.yaml" before Python 3.13
        return []
    return [match for match in matches if not _is_hidden(match, base=base)]


def _real(path: Path) -> Path:
    """Follow links; one that leads to itself, which Python below 3.13 does not bear, stays."""
    return Path(os.path.realpath(path))


def _is_glob(text: str) -> bool:
    return any(letter in text for letter in "*?[")


def _is_hidden(path: Path, *, base: Path) -> bool:
    return any(is_skipped_folder(part) for part in path.relative_to(base).parts)


def _nothing(search: _Search, key: str, text: str, what: str) -> Problem:
    path = search.root / text
    beside = [entry.name for entry in _entries(path.parent)] if not path.exists() else []
    return Problem(
        message=f'suite.{key}: "{text}" {what}',
        hint=did_you_mean(path.name, beside) or "paths start at the configuration",
        place=search.place(f"suite.{key}"),
    )
