"""What a command takes from the world around it, handed in so that tests can hand in their own."""

import os
import secrets
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ci_judge.version import __version__

MAX_SEED = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Folder, environment, clocks (seconds) and sources of chance."""

    cwd: Path
    environment: Mapping[str, str]
    wall_clock: Callable[[], float] = time.time
    clock: Callable[[], float] = time.monotonic
    fresh_uuid: Callable[[], str] = lambda: str(uuid.uuid4())
    nonce: Callable[[], str] = lambda: secrets.token_hex(8)
    fresh_seed: Callable[[], int] = lambda: secrets.randbelow(MAX_SEED)
    in_container: bool = False
    user_agent: str = "ci-judge"

    @classmethod
    def real(cls) -> "Surroundings":
        """Take the process's own."""
        return cls(
            cwd=Path.cwd(),
            environment=dict(os.environ),
            user_agent=f"ci-judge/{__version__}",
            in_container=_runs_as_container(),
        )


def _runs_as_container() -> bool:
    """Tell whether a container was started for this command, so that its localhost surprises.

    A shell inside a development container is none: there localhost is where people put servers.
    """
    marked = Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()
    return marked and (os.environ.get("GITHUB_ACTIONS") == "true" or os.getppid() <= 1)
