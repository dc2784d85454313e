"""How tests here come by a case."""

from pathlib import Path

import pytest

from tests.cases.workbench import Open, Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Open:
    """Open a case by its id."""
    return lambda case_id: Workbench(case_id, tmp_path)
