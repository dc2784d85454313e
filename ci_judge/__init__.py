"""CI Judge: a statistical gate in CI for software whose right answer cannot be compared with ==.

Importing this package costs next to nothing: what is named here is loaded when it is used.
"""

from typing import TYPE_CHECKING, Any

from ci_judge.version import __version__

if TYPE_CHECKING:
    from ci_judge.app import run as run
    from ci_judge.suites.case_marker import case as case

__all__ = ["__version__", "case", "run"]

_HOMES = {"case": "ci_judge.suites.case_marker", "run": "ci_judge.app"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - the point of being lazy

    return getattr(import_module(_HOMES[name]), name)
