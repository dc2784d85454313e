"""promptfoo's tests in tables: columns are variables, and ``__expected`` is an assertion."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema import DataPath, LoadedFile, Scalar
from ci_judge.suites.criteria import shown
from ci_judge.suites.dataset_files import read_rows
from ci_judge.workflows.importing.foreign import Foreign

_EXPECTED = re.compile(r"__expected\d*")
_SHORT: Final = {"grade": "llm-rubric", "fn": "javascript", "eval": "javascript"}
_ASSERTION = re.compile(
    r"(not-)?(equals|contains-any|contains-all|icontains-any|icontains-all|contains-json|contains|"
    r"icontains|starts-with|regex|is-json|javascript|python|llm-rubric|grade|fn|eval|similar|"
    r"factuality|model-graded-closedqa|latency|cost|levenshtein|webhook|is-refusal)"
    r"(?:\((\d+(?:\.\d+)?)\))?(?::\s*(.*))?",
    re.DOTALL,
)


def rows_of(path: Path, at: Foreign) -> Iterator[Foreign]:
    """Yield each row as the test that it is. Raises InvalidInput for what is no table."""
    file = shown(path, root=at.folder)
    for row in read_rows(path, file=file):
        if isinstance(row, Problem):
            raise InvalidInput(row)
        data = row.values if path.suffix.lower() == ".jsonl" else _test(row.values)
        place = Place(file=file, line=row.line)
        loaded = LoadedFile(file=file, data=data, locator=_RowPlaces(place))
        yield Foreign(data=data, loaded=loaded, at=(), folder=path.parent, notes=at.notes)


def _test(cells: Mapping[str, Any]) -> dict[str, Any]:
    columns = {key: cell for key, cell in cells.items() if not key.startswith("__")}
    expected = [cell for key, cell in cells.items() if _EXPECTED.fullmatch(key) and cell.strip()]
    test: dict[str, Any] = {"vars": columns, "assert": [_assertion(cell) for cell in expected]}
    for key, cell in cells.items():
        if key == "__description" and cell:
            test["description"] = cell
        elif key.startswith("__") and cell and not _EXPECTED.fullmatch(key):
            test[key] = cell
    return test


def _assertion(cell: str) -> dict[str, Any]:
    found = _ASSERTION.fullmatch(cell.strip())
    if found is None or (found[4] is None and found[2] not in {"is-json", "is-refusal"}):
        return {"type": "equals", "value": cell}
    kind = f"{found[1] or ''}{_SHORT.get(found[2], found[2])}"
    assertion: dict[str, Any] = {"type": kind}
    if found[4]:
        assertion["value"] = found[4]
    limit = found[3] or (found[4] if kind in {"latency", "cost"} else None)
    if limit is not None and re.fullmatch(r"\d+(\.\d+)?", limit):
        assertion["threshold"] = float(limit)
    return assertion


class _RowPlaces:
    """Everything in a row stands where the row begins."""

    def __init__(self, row: Place) -> None:
        self._row = row

    def place(self, path: DataPath) -> Place:
        del path
        return self._row

    def scalar(self, path: DataPath) -> Scalar | None:
        del path
        return None
