"""Outside tools that some tests need: missing they are a skip, or a failure where CI promised them.

``REQUIRE_TOOLS=1`` (set by ``.ci/run``, which installs them) turns each such skip into a failure.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

import pytest

_REQUIRED = os.environ.get("REQUIRE_TOOLS") == "1"


def tool(name: str) -> str:
    """Give the path of a command, looked for beside the interpreter and on the path."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        missing(f"the command {name} is not installed")
    return found


def missing(what: str) -> NoReturn:
    """Skip the test for a reason, or fail it where the tool was promised."""
    if _REQUIRED:
        pytest.fail(f"{what}, and REQUIRE_TOOLS is set")
    pytest.skip(what)
