"""Shows in the step why there is no report: the user's mistakes, or a bug of ours."""

import os
import traceback
from collections.abc import Mapping
from pathlib import Path

from ci_judge.action_inputs import given
from ci_judge.errors import CiJudgeError, Place, Problem
from ci_judge.sinks.log import LogWriter

TITLE = "CI Judge"
_MOST_PROBLEMS = 9
"""GitHub keeps 10 errors of a step: these, and "and N more"."""


def show_problems(error: CiJudgeError, environment: Mapping[str, str], log: LogWriter) -> None:
    """Annotate each mistake where it stands; all of them are in the log."""
    log.untrusted(error.output)
    for problem in error.problems[:_MOST_PROBLEMS]:
        _annotate(problem, environment, log)
    rest = error.problems[_MOST_PROBLEMS:]
    for problem in rest:
        log.line(str(problem))
    if rest:
        log.command("error", f"and {len(rest)} more problems, see the log", title=TITLE)


def show_crash(error: Exception, log: LogWriter) -> None:
    """Show the traceback, and ask for a report of the bug."""
    log.untrusted("".join(traceback.format_exception(error)))
    name = type(error).__name__
    message = f"A bug in CI Judge stopped the run ({name}); please report it with the lines above"
    log.command("error", message, title=TITLE)


def _annotate(problem: Problem, environment: Mapping[str, str], log: LogWriter) -> None:
    place = problem.place
    file = _in_workspace(place, environment) if place else None
    log.command(
        "error",
        str(problem),
        title=TITLE,
        file=file,
        line=place.line if place and file else None,
        col=place.column if place and file else None,
    )


def _in_workspace(place: Place, environment: Mapping[str, str]) -> str | None:
    """Find the file that the place names, for it starts at the configuration or where we work.

    None for what is no file there: an input, a variable, a name that no file can have.
    """
    workspace = Path(os.path.realpath(environment.get("GITHUB_WORKSPACE", "")))
    working = workspace / (given(environment, "working-directory") or ".")
    for start in (working, (working / (given(environment, "config") or "ci-judge.yaml")).parent):
        path = _file(start / place.file)
        if path is not None and path.is_relative_to(workspace):
            return path.relative_to(workspace).as_posix()
    return None


def _file(path: Path) -> Path | None:
    try:
        return path.resolve() if path.is_file() else None
    except (OSError, ValueError):  # a name that is too long, say
        return None
