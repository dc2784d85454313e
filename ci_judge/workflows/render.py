"""Read a ``report.json`` back and make other formats from it."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.model.document import SCHEMA_VERSION, ReportDocument, RunEntry
from ci_judge.renderers.registry import renderer
from ci_judge.renderers.report_schema import MAX_PROBLEMS, validate_report
from ci_judge.sinks.files import prepare_report_folder, write_whole
from ci_judge.workflows.strange_numbers import strange_numbers

FILE_NAMES: Final[Mapping[str, str]] = {
    "json": "report.json",
    "junit": "junit.xml",
    "html": "report.html",
    "markdown": "summary.md",
}
"""Formats that are files, with the names that they have by default."""

MOST_BYTES: Final = 256 << 20
"""Size of the largest report that is read back; several times as much memory is needed for it."""


class RecordedRuns:
    """A RunSource over the runs that a ``report.json`` holds."""

    def __init__(self, runs: Mapping[str, Sequence[RunEntry]]) -> None:
        self._runs = runs

    def runs(self, test_id: str) -> Iterator[RunEntry]:
        yield from self._runs.get(test_id, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedReport:
    """A report as it was written: what every renderer takes."""

    document: ReportDocument
    runs: RecordedRuns


def read_report(path: Path, *, most_bytes: int = MOST_BYTES) -> RecordedReport:
    """Read and validate a ``report.json``. Raises InvalidInput with all that is wrong."""
    return report_in(report_content(path, most_bytes=most_bytes), path)


def report_content(path: Path, *, most_bytes: int) -> bytes:
    """Read a report's file. Raises InvalidInput where it cannot be read or is too large."""
    try:
        return _content(path, most_bytes)
    except OSError as error:
        raise InvalidInput(_problem(path, f"cannot be read: {error.strerror}")) from error
    except ValueError as error:
        raise InvalidInput(_problem(path, f"not a report: {error}")) from error


def report_in(content: bytes, path: Path, *, keep_runs: bool = True) -> RecordedReport:
    """Read and validate the content of a ``report.json``, called ``path`` in complaints.

    Without its runs, most of it, it is validated much faster.
    """
    document = _parsed(content, path)
    _refuse_other_versions(document, path)
    if not keep_runs:
        for test in _claimed_tests(document):
            test.pop("runs", None)
    problems = validate_report(document) or tuple(strange_numbers(document, "$"))
    if problems:
        raise InvalidInput(*(_problem(path, problem) for problem in problems[:MAX_PROBLEMS]))
    tests = [test for group in document["groups"] for test in group["tests"]]
    runs = {test["id"]: test.pop("runs", []) for test in tests}
    return RecordedReport(document=document, runs=RecordedRuns(runs))


def _claimed_tests(document: Any) -> Iterator[dict[str, Any]]:
    """Yield what may be the tests of what may be a report."""
    groups = document.get("groups") if isinstance(document, dict) else None
    for group in groups if isinstance(groups, list) else ():
        tests = group.get("tests") if isinstance(group, dict) else None
        for test in tests if isinstance(tests, list) else ():
            if isinstance(test, dict):
                yield test


def render_again(report: RecordedReport, *, folder: Path, formats: Iterable[str]) -> list[Path]:
    """Write the formats (keys of FILE_NAMES) into the folder and return their paths.

    Raises InvalidInput when the folder cannot be written to.
    """
    prepare_report_folder(folder)
    paths = {kind: folder / FILE_NAMES[kind] for kind in formats}
    for kind, path in paths.items():
        write_whole(path, renderer(kind).render(report.document, report.runs))
    return list(paths.values())


def _parsed(content: bytes, path: Path) -> Any:
    try:
        return json.loads(
            content.decode("utf-8-sig"), parse_constant=_refuse_constant, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        place = Place(file=str(path), line=error.lineno, column=error.colno)
        problem = Problem(message=f"not JSON: {error.msg}", hint=_WHICH_FILE, place=place)
        raise InvalidInput(problem) from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(_problem(path, f"not a report: {error}")) from error


def _content(path: Path, most_bytes: int) -> bytes:
    with path.open("rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError(f"it is larger than {most_bytes >> 20} MiB")
    return content


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is more than a number can hold")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _refuse_other_versions(document: Any, path: Path) -> None:
    version = document.get("schema_version") if isinstance(document, dict) else None
    if type(version) is int and version != SCHEMA_VERSION:
        raise InvalidInput(
            Problem(
                message=f"schema_version is {version}, and this CI Judge reads {SCHEMA_VERSION}",
                hint="use the release that wrote the report",
                place=Place(file=str(path)),
            )
        )


def _problem(path: Path, message: str) -> Problem:
    return Problem(message=message, hint=_WHICH_FILE, place=Place(file=str(path)))


_WHICH_FILE = "give a report.json that ci-judge run has written"
