"""From loaded data to a model, or every mistake in it with its place."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ci_judge.errors import InvalidInput, Problem
from ci_judge.file_schema.loaded_file import DataPath, LoadedFile, child, value_at
from ci_judge.file_schema.models import FileModel
from ci_judge.file_schema.showing import quoted, shown
from ci_judge.file_schema.typing_marks import curly_value_hint
from ci_judge.file_schema.wording import (
    Declared,
    declared_at,
    did_you_mean,
    is_secret,
    keys_of,
    models_in,
    path_text,
    wanted,
)
from ci_judge.file_schema.yaml_scalars import core_value

AnyModel = TypeVar("AnyModel", bound=FileModel)


def validate(loaded: LoadedFile, model: type[AnyModel], *, at: DataPath = ()) -> AnyModel:
    """Read a file (or what stands ``at`` a path of it) as a model.

    Raises InvalidInput with every mistake found.
    """
    result = problems_or(loaded, model, at=at)
    if isinstance(result, tuple):
        raise InvalidInput(*result)
    return result


def problems_or(
    loaded: LoadedFile, model: type[AnyModel], *, at: DataPath = ()
) -> AnyModel | tuple[Problem, ...]:
    """Read like ``validate``, but return the mistakes, in the order of the file."""
    data = value_at(loaded.data, at)
    if data is None and not at:
        data = {}
    try:
        return model.model_validate(data)
    except ValidationError as error:
        reader = _ErrorReader(loaded, model, tuple(at), data)
        return reader.problems(error.errors(include_url=False))


@dataclass(frozen=True, slots=True)
class _Mistake:
    """One error of pydantic's, at a path that exists in the data (or misses its last key)."""

    path: tuple[str | int, ...]
    details: ErrorDetails

    @property
    def kind(self) -> str:
        return self.details["type"]


@dataclass(frozen=True, slots=True)
class _ErrorReader:
    """Turns pydantic's errors about ``data`` into problems for people."""

    loaded: LoadedFile
    model: type[FileModel]
    at: tuple[str | int, ...]
    data: Any

    def problems(self, errors: Iterable[ErrorDetails]) -> tuple[Problem, ...]:
        mistakes = _without_echoes([self._mistake(details) for details in errors])
        found = [self._problem(mistake) for mistake in mistakes]
        return tuple(sorted(found, key=_in_file_order))

    def _mistake(self, details: ErrorDetails) -> _Mistake:
        """Leave out of pydantic's path what is no part of the data: the names of choices."""
        path: list[str | int] = []
        here = self.data
        for step in details["loc"]:
            found = child(here, step)
            if found is not None:
                path.append(step)
                here = found[0]
            elif details["type"] == "missing" and step == details["loc"][-1]:
                path.append(step)
        blamed: tuple[str, ...] = details.get("ctx", {}).get("key", ())
        return _Mistake((*path, *blamed), details)

    def _problem(self, mistake: _Mistake) -> Problem:
        match mistake.kind:
            case "extra_forbidden":
                message, hint = self._unknown_key(mistake.path)
            case "missing":
                declared = declared_at(self.model, mistake.path)
                message = f"{self._label(mistake.path)} is missing"
                hint = declared.description if declared else None
            case "wrong" if mistake.details["input"] is not None:
                context = mistake.details["ctx"]
                message, hint = f"{self._label(mistake.path)} {context['said']}", context["hint"]
            case "value_error" | "assertion_error":
                reason = mistake.details["ctx"]["error"]
                message, hint = f"{self._label(mistake.path)}: {reason}", None
            case _:
                message, hint = self._misfit(mistake)
        place = self.loaded.place((*self.at, *mistake.path))
        return Problem(message=message, hint=hint, place=place)

    def _label(self, path: tuple[str | int, ...]) -> str:
        return path_text((*self.at, *path), self.loaded.data) or "the file"

    def _misfit(self, mistake: _Mistake) -> tuple[str, str | None]:
        value = _value_or_none(self.data, mistake.path)
        declared = declared_at(self.model, mistake.path)
        words = wanted(declared) if declared else "something else"
        label = self._label(mistake.path)
        if value is None or value in ([], {}):
            return f"{label} is empty: it must be {words}", None
        given = "" if is_secret(self.model, mistake.path) else f", not {shown(value)}"
        return f"{label} must be {words}{given}", _misfit_hint(value, declared)

    def _unknown_key(self, path: tuple[str | int, ...]) -> tuple[str, str | None]:
        *parent, key = path
        where = self._label(tuple(parent)) if (*self.at, *parent) else "the file"
        return f"unknown key {quoted(str(key))} in {where}", self._meant_key(
            tuple(parent), str(key)
        )

    def _meant_key(self, parent: tuple[str | int, ...], key: str) -> str | None:
        curly = curly_value_hint(key)
        if curly:
            return curly
        declared = declared_at(self.model, parent)
        known = (
            [name for model in models_in(declared) for name in keys_of(model)] if declared else []
        )
        elsewhere = [place for place in _homes(self.model, key) if place not in _names(parent)]
        if elsewhere:
            return f"it belongs {' or '.join(elsewhere)}"
        return did_you_mean(key, known) or (f"known: {', '.join(known)}" if known else None)


