"""Folders of a suite that setuptools takes for packages of the project that they lie in.

Where a project says nothing of its packages, setuptools looks for them: each folder at the top
whose name could be one, with or without ``__init__.py``. Two of them end ``pip install``; where a
project is made of modules, one folder is installed in their place.
"""

import configparser
import json
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ci_judge.errors import Problem

_PYPROJECT, _SETUP_CFG, _SETUP_PY = "pyproject.toml", "setup.cfg", "setup.py"
_EXPLICIT = frozenset({"packages", "py_modules", "package_dir", "ext_modules"})
_NO_PACKAGES = (
    *("ci", "bin", "debian", "doc", "docs", "documentation", "manpages", "news", "newsfragments"),
    *("changelog", "test", "tests", "unit_test", "unit_tests", "example", "examples", "scripts"),
    *("tools", "util", "utils", "python", "build", "dist", "venv", "env", "requirements", "tasks"),
    *("fabfile", "site_scons", "benchmark", "benchmarks", "exercise", "exercises", "htmlcov"),
    *("__pycache__", "[._]*"),
)
_NO_MODULES = (
    *("setup", "conftest", "test", "tests", "example", "examples", "build", "toxfile", "noxfile"),
    *("pavement", "dodo", "tasks", "fabfile", "case_*", "[._]*", "[Ss][Cc]onstruct", "conanfile"),
    *("manage", "benchmark", "benchmarks", "exercise", "exercises"),
)
_LABELS = "calibration"


def taken_for_packages(root: Path, *, paths: Iterable[str]) -> Problem | None:
    """Say which folders of a suite would be packages of the project in ``root``, and the remedy.

    ``paths`` are those of the suite, as its configuration names them. None where nothing is wrong.
    """
    if not _looks_for_packages(root):
        return None
    names = {path.removeprefix("./").partition("/")[0] for path in paths} | {_LABELS}
    packages = _packages(root)
    taken = [name for name in packages if name in names and not _is_marked(root / name)]
    own = [name for name in packages if name not in taken]
    modules = [] if own else _modules(root)
    if not taken or not (own or modules):
        return None
    folders = " and ".join(f'"{name}"' for name in taken)
    return Problem(
        message=f"setuptools takes {folders} for a package of this project: {_harm(own)}",
        hint=f"write {_remedy(own, modules)} into {_PYPROJECT}",
    )


def _harm(own: list[str]) -> str:
    if own:
        return "pip install -e . fails, for more than one was found"
    return "it is installed in the place of your modules"


def _remedy(own: list[str], modules: list[str]) -> str:
    if own:
        wanted = json.dumps([f"{name}*" for name in own], ensure_ascii=False)
        return f"include = {wanted} under [tool.setuptools.packages.find]"
    return f"py-modules = {json.dumps(modules, ensure_ascii=False)} under [tool.setuptools]"


# --- what setuptools would do ------------------------------------------------------------


def _looks_for_packages(root: Path) -> bool:
    """Tell whether this is a project of setuptools that leaves the search for packages to it."""
    if (root / "src").is_dir():
        return False
    pyproject = _pyproject(root / _PYPROJECT)
    if not _is_of_setuptools(root, pyproject):
        return False
    settings = pyproject.get("tool", {}).get("setuptools", {})
    said = {str(key).replace("-", "_") for key in settings} | _options(root / _SETUP_CFG)
    script = _text(root / _SETUP_PY)
    return not said & _EXPLICIT and not any(word in script for word in _EXPLICIT)


def _is_of_setuptools(root: Path, pyproject: Mapping[str, Any]) -> bool:
    backend = pyproject.get("build-system", {}).get("build-backend")
    if backend is not None:
        return str(backend).startswith("setuptools")
    if "project" in pyproject or "build-system" in pyproject:
        return True
    return (root / _SETUP_PY).is_file() or bool(_options(root / _SETUP_CFG))


def _pyproject(path: Path) -> Mapping[str, Any]:
    """Read the tables that matter; what is no table is left to pip to complain about."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}
    tables = {key: value for key, value in found.items() if isinstance(value, dict)}
    setuptools = tables.get("tool", {}).get("setuptools")
    return tables if isinstance(setuptools, dict) else {**tables, "tool": {}}


def _options(path: Path) -> frozenset[str]:
    reader = configparser.RawConfigParser()
    with suppress(configparser.Error):
        reader.read_string(_text(path))
    found = reader.options("options") if reader.has_section("options") else ()
    return frozenset(name.replace("-", "_") for name in found)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _packages(root: Path) -> list[str]:
    folders = (path.name for path in root.iterdir() if path.is_dir())
    return sorted(name for name in folders if _may_be(name, _NO_PACKAGES))


def _modules(root: Path) -> list[str]:
    files = (path.stem for path in root.glob("*.py") if path.is_file())
    return sorted(name for name in files if _may_be(name, _NO_MODULES))


def _may_be(name: str, none: Iterable[str]) -> bool:
    return name.isidentifier() and not any(fnmatchcase(name, pattern) for pattern in none)


def _is_marked(folder: Path) -> bool:
    return (folder / "__init__.py").is_file()
