"""A user for child processes, where we are root: they reach neither us nor what is ours."""

import contextlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NAME = "ci-judge"
_REFUSED = re.compile(
    r"PermissionError|permission denied|EACCES|read-?only|unable to open", re.IGNORECASE
)
_HINT = (
    "it runs as a user of its own, who may read the workspace but not write into it: see"
    " CI_JUDGE_CHILDREN_RUN_AS in the README"
)
_PLACES = ("HOME", "TMPDIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildUser:
    """Who child processes run as.

    ``folder`` belongs to them and nobody else reads it; ``inherited`` is our own environment,
    whose home and folder for temporary files are not theirs. ``apart`` says that nothing else in
    the world runs as them, so that all that does may be ended.
    """

    uid: int
    gid: int
    folder: Path
    inherited: Mapping[str, str]
    apart: bool

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    def hint(self, said: str) -> str | None:
        """Explain a refusal that a child tells of, which its user may be the reason for."""
        return _HINT if _REFUSED.search(said) else None

    def make_folders(self) -> None:
        """Make what is theirs alone. Raises OSError."""
        for path in (self.folder, self.home, self.temporary):
            path.mkdir(mode=0o700, exist_ok=True)
            os.chown(path, self.uid, self.gid)

    def options(self) -> dict[str, Any]:
        """Say it as subprocesses are told: no group but their own."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """Put their own places where ours were passed on; what was set for them stays."""
        own = {"HOME": str(self.home), "TMPDIR": str(self.temporary)}
        kept = {
            name: text
            for name, text in given.items()
            if name not in _PLACES or text != self.inherited.get(name)
        }
        return {**own, "USER": _NAME, "LOGNAME": _NAME, **kept}

    def own(self, *descriptors: int) -> None:
        """Let them open their own streams again by name (/dev/stdout), as scripts do."""
        for each in descriptors:
            with contextlib.suppress(OSError):
                os.fchown(each, self.uid, self.gid)
