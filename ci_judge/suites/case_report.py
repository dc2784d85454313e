"""What the process of a case file says about the file."""

import json
from dataclasses import dataclass
from typing import Any

from ci_judge.suites.case_marker import GATES, MOST_RUNS, is_rate

_MOST = 10**9


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
    min_runs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport:
    """The cases of a file by name, and its mistakes; with a mistake none may be called."""

    cases: tuple[MarkedCase, ...]
    mistakes: tuple[Mistake, ...]


def read_report(line: bytes) -> CaseReport:
    """Read the first line of a case process. Raises ValueError if it is no report.

    Code of the file may have written it, so every value is looked at.
    """
    try:
        report = json.loads(line)
        return CaseReport(
            cases=tuple(map(_case, report["cases"])),
            mistakes=tuple(map(_mistake, report["mistakes"])),
        )
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def broken_report(message: str, *, hint: str | None = None) -> CaseReport:
    """Stand in for a file that could not speak for itself."""
    return CaseReport(cases=(), mistakes=(Mistake(message=message, hint=hint),))


def _case(entry: dict[str, Any]) -> MarkedCase:
    marked = MarkedCase(**{**entry, "tags": tuple(entry["tags"])})
    texts = (marked.function, marked.requirement, *marked.tags)
    numbers = (marked.line, *_given(marked.runs, marked.misses, marked.min_runs))
    rates = _given(marked.threshold)
    fit = (
        all(isinstance(text, str) for text in (*texts, *_given(marked.gate, marked.skip), *rates)),
        all(type(number) is int and 0 <= number <= _MOST for number in numbers),
        marked.runs is None or 1 <= marked.runs <= MOST_RUNS,
        marked.min_runs is None or 1 <= marked.min_runs <= (marked.runs or 0),
        marked.gate is None or marked.gate in GATES,
        all(is_rate(rate) for rate in rates),
        isinstance(marked.advisory, bool),
    )
    if not all(fit):
        raise TypeError("a case holds a value of the wrong kind")
    return marked


def _mistake(entry: dict[str, Any]) -> Mistake:
    mistake = Mistake(**entry)
    texts = (mistake.message, *_given(mistake.hint))
    lines = _given(mistake.line)
    if not all(isinstance(text, str) for text in texts) or not all(
        type(line) is int and 0 <= line <= _MOST for line in lines
    ):
        raise TypeError("a mistake holds a value of the wrong kind")
    return mistake


def _given(*values: Any) -> tuple[Any, ...]:
    return tuple(value for value in values if value is not None)
