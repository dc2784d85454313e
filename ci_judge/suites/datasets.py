"""A scenario with ``from`` is a template: one test for each row of its dataset."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from ci_judge.errors import Place, Problem
from ci_judge.file_schema import DataPath, LoadedFile, Scalar, problems_or, written_copy
from ci_judge.file_schema.wording import did_you_mean
from ci_judge.suites.criteria import shown
from ci_judge.suites.dataset_files import Row, read_rows
from ci_judge.suites.dataset_rows import (
    ID_COLUMN,
    Told,
    path_below_root,
    rank_of,
    sound_rows,
    taken_rows,
)
from ci_judge.suites.row_filling import FILLED_KEYS, Filling, UnfitRow, columns_in
from ci_judge.suites.scenario_file import MOST_ROWS, ScenarioEntry, unfit_id
from ci_judge.suites.scenario_source import Part, Source

_NAMES_TOLD: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledEntry:
    """A scenario as a row fills it. ``key`` stands in the brackets of its id."""

    entry: ScenarioEntry
    key: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A scenario that rows fill. ``entry`` is what holds for all of them, sound by itself."""

    part: Part
    entry: ScenarioEntry
    raw: Mapping[str, Any]
    """The keys that hold placeholders, as they were written."""

    @property
    def is_partial(self) -> bool:
        """Tell whether rows may be left out."""
        return self.entry.limit is not None or self.entry.sample is not None


def read_template(
    source: Source, at: DataPath, raw: Mapping[str, Any]
) -> Template | tuple[Problem, ...]:
    """Read a scenario with ``from``, but for its rows, or say what is wrong with it."""
    filled = [key for key in FILLED_KEYS if any(True for _ in columns_in(raw.get(key)))]
    static = written_copy(raw)
    for key in filled:
        if key != "name":  # which every scenario needs
            del static[key]
    entry = problems_or(_holding(source.loaded, at, static), ScenarioEntry, at=at)
    if isinstance(entry, tuple):
        return entry
    part = Part(source=source, at=at, label=f'scenario "{entry.name}"')
    problems = tuple(_misplaced(part, raw, filled))
    return problems or Template(part=part, entry=entry, raw={key: raw[key] for key in filled})


def _holding(loaded: LoadedFile, at: DataPath, entry: Mapping[str, Any]) -> LoadedFile:
    """Give the file with another scenario at a place of its list; the rest is left out."""
    key, number = at
    return replace(loaded, data={key: [*([None] * int(number)), entry]})


def _misplaced(part: Part, raw: Mapping[str, Any], filled: list[str]) -> Iterator[Problem]:
    """Yield a problem for each placeholder where none is filled, and one where there is none."""
    for key, value in raw.items():
        if key not in FILLED_KEYS and any(True for _ in columns_in(value)):
            hint = f"rows fill {', '.join(FILLED_KEYS)}"
            yield part.problem(key, "holds a {{column}}, and no row fills it there", hint=hint)
    if not filled:
        hint = 'name a column, as in message: "{{question}}"'
        yield part.problem("from", "does nothing: no {{column}} is in the scenario", hint=hint)


def filled_entries(
    template: Template, shared_id: str, told: Told, *, most: int = MOST_ROWS
) -> Iterator[FilledEntry]:
    """Yield the scenario once for each row that is taken, in the order of the file.

    ``shared_id`` is what all their ids begin with. What is wrong with the file or its rows is
    ``told``, a line each; after the most of them nothing more is read. More than ``most`` rows
    are a mistake, too.
    """
    named, source = template.entry.rows_from or "", template.part.source
    path = path_below_root(source, named)
    if path is None:
        hint = "a path from the scenario file, in the configuration's folder or below it"
        message = f'names "{named}", which does not lie there'
        told.add(template.part.problem("from", message, hint=hint))
        return
    file = _shown(path, source)
    rank = partial(rank_of, seed=source.setting.seed, template=shared_id)
    found = sound_rows(read_rows(path, file=file), told)
    rows = taken_rows(found, template.entry, rank=rank, most=most)
    yield from _Expander(template=template, file=file, told=told, most=most).entries(rows)


def _shown(path: Path, source: Source) -> str:
    root = source.setting.root
    return path.name if root is None else shown(path, root=root.resolve())


