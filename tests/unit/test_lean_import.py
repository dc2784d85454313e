import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent
SCRIPT = """
import sys
from ci_judge.transport.lean_import import without_command_line
with without_command_line():
    import httpx
assert "rich" not in sys.modules and "click" not in sys.modules, "the command line came along"
assert callable(httpx.main)
from httpx._main import main  # whoever wants it later gets it
"""


def test_httpx_comes_without_its_command_line_and_can_still_get_it() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=REPOSITORY, check=True, timeout=60)