def _names(parent: tuple[str | int, ...]) -> tuple[str, ...]:
    section = parent[0] if parent else ""
    return (f"in section {section}", f"in the entries of {section}", "" if parent else "at the top")


def _homes(model: type[FileModel], key: str) -> list[str]:
    """Say in which parts of the file a key is known."""
    homes = ["at the top"] if key in keys_of(model) else []
    for name, declared in keys_of(model).items():
        if any(key in keys_of(each) for each in models_in(declared)):
            kind = "the entries of" if declared.holds_many else "section"
            homes.append(f"in {kind} {name}")
    return homes


def _misfit_hint(value: Any, declared: Declared | None) -> str | None:
    curly = curly_value_hint(value) if isinstance(value, str) else None
    return curly or _meant_shape(value, declared) or _meant_value(value, declared)


def _meant_shape(value: Any, declared: Declared | None) -> str | None:
    words = wanted(declared) if declared else ""
    if words.startswith("a list") and isinstance(value, dict):
        return "begin each item with a dash"
    if words.startswith("a map (") and isinstance(value, list | str):
        return "write each entry as key: value on a line of its own, without a dash"
    models = models_in(declared) if declared and isinstance(value, str | int | float) else []
    if models and words == "a map of keys":
        first = next(iter(keys_of(models[0])))
        return f"write its keys on lines of their own below it, such as {first}:"
    return None


def _meant_value(value: Any, declared: Declared | None) -> str | None:
    if not isinstance(value, str) or declared is None:
        plain = isinstance(value, int | float)
        return "put it in quotes" if plain and _wants_text(declared) else None
    meant = core_value(value.strip())
    if isinstance(meant, int | float) and not _wants_text(declared):
        return f"write {value.strip()} without quotes" if _wants_number(declared) else None
    choices = [str(choice) for choice in _choices(declared.annotation)]
    return did_you_mean(value, choices) if choices else None


def _wants_text(declared: Declared | None) -> bool:
    return declared is not None and wanted(declared).startswith("text")


def _wants_number(declared: Declared) -> bool:
    return "number" in wanted(declared) or "true or false" in wanted(declared)


def _choices(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(choice for inner in get_args(annotation) for choice in _choices(inner))


def _without_echoes(mistakes: list[_Mistake]) -> list[_Mistake]:
    """Keep one mistake a path, and none that only says that another choice did not fit either."""
    first: dict[tuple[str | int, ...], _Mistake] = {}
    for mistake in mistakes:
        first.setdefault(mistake.path, mistake)
    above = {path[:length] for path in first for length in range(len(path))}
    return [mistake for path, mistake in first.items() if path not in above]


def _in_file_order(problem: Problem) -> tuple[str, int, int]:
    place = problem.place
    if place is None:
        return ("", 0, 0)
    return (place.file, place.line or 0, place.column or 0)


def _value_or_none(data: Any, path: DataPath) -> Any:
    try:
        return value_at(data, path)
    except LookupError:
        return None
