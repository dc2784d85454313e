"""What the process of a case file says about the file."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One thing that is wrong with a case file. ``line`` counts from 1."""

    message: str
    hint: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedCase:
    """One marked function, as ``@case`` was told; ``threshold`` is the number's text."""

    function: str
    line: int
    requirement: str
    runs: int | None
    threshold: str | None
    gate: str | None
    misses: int | None
    tags: tuple[str, ...]
    advisory: bool
    skip: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport:
    """The cases of a file by name, and its mistakes; with a mistake none may be called."""

    cases: tuple[MarkedCase, ...]
    mistakes: tuple[Mistake, ...]


def read_report(line: bytes) -> CaseReport:
    """Read the first line of a case process. Raises ValueError if it is no report."""
    try:
        report = json.loads(line)
        return CaseReport(
            cases=tuple(map(_case, report["cases"])),
            mistakes=tuple(Mistake(**mistake) for mistake in report["mistakes"]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(str(error)) from error


def broken_report(message: str, *, hint: str | None = None) -> CaseReport:
    """Stand in for a file that could not speak for itself."""
    return CaseReport(cases=(), mistakes=(Mistake(message=message, hint=hint),))


def _case(entry: dict[str, Any]) -> MarkedCase:
    return MarkedCase(**{**entry, "tags": tuple(entry["tags"])})
