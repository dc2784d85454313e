"""The JSON Schema of ``report.json``, made from the document's types, and reading by it."""

import inspect
import re
from collections import Counter
from enum import StrEnum
from functools import lru_cache
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from ci_judge.model.document import SCHEMA_VERSION, ReportDocument, RunEntry
from ci_judge.renderers.quick_schema import Fits, quick_check

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MAX_PROBLEMS = 20
_ANCHOR = re.compile("[A-Za-z][A-Za-z0-9-]*")

_SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    NoneType: {"type": "null"},
    Any: {},
}


def report_schema(*, closed: bool = False) -> dict[str, Any]:
    """Make the JSON Schema (2020-12) of a report.

    Within one ``schema_version`` keys are only ever added, so a reader must not stumble over a key
    it does not know: the schema is open. ``closed`` refuses unknown keys, for whoever writes.
    """
    definitions: dict[str, Any] = {}
    _define(ReportDocument, definitions, closed=closed)
    root = definitions.pop(ReportDocument.__name__)
    root["properties"]["schema_version"] = {"const": SCHEMA_VERSION}
    return {
        "$schema": DIALECT,
        "title": "CI Judge report",
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def validate_report(value: Any, *, closed: bool = False) -> tuple[str, ...]:
    """Say what keeps a value from being a report: one line each, none when it is one.

    With ``closed`` a key that this release does not write is one of these.
    """
    if _quick_check(closed)(value):
        return tuple(_beyond_types(value))
    import jsonschema  # noqa: PLC0415 - slow to import, needed where a report is read back only

    validator = jsonschema.Draft202012Validator(report_schema(closed=closed))
    errors = sorted(validator.iter_errors(value), key=lambda error: list(map(str, error.path)))
    problems = [f"{error.json_path}: {_short(error.message)}" for error in errors[:MAX_PROBLEMS]]
    return tuple(problems or _beyond_types(value))


def is_run_entry(value: Any) -> bool:
    """Tell whether a value is the entry of a run, with no key and no type but its own."""
    return _quick_run_check()(value)


@lru_cache(maxsize=1)
def _quick_run_check() -> Fits:
    definitions = report_schema(closed=True)["$defs"]
    return quick_check({**definitions[RunEntry.__name__], "$defs": definitions})


@lru_cache(maxsize=2)
def _quick_check(closed: bool) -> Fits:  # noqa: FBT001 - the key of a cache
    return quick_check(report_schema(closed=closed))


def _short(message: str, limit: int = 200) -> str:
    return message if len(message) <= limit else f"{message[:limit]}…"


def _beyond_types(value: ReportDocument) -> list[str]:
    """Find what types cannot say, and what every renderer relies on."""
    tests = [test for group in value["groups"] for test in group["tests"]]
    problems = [
        *_twice("test id", [test["id"] for test in tests]),
        *_twice("anchor", [test["anchor"] for test in tests]),
        *[
            f"$.groups: anchor {test['anchor']!r} is no HTML id"
            for test in tests
            if not _ANCHOR.fullmatch(test["anchor"])
        ],
        *[
            f"$.groups: the interval of {test['id']!r} is not [low, high] within 0 to 1"
            for test in tests
            if not _is_interval(test["interval"])
        ],
    ]
    return [_short(problem) for problem in problems[:MAX_PROBLEMS]]


def _twice(what: str, texts: list[str]) -> list[str]:
    counts = Counter(texts)
    return [f"$.groups: {what} {text!r} is there twice" for text in counts if counts[text] > 1]


def _is_interval(ends: list[float]) -> bool:
    return len(ends) == len(("low", "high")) and 0 <= ends[0] <= ends[1] <= 1


def _define(entry: Any, definitions: dict[str, Any], *, closed: bool) -> None:
    definitions[entry.__name__] = {}  # taken before its members are looked at
    hints = get_type_hints(entry)
    definition: dict[str, Any] = {
        "type": "object",
        "properties": {
            key: _schema(hint, definitions, closed=closed) for key, hint in hints.items()
        },
        "required": sorted(entry.__required_keys__, key=list(hints).index),
    }
    if closed:
        definition["additionalProperties"] = False
    if entry.__doc__ and entry.__doc__ != dict.__doc__:
        definition["description"] = inspect.cleandoc(entry.__doc__)
    definitions[entry.__name__] = definition


def _schema(hint: Any, definitions: dict[str, Any], *, closed: bool) -> dict[str, Any]:
    if hint in _SCALARS:
        return _SCALARS[hint]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"enum": [member.value for member in hint]}
    if is_typeddict(hint):
        if hint.__name__ not in definitions:
            _define(hint, definitions, closed=closed)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    return _generic(hint, definitions, closed=closed)


def _generic(hint: Any, definitions: dict[str, Any], *, closed: bool) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is NotRequired:
        return _schema(arguments[0], definitions, closed=closed)
    parts = [_schema(argument, definitions, closed=closed) for argument in arguments]
    if origin is list:
        return {"type": "array", "items": parts[0]}
    if origin is dict:
        return {"type": "object", "additionalProperties": parts[1]}
    if origin in {Union, UnionType}:
        return _union(parts)
    raise TypeError(f"the report's schema has no form for {hint!r}")


def _union(parts: list[dict[str, Any]]) -> dict[str, Any]:
    if all(set(part) == {"type"} for part in parts):
        return {"type": [part["type"] for part in parts]}
    return {"anyOf": parts}
