"""Which rows of a dataset are taken, and where its file is."""

import heapq
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from ci_judge.errors import Problem
from ci_judge.rules.row_samples import row_rank
from ci_judge.suites.dataset_files import Row
from ci_judge.suites.scenario_file import DatasetKeys
from ci_judge.suites.scenario_source import Source

ID_COLUMN: Final = "id"
MOST_PROBLEMS: Final = 20
"""Of one dataset: after so many nothing more of it is read."""


class Told:
    """The problems of one dataset, told up to MOST_PROBLEMS."""

    def __init__(self, problems: list[Problem]) -> None:
        self._problems = problems
        self._count = 0

    def add(self, problem: Problem) -> None:
        self._count += 1
        if self._count <= MOST_PROBLEMS:
            self._problems.append(problem)
        elif self._count == MOST_PROBLEMS + 1:
            message = f"more than {MOST_PROBLEMS} rows are wrong; from here on none is told"
            self._problems.append(Problem(message=message, place=problem.place))

    def __bool__(self) -> bool:
        return self._count > 0

    @property
    def enough(self) -> bool:
        return self._count > MOST_PROBLEMS


def path_below_root(source: Source, named: str) -> Path | None:
    """Find a file named from the scenario file; None where it lies outside, links followed."""
    root = source.setting.root
    try:
        path = (source.folder / named).resolve()
        return path if root is not None and path.is_relative_to(root.resolve()) else None
    except (OSError, ValueError, RuntimeError):  # a name no file has, or links in a circle
        return None


def sound_rows(found: Iterable[Row | Problem], told: Told) -> Iterator[Row]:
    """Yield the rows; what is wrong with others is told."""
    for each in found:
        if isinstance(each, Row):
            yield each
        else:
            told.add(each)
        if told.enough:
            return


def taken_rows(
    rows: Iterable[Row], choice: DatasetKeys, *, rank: Callable[[Row], bytes], most: int
) -> Iterator[Row]:
    """Take the first rows, or a sample in the order of the file; no more than that is held.

    Of all rows there is one more than ``most``, so that whoever takes them can tell.
    """
    if choice.sample is not None:
        chosen = heapq.nsmallest(choice.sample, rows, key=lambda row: (rank(row), row.number))
        return iter(sorted(chosen, key=lambda row: row.number))
    return islice(rows, most + 1 if choice.limit is None else choice.limit)


def rank_of(row: Row, *, seed: int, template: str) -> bytes:
    """Rank a row by its id, else by all that it holds; never by where it stands."""
    known_by = row.values.get(ID_COLUMN) if ID_COLUMN in row.values else dict(row.values)
    return row_rank(seed=seed, template=template, row=known_by)
