"""What a command takes from the world around it, handed in so that tests can hand in their own."""

import os
import secrets
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ci_judge.errors import InvalidInput
from ci_judge.version import __version__

MAX_SEED = 2**53
_CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Folder, environment, clocks (seconds) and sources of chance.

    ``we`` is the user id that we run as. ``unattended``: in CI, or in a container for this command
    alone, where nobody's own files are at hand and children need not be who we are.
    """

    cwd: Path
    environment: Mapping[str, str]
    wall_clock: Callable[[], float] = time.time
    clock: Callable[[], float] = time.monotonic
    fresh_uuid: Callable[[], str] = lambda: str(uuid.uuid4())
    nonce: Callable[[], str] = lambda: secrets.token_hex(8)
    hex_id: Callable[[int], str] = secrets.token_hex
    fresh_seed: Callable[[], int] = lambda: secrets.randbelow(MAX_SEED)
    in_container: bool = False
    user_agent: str = "ci-judge"
    we: int = field(default_factory=os.geteuid)
    unattended: bool = False

    @classmethod
    def real(cls) -> "Surroundings":
        """Take the process's own. Raises InvalidInput where its folder is gone."""
        on_github = os.environ.get("GITHUB_ACTIONS") == "true"
        in_container = localhost_surprises(
            in_container=any(Path(mark).exists() for mark in _CONTAINER_MARKS),
            on_github=on_github,
            parent_pid=os.getppid(),
        )
        return cls(
            cwd=_working_directory(),
            environment=dict(os.environ),
            user_agent=f"ci-judge/{__version__}",
            in_container=in_container,
            unattended=in_container or on_github or os.environ.get("CI") == "true",
        )


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise InvalidInput.of(
            f"the working directory cannot be used: {error.strerror or error}",
            hint="it may have been deleted; change to another",
        ) from error


def localhost_surprises(*, in_container: bool, on_github: bool, parent_pid: int) -> bool:
    """Tell whether a container was started for this command, whose localhost is not the user's.

    A shell in a development container does not count: people start their servers beside it.
    """
    return in_container and (on_github or parent_pid <= 1)
