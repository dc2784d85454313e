"""Tests here need the collection of cases; without it they are skipped, whatever was promised."""

from pathlib import Path

import pytest

from tests.cases.collection import ABSENT, is_here
from tests.cases.workbench import Open, Workbench


@pytest.fixture(autouse=True)
def _collection() -> None:
    if not is_here():
        pytest.skip(ABSENT)


@pytest.fixture
def bench(tmp_path: Path) -> Open:
    """Open a case by its id."""
    return lambda case_id: Workbench(case_id, tmp_path)
