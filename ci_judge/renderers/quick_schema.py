"""A quick yes for what fits a report's schema: reports hold tens of thousands of runs.

Only the few keywords that our own schema uses are known. A no may be too strict (it takes 1.0 for
no integer): whoever needs to know what is wrong, or hears a no, asks a full validator.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

Fits: TypeAlias = Callable[[Any], bool]

_NOTES = frozenset({"$schema", "$defs", "title", "description"})
_KNOWN = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const"}
)
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def quick_check(schema: Mapping[str, Any]) -> Fits:
    """Make a check of a schema with its ``$defs``. Raises ValueError for a keyword it knows not."""
    definitions: dict[str, Fits] = {}
    for name, definition in schema.get("$defs", {}).items():
        definitions[f"#/$defs/{name}"] = _check(definition, definitions)
    return _check(schema, definitions)


def _check(schema: Mapping[str, Any], definitions: Mapping[str, Fits]) -> Fits:
    if "$ref" in schema:
        return partial(_defined, schema["$ref"], definitions)
    unknown = schema.keys() - _NOTES - _KNOWN
    if unknown:
        raise ValueError(f"no quick check knows {sorted(unknown)}")
    checks = [*_scalar_checks(schema), *_inner_checks(schema, definitions)]
    return checks[0] if len(checks) == 1 else lambda value: all(fits(value) for fits in checks)


def _defined(name: str, definitions: Mapping[str, Fits], value: Any) -> bool:
    """Look the definition up when it is needed: it may stand behind what refers to it."""
    return definitions[name](value)


def _scalar_checks(schema: Mapping[str, Any]) -> list[Fits]:
    checks: list[Fits] = []
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        types = frozenset(kind for name in names for kind in _TYPES[name])
        checks.append(lambda value: type(value) in types)
    allowed = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])]
    if allowed:
        exact = frozenset((_kind(each), each) for each in allowed)
        checks.append(lambda value: _is_plain(value) and (type(value), value) in exact)
    return checks


def _kind(value: Any) -> type:
    """Give the type that JSON would give it: a member of a StrEnum is text."""
    return str if isinstance(value, str) else type(value)


def _is_plain(value: Any) -> bool:
    return not isinstance(value, list | dict)


def _inner_checks(schema: Mapping[str, Any], definitions: Mapping[str, Fits]) -> list[Fits]:
    checks: list[Fits] = []
    if "anyOf" in schema:
        ways = [_check(each, definitions) for each in schema["anyOf"]]
        checks.append(lambda value: any(fits(value) for fits in ways))
    if "items" in schema:
        item = _check(schema["items"], definitions)
        checks.append(lambda value: all(map(item, value)))
    if schema.keys() & {"properties", "required", "additionalProperties"}:
        checks.append(_object_check(schema, definitions))
    return checks


def _object_check(schema: Mapping[str, Any], definitions: Mapping[str, Fits]) -> Fits:
    required = frozenset(schema.get("required", ()))
    others = schema.get("additionalProperties", True)
    beyond: Fits = (
        (lambda _: bool(others)) if isinstance(others, bool) else _check(others, definitions)
    )
    properties = {
        key: _check(each, definitions) for key, each in schema.get("properties", {}).items()
    }

    def fits(value: Any) -> bool:
        return value.keys() >= required and all(
            properties.get(key, beyond)(item) for key, item in value.items()
        )

    return fits
