"""Targets at an address of this machine, which the action's container will look for in vain."""

from collections.abc import Iterator
from pathlib import Path

from ci_judge.errors import Problem
from ci_judge.settings import Settings
from ci_judge.transport import is_loopback, url_host
from ci_judge.workflows.initialise import ACTION

_MOST_CHARS = 100_000


def unreachable_in_ci(settings: Settings) -> Iterator[Problem]:
    """Yield each target whose address is this machine's, where a workflow runs the container."""
    sections = {"target": settings.target}
    sections |= {f"targets.{name}": target for name, target in settings.targets.items()}
    near = {
        section: url_host(target.url)
        for section, target in sections.items()
        if target is not None and target.url is not None and target.serve is None
    }
    near = {section: host for section, host in near.items() if is_loopback(host)}
    if near and _runs_the_container(settings.root):
        for section, host in near.items():
            yield Problem(
                message=f"{section}.url names {host}, where nobody listens in the workflow: the "
                "action runs in a container of its own",
                hint=f"let {section}.serve start your service, or name an address that CI reaches",
                place=settings.place(f"{section}.url"),
            )


def _runs_the_container(root: Path) -> bool:
    files = (root / ".github/workflows").glob("*.y*ml")
    return any(f"{ACTION}@" in _text(path) for path in files)


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_CHARS)
    except OSError:
        return ""
