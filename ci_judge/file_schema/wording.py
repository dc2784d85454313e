"""What a field wants and what it got, in the words of the person who wrote the file."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from ci_judge.file_schema.loaded_file import DataPath, child
from ci_judge.file_schema.markers import Secret, Wanted
from ci_judge.file_schema.models import FileModel
from ci_judge.file_schema.showing import quoted

_BARE_KEY = re.compile(r"[\w-]+")


class Declared(NamedTuple):
    """What a field is declared as: its type, the marks on it, what it is for and when unset."""

    annotation: Any
    marks: tuple[Any, ...] = ()
    description: str | None = None
    required: bool = False
    default: Any = None

    @property
    def holds_many(self) -> bool:
        """Whether it is a list or a map of any names."""
        return not {list, tuple, dict}.isdisjoint(_origins(self.annotation))


def _origins(annotation: Any) -> set[Any]:
    inner = (_origins(each) for each in get_args(annotation))
    return {get_origin(annotation)}.union(*inner)


# --- finding what is declared at a path ------------------------------------------------


def declared_at(model: type[FileModel], path: DataPath) -> Declared | None:
    """Find the declaration of the value at a path, or None where nothing is declared."""
    here: Declared | None = Declared(model)
    for step in path:
        here = _below(here, step) if here else None
    return here


def is_secret(model: type[FileModel], path: DataPath) -> bool:
    """Whether the value at a path, or anything above it, must not be shown."""
    above = [declared_at(model, path[:length]) for length in range(1, len(path) + 1)]
    return any(isinstance(mark, Secret) for here in above if here for mark in _all_marks(here))


def _all_marks(declared: Declared) -> tuple[Any, ...]:
    """List the marks of a value, those of its choices included."""
    origin, arguments = get_origin(declared.annotation), get_args(declared.annotation)
    if origin is Annotated:
        return (*declared.marks, *_all_marks(Declared(arguments[0], arguments[1:])))
    if origin in {Union, UnionType}:
        return sum((_all_marks(Declared(each)) for each in arguments), declared.marks)
    return declared.marks


def models_in(declared: Declared) -> list[type[FileModel]]:
    """List the models that a value may be, or hold as the items of a list or map."""
    annotation = declared.annotation
    if isinstance(annotation, type) and issubclass(annotation, FileModel):
        return [annotation]
    inner = (Declared(argument) for argument in get_args(annotation) if _is_type(argument))
    return [model for declared in inner for model in models_in(declared)]


def _is_type(argument: Any) -> bool:
    return isinstance(argument, type) or get_origin(argument) is not None


def keys_of(model: type[FileModel]) -> dict[str, Declared]:
    """Give the keys that a map may have, as they stand in a file."""
    return {
        field.alias or name: Declared(
            annotation=field.annotation,
            marks=tuple(field.metadata),
            description=field.description,
            required=field.is_required(),
            default=None if field.is_required() else field.get_default(call_default_factory=True),
        )
        for name, field in model.model_fields.items()
    }


def _below(declared: Declared, step: str | int) -> Declared | None:
    annotation = declared.annotation
    if isinstance(annotation, type) and issubclass(annotation, FileModel):
        return keys_of(annotation).get(str(step))
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _below(Declared(arguments[0]), step)
    if origin in {Union, UnionType}:
        return next(filter(None, (_below(Declared(each), step) for each in arguments)), None)
    if origin in {list, tuple} and isinstance(step, int):
        return _unwrapped(arguments[0])
    return _unwrapped(arguments[1]) if origin is dict and isinstance(step, str) else None


def _unwrapped(annotation: Any) -> Declared:
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        return Declared(inner, tuple(marks))
    return Declared(annotation)


# --- saying it ---------------------------------------------------------------------------


def wanted(declared: Declared) -> str:
    """Say what may stand there: "a whole number of at least 1"."""
    for mark in declared.marks:
        if isinstance(mark, Wanted):
            return mark.words
    return _wanted_type(declared)


def _wanted_type(declared: Declared) -> str:
    annotation, marks = declared.annotation, declared.marks
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return wanted(Declared(arguments[0], (*arguments[1:], *marks)))
    if origin is Literal:
        return _one_of([str(choice) for choice in arguments])
    if origin in {Union, UnionType}:
        kinds = [wanted(Declared(each, marks)) for each in arguments if each is not NoneType]
        return " or ".join(dict.fromkeys(kinds))
    if origin in {list, tuple}:
        return f"a list (each item {wanted(Declared(arguments[0]))})"
    if origin is dict:
        return f"a map (each value {wanted(Declared(arguments[1]))})"
    return _SIMPLE.get(annotation, "a map of keys") + _bounds(marks)


_SIMPLE = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def _one_of(choices: Sequence[str]) -> str:
    quoted = [f'"{choice}"' for choice in choices]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _bounds(marks: tuple[Any, ...]) -> str:
    flat = [mark for each in marks for mark in (getattr(each, "metadata", None) or [each])]
    above = next((mark.gt for mark in flat if hasattr(mark, "gt")), None)
    low = next((mark.ge for mark in flat if hasattr(mark, "ge")), None)
    high = next((mark.le for mark in flat if hasattr(mark, "le")), None)
    if above is not None:
        return f" above {above}" + ("" if high is None else f" and at most {high}")
    match low, high:
        case None, None:
            return ""
        case low, None:
            return f" of at least {low}"
        case None, high:
            return f" of at most {high}"
        case _:
            return f" from {low} to {high}"


def path_text(path: DataPath, data: Any) -> str:
    """Write a path as people read it: ``run.runs``, ``scenarios["Haggles"].runs``, ``turns[0]``."""
    text = ""
    for step in path:
        found = child(data, step)
        data = found[0] if found else None
        if isinstance(step, int):
            name = data.get("name") if isinstance(data, dict) else None
            text += f"[{quoted(name) if isinstance(name, str) else step}]"
        else:
            text += ("." if text else "") + (step if _BARE_KEY.fullmatch(step) else quoted(step))
    return text


def did_you_mean(word: str, known: Sequence[str]) -> str | None:
    """Name the known word that a misspelt one is closest to."""
    by_plain = {_plain(each): each for each in known}
    close = get_close_matches(_plain(word), list(by_plain), n=1, cutoff=0.6)
    return f'did you mean "{by_plain[close[0]]}"?' if close else None


def _plain(word: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", word.casefold()).strip("_")
