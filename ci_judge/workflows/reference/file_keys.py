"""Tables of the keys that a file may hold, out of the models that read it."""

import json
from collections.abc import Iterator
from typing import Any

from ci_judge.file_schema import ExactRate, FileModel, Wanted
from ci_judge.file_schema.wording import Declared, keys_of, models_in, wanted
from ci_judge.workflows.reference.pages import cell, code, table

HEAD = ("key", "what may stand there", "default", "meaning")


def key_rows(model: type[FileModel]) -> Iterator[list[str]]:
    """Give a row for each key of a model, in its order."""
    for name, declared in keys_of(model).items():
        yield [code(name), cell(_kind(declared)), _default(declared), cell(_meaning(declared))]


def key_table(model: type[FileModel]) -> str:
    return table(HEAD, key_rows(model))


def inner_models(model: type[FileModel]) -> dict[str, type[FileModel]]:
    """Find the maps below a model: the key that holds each → its model, itself left out."""
    return {
        name: inner
        for name, declared in keys_of(model).items()
        for inner in models_in(declared)
        if inner is not model
    }


def _kind(declared: Declared) -> str:
    if models_in(declared) and declared.holds_many:
        return "a list of maps"
    kind = wanted(declared).replace("a map (each value a map of keys)", "a map")
    return kind.partition(", such as ")[
        0
    ]  # how a duration is written stands once, above the tables


def _meaning(declared: Declared) -> str:
    return (declared.description or "").removesuffix(".")


def _default(declared: Declared) -> str:
    if declared.required:
        return "required"
    match declared.default:
        case None | FileModel():
            return ""
        case ExactRate() | str() as value:
            return code(str(value))
        case float() as value if any(isinstance(mark, Wanted) for mark in declared.marks):
            return code(f"{value:g}s")
        case value:
            return _json(value)


def _json(value: Any) -> str:
    return "" if value in ((), {}) else code(json.dumps(value))
