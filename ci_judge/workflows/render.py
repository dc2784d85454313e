"""Read a ``report.json`` back and make other formats from it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.model.document import SCHEMA_VERSION, ReportDocument, RunEntry
from ci_judge.renderers.registry import renderer
from ci_judge.renderers.report_schema import validate_report
from ci_judge.sinks.files import prepare_report_folder, write_whole

FILE_NAMES: Final[Mapping[str, str]] = {
    "json": "report.json",
    "junit": "junit.xml",
    "html": "report.html",
    "markdown": "summary.md",
}
"""Formats that are files, with the names that they have by default."""


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


def read_report(path: Path) -> RecordedReport:
    """Read and validate a ``report.json``. Raises InvalidInput with all that is wrong."""
    document = _parsed(path)
    _refuse_other_versions(document, path)
    problems = validate_report(document)
    if problems:
        raise InvalidInput(*(_problem(path, problem) for problem in problems))
    tests = [test for group in document["groups"] for test in group["tests"]]
    runs = {test["id"]: test.pop("runs", []) for test in tests}
    return RecordedReport(document=document, runs=RecordedRuns(runs))


def render_again(report: RecordedReport, *, folder: Path, formats: Iterable[str]) -> list[Path]:
    """Write the formats (keys of FILE_NAMES) into the folder and return their paths.

    Raises InvalidInput when the folder cannot be written to.
    """
    prepare_report_folder(folder)
    paths = {kind: folder / FILE_NAMES[kind] for kind in formats}
    for kind, path in paths.items():
        write_whole(path, renderer(kind).render(report.document, report.runs))
    return list(paths.values())


def _parsed(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"), parse_constant=_refuse_constant)
    except OSError as error:
        raise InvalidInput(_problem(path, f"cannot be read: {error.strerror}")) from error
    except json.JSONDecodeError as error:
        place = Place(file=str(path), line=error.lineno, column=error.colno)
        problem = Problem(message=f"not JSON: {error.msg}", hint=_WHICH_FILE, place=place)
        raise InvalidInput(problem) from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(_problem(path, f"not a report: {error}")) from error


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
