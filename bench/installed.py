"""How much a package brings along, installed into a virtual environment of its own."""

import subprocess
import venv
from collections.abc import Sequence
from pathlib import Path

_PIP = ("pip", "setuptools", "pkg_resources", "wheel", "_distutils_hack", "distutils-precedence")


def installed_mib(folder: Path, packages: Sequence[str]) -> float:
    """Return the MiB of what is installed besides pip, with the bytecode that pip writes.

    ``packages`` are installed first; without any the environment is there already.
    """
    if packages:
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", *packages]
        subprocess.run(pip, check=True, timeout=600)
    (site,) = folder.glob("lib/python*/site-packages")
    files = (path for path in site.rglob("*") if path.is_file())
    kept = (path for path in files if not path.relative_to(site).parts[0].startswith(_PIP))
    return sum(path.stat().st_size for path in kept) / 1024**2
