"""Reasons to stop, and the exit code that each one stands for.

Only what must stop a command is an exception. What a target, a case or a judge does wrong is a
value (``EvidenceFailure``, ``JudgeFailure``), because one run's trouble must not end the others.

    CiJudgeError
    ├── InvalidInput       exit 2   a file, flag or input is wrong; all problems at once
    ├── NothingToJudge     exit 5   no test matched
    ├── CannotStart        exit 3   valid input, but target or judge is not there
    ├── Incomplete         exit 3   part of the work is done and kept, the rest is named
    └── Interrupted        exit 130 or 143, before there was anything to report
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """The exit codes of every command (product table, README)."""

    PASSED = 0
    FAILED = 1
    INVALID = 2
    UNDECIDED = 3
    NOTHING_TO_JUDGE = 5
    BUG = 70
    INTERRUPTED = 130
    TERMINATED = 143


_MOST_NAME_CHARS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something stands: a file as the user would name it; line and column count from 1."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        long = len(self.file) > _MOST_NAME_CHARS  # what is wrong with it must stay in sight
        file = f"{self.file[:_MOST_NAME_CHARS]}…" if long else self.file
        parts = (file, self.line, self.column)
        return ":".join(str(part) for part in parts if part is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One mistake of the user's: what is wrong, where, and what to do about it.

    ``unset`` names the environment variable that is missing, where that is all that is wrong.
    """

    message: str
    hint: str | None = None
    place: Place | None = None
    unset: str | None = None

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.message}{hint}".replace("\r", " ").replace("\n", " ")


class CiJudgeError(Exception):
    """Stops a command. ``problems`` holds one entry, one printed line, per mistake.

    ``output`` is what a program printed that would explain it, untrusted text for the log.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.BUG
    output: str = ""

    def __init__(self, *problems: Problem) -> None:
        if not problems:
            msg = "an error needs at least one problem to show"
            raise ValueError(msg)
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems

    def clean(self, change: Callable[[str], str]) -> None:
        """Change every text that may be shown: secrets are taken out on the way up."""
        self.problems = tuple(
            replace(
                problem,
                message=change(problem.message),
                hint=None if problem.hint is None else change(problem.hint),
            )
            for problem in self.problems
        )
        self.args = ("\n".join(map(str, self.problems)),)
        self.output = change(self.output)

    @classmethod
    def of(
        cls, message: str, *, hint: str | None = None, place: Place | None = None
    ) -> "CiJudgeError":
        """Build the error for a single problem."""
        return cls(Problem(message=message, hint=hint, place=place))


class InvalidInput(CiJudgeError):
    """A configuration, suite file, flag or action input is wrong; nothing was sent."""

    exit_code = ExitCode.INVALID


class NothingToJudge(CiJudgeError):
    """The input is fine, but it holds (or selects) no test."""

    exit_code = ExitCode.NOTHING_TO_JUDGE


class CannotStart(CiJudgeError):
    """The input is fine, but a served target did not come up, or the judge is out of reach."""

    exit_code = ExitCode.UNDECIDED


class Incomplete(CiJudgeError):
    """Part of the work could not be done for reasons outside the input; the rest is done."""

    exit_code = ExitCode.UNDECIDED


class Interrupted(CiJudgeError):
    """A signal came before the first run; later ones end in a partial report instead."""

    exit_code = ExitCode.INTERRUPTED


class Terminated(Interrupted):
    """The same for SIGTERM."""

    exit_code = ExitCode.TERMINATED
