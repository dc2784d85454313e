"""CI Judge: a statistical gate in CI for software whose right answer cannot be compared with ==.

Importing this package costs next to nothing: what is named here is loaded when it is used.
"""

from typing import TYPE_CHECKING, Any

from ci_judge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ci_judge.model.document import ReportDocument
    from ci_judge.suites.case_marker import case as case

__all__ = ["__version__", "case", "run"]


async def run(
    config: "str | Path | None" = None,
    *,
    overrides: "Mapping[str, Any] | None" = None,
    select: str | None = None,
    tags: str | None = None,
) -> "ReportDocument":
    """Run a suite and return its report, runs included, as in ``report.json``.

    ``config`` is the configuration file (found as by the command when None), ``overrides`` maps
    dotted keys to values ({"run.runs": 5}), ``select`` and ``tags`` are as ``-k`` and ``-m``.
    A failed gate is no exception: look at ``report["status"]``. Raises
    ``ci_judge.errors.CiJudgeError`` when the input is wrong. Works inside a running event loop;
    two runs at once need two report folders.
    """
    from ci_judge.app import run as run_suite  # noqa: PLC0415 - all of the engine

    return await run_suite(config, overrides=overrides, select=select, tags=tags)


def __getattr__(name: str) -> Any:
    if name != "case":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ci_judge.suites.case_marker import case  # noqa: PLC0415 - the point of being lazy

    return case
