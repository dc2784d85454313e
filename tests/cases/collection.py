"""The collection of cases drawn from real reports. It is kept outside of this repository.

``CASES_DIR`` names its folder; where there is none, every test here is skipped and says so.
"""

import importlib.util
import json
import os
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

_BESIDE_THE_REPOSITORY = Path(__file__).parents[3] / "shared" / "cases"

CASES_DIR = Path(os.environ.get("CASES_DIR") or _BESIDE_THE_REPOSITORY)


def required() -> None:
    """Skip the whole module where the collection is not; nobody is promised that it is."""
    if not all((CASES_DIR / name).is_dir() for name in ("files", "harness")):
        pytest.skip(
            "the collection of cases is not here (CASES_DIR names its folder)",
            allow_module_level=True,
        )


def folder_of(case_id: str) -> Path:
    return CASES_DIR / "files" / case_id


def suite_of(case_id: str) -> dict[str, Any]:
    """Give how the case's folder is used; empty for a case that is not a run."""
    case = json.loads((folder_of(case_id) / "case.json").read_text(encoding="utf-8"))
    return case["suite"] or {}


def all_ids() -> set[str]:
    return {path.parent.name for path in (CASES_DIR / "files").glob("*/case.json")}


def ids_with_a_test() -> set[str]:
    """Read off the names of the test functions which cases they stand for."""
    source = "".join(
        path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.py")
    )
    return {found.upper() for found in re.findall(r"def test_(h\d\d)_", source)}


def mechanical_checks() -> ModuleType:
    """Import the collection's own checks from where they are."""
    spec = importlib.util.spec_from_file_location(
        "cases_checks", CASES_DIR / "harness" / "checks.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
