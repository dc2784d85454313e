"""Reports of earlier attempts at the same commit: where one is read, and what it tells."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from ci_judge.document.attempts import number_of
from ci_judge.document.merging import tests_of
from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.model.document import AttemptEntry, EarlierResultEntry, ReportDocument
from ci_judge.workflows.render import RecordedReport
from ci_judge.workflows.sound_reports import read_sound_report


@dataclass(frozen=True, slots=True, kw_only=True)
class NoEarlierAttempt:
    """There was an earlier attempt and its report cannot be had; ``reason`` says why.

    ``attempt`` is the number of this one.
    """

    attempt: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierAttempt:
    """The report of the newest earlier attempt, which agrees with itself.

    ``attempt`` is the number of this one, None where it is the next after that report's. ``doubt``
    says what of the report could not be made sure of, None where all could.
    """

    report: RecordedReport
    attempt: int | None = None
    doubt: str | None = None


FoundEarlier: TypeAlias = EarlierAttempt | NoEarlierAttempt
LookForEarlier: TypeAlias = Callable[[str], Awaitable[FoundEarlier | None]]
"""Looks for the newest earlier attempt's report in a file of this name; None in a first attempt."""


def earlier_report(path: Path, *, commit: str | None, attempt: int | None) -> LookForEarlier:
    """Take the report at ``path`` for that of the attempt before; ``commit`` is the one judged now.

    Looking raises InvalidInput where it is no report, or one about another commit.
    """

    async def look(name: str) -> FoundEarlier:
        del name
        report = await asyncio.to_thread(read_sound_report, path)
        for wrong in _not_before(report.document, commit=commit, attempt=attempt):
            hint = "give the report of an earlier attempt at this commit, or run without it"
            raise InvalidInput(Problem(message=wrong, hint=hint, place=Place(file=str(path))))
        known = commit is not None and report.document["run"]["commit"] is not None
        return EarlierAttempt(report=report, attempt=attempt, doubt=None if known else _OTHER_CODE)

    return look


_OTHER_CODE: Final = (
    "whether the report that this run went on from is of the same code cannot be told, for no"
    " commit is known: verdicts of other code may have been kept"
)


def _not_before(
    document: ReportDocument, *, commit: str | None, attempt: int | None
) -> Iterator[str]:
    """Say why a report is of no earlier attempt, as far as that can be told."""
    theirs = document["run"]["commit"]
    if commit is not None and theirs is not None and commit != theirs:
        yield f"is about commit {theirs[:10]}, and {commit[:10]} is judged now"
    number = number_of(document)
    if attempt is not None and number >= attempt:
        yield f"is of attempt {number}, and this is attempt {attempt}"


def attempts_so_far(document: ReportDocument) -> list[AttemptEntry]:
    """Give the attempts that a report knows of, itself last."""
    run, summary = document["run"], document["summary"]
    rerun = run["rerun"]
    own: AttemptEntry = {
        "attempt": number_of(document),
        "status": document["status"],
        "started": run["started"],
        "tests": summary["tests"],
        "passed": summary["passed"],
        "failed": summary["failed"],
        "errors": summary["errors"],
        "waived": summary["waived"],
        "skipped": summary["skipped"],
        "runs_made": summary["runs_made"] - (rerun["carried_runs"] if rerun else 0),
    }
    return [*(rerun["earlier"] if rerun else ()), own]


def results_so_far(document: ReportDocument) -> dict[str, list[EarlierResultEntry]]:
    """Give what each test came to in the attempts that a report knows of, by its id."""
    number = number_of(document)
    return {
        test["id"]: [
            *test["earlier"],
            {
                "attempt": number,
                "result": test["result"],
                "passes": test["passes"],
                "judged": test["judged"],
            },
        ]
        for test in tests_of(document["groups"])
    }
