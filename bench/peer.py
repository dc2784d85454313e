"""juried, the nearest peer, in a virtual environment of its own: for the same work side by side."""

import subprocess
import venv
from pathlib import Path

VERSION = "0.4.1"


def installed_peer(folder: Path) -> Path | None:
    """Return the peer's program, installed once into ``folder``; None where that fails."""
    program = folder / "bin" / "juried"
    if program.exists():
        return program
    try:
        venv.create(folder, with_pip=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", f"juried=={VERSION}"]
        subprocess.run(pip, check=True, timeout=600)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"juried {VERSION} cannot be installed, its columns stay empty: {error}")
        return None
    return program if program.exists() else None


def peer_command(program: Path) -> list[str]:
    return [str(program), "run", "--config", "juried.toml"]