@dataclass(slots=True, kw_only=True)
class _Expander:
    """Fills one template with row after row, and remembers the ids."""

    template: Template
    file: str
    told: Told
    most: int
    _lines: dict[str, int] = field(default_factory=dict)

    def entries(self, rows: Iterator[Row]) -> Iterator[FilledEntry]:
        for count, row in enumerate(rows, start=1):
            place = Place(file=self.file, line=row.line)
            if count == 1 and self._tell_unknown_columns(row):
                return
            if count > self.most:
                self._tell(f"the dataset holds more than {self.most:,} rows", place, _FEWER)
                return
            yield from self._filled(row, place)
            if self.told.enough:
                return
        if not self._lines and not self.told:
            self._tell("the dataset holds no row", Place(file=self.file))

    def _filled(self, row: Row, place: Place) -> Iterator[FilledEntry]:
        key = _key(row)
        wrong = self._wrong_key(key)
        if wrong is not None:
            self._tell(wrong, place)
            return
        self._lines[key] = row.line
        try:
            filling = Filling(row.values)
            filled = {name: filling.key(name, raw) for name, raw in self.template.raw.items()}
        except UnfitRow as error:
            hint = error.hint or self._meant(error.column, row)
            self._tell(f"{self._label}: {error}", place, hint)
            return
        entry = self._checked(filled, place)
        if entry is not None:
            yield FilledEntry(entry=entry, key=key, place=place)

    def _checked(self, filled: dict[str, Any], place: Place) -> ScenarioEntry | None:
        """Read the filled keys as a scenario file's; what the rest holds is known to be sound."""
        whole, at = self.template.entry, self.template.part.at
        data = filled if "name" in filled else {**filled, "name": whole.name}
        entry = problems_or(_RowFile.of(data, at, place), ScenarioEntry, at=at)
        if isinstance(entry, tuple):
            for problem in entry:
                self.told.add(problem)
            return None
        return whole.model_copy(update={name: getattr(entry, name) for name in filled})

    def _wrong_key(self, key: str) -> str | None:
        if not key:
            return f"the row's {ID_COLUMN} is no text and no whole number"
        if (unfit := unfit_id(key)) is not None:
            return f"the row's {ID_COLUMN} {unfit}"
        if key in self._lines:
            return f'the {ID_COLUMN} "{key}" of the row is that of line {self._lines[key]}, too'
        return None

    def _tell_unknown_columns(self, row: Row) -> bool:
        """Hold the template's columns against those of the first row."""
        unknown = {
            column: key
            for key, value in self.template.raw.items()
            for column in columns_in(value)
            if column not in row.values
        }
        for column, key in unknown.items():
            message = f'names the column "{column}", which {self.file}:{row.line} does not have'
            hint = self._meant(column, row)
            self.told.add(self.template.part.problem(key, message, hint=hint))
        return bool(unknown)

    def _meant(self, column: str | None, row: Row) -> str | None:
        if column is None:
            return None
        names = list(row.values)
        if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
            return "commas part the columns of a .csv file"
        known = ", ".join(f'"{name}"' for name in names[:_NAMES_TOLD])
        return did_you_mean(column, names) or f"its columns: {known}"

    @property
    def _label(self) -> str:
        return self.template.part.label

    def _tell(self, message: str, place: Place, hint: str | None = None) -> None:
        self.told.add(Problem(message=message, hint=hint, place=place))


_FEWER: Final = "take some of them: limit: 1000, or sample: 1000"


def _key(row: Row) -> str:
    """Give what tells the row from others: its ``id``, else its number; empty for an unfit one."""
    value = row.values.get(ID_COLUMN, row.number)
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


@dataclass(frozen=True, slots=True)
class _RowFile:
    """Puts every mistake of a filled scenario where the row stands."""

    row: Place

    @classmethod
    def of(cls, filled: dict[str, Any], at: DataPath, row: Place) -> LoadedFile:
        empty = LoadedFile(file=row.file, data=None, locator=cls(row))
        return _holding(empty, at, filled)

    def place(self, path: DataPath) -> Place:
        del path
        return self.row

    def scalar(self, path: DataPath) -> Scalar | None:
        del path
        return None
