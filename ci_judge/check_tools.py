"""What checks borrow from elsewhere: patterns with a time limit, and JSON Schema.

The only home of ``regex`` (the standard library's engine cannot be interrupted) and, besides the
report's validation, of ``jsonschema``. Both are imported when first used.
"""

import time
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from ci_judge.model.suite import JsonValue
from ci_judge.rules.checks import CheckTools, Undecided

PATTERN_TIMEOUT_SECONDS = 1.0
SCHEMA_TIMEOUT_SECONDS = 5.0
_LONGEST_MESSAGE = 200


def check_tools(
    *,
    timeout_seconds: float = PATTERN_TIMEOUT_SECONDS,
    schema_seconds: float = SCHEMA_TIMEOUT_SECONDS,
    redact: Callable[[str], str] = str,
) -> CheckTools:
    """Return the tools.

    A pattern that takes longer than ``timeout_seconds``, or a schema that takes longer than
    ``schema_seconds``, is undecided. ``redact`` takes the secrets out of what is quoted.
    """

    def violation(schema: JsonValue, value: JsonValue) -> str | Undecided | None:
        timed = _TimedKeywords(timeout_seconds, deadline=time.monotonic() + schema_seconds)
        return _violation(schema, value, timed, redact)

    return CheckTools(
        search=lambda pattern, text: _search(pattern, text, timeout_seconds=timeout_seconds),
        violation=violation,
        redact=redact,
    )


def pattern_error(pattern: str) -> str | None:
    """Say why a pattern is not a regular expression; None when it is one."""
    import regex  # noqa: PLC0415 - costs a start what only some suites need

    try:
        regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        return _bounded(str(error))
    return None


def schema_error(schema: JsonValue) -> str | None:
    """Say why a value is not a usable JSON Schema; None when it is.

    Draft 2020-12 unless ``$schema`` names another. A reference to another document is an error:
    nothing is ever fetched.
    """
    if not isinstance(schema, dict | bool):
        return "a schema is an object (or true or false)"
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415 - see above

    try:
        kind = _validator_kind(schema)
        kind.check_schema(schema)
    except SchemaError as error:
        return _bounded(f"{error.json_path}: {error.message}")
    except (ValueError, RecursionError, OverflowError) as error:
        return _bounded(str(error))
    return _foreign_reference(schema)


def _search(pattern: str, text: str, *, timeout_seconds: float) -> bool | Undecided:
    import regex  # noqa: PLC0415 - see above

    try:
        # concurrent: other runs go on meanwhile, where this runs in a thread of its own
        return regex.search(pattern, text, timeout=timeout_seconds, concurrent=True) is not None
    except TimeoutError:
        return Undecided(message=f"the pattern took longer than {timeout_seconds:g} s")
    except (regex.error, RecursionError, MemoryError) as error:
        return Undecided(message=_bounded(f"the pattern does not work: {error}"))


class _SchemaUndecided(Exception):
    """A schema, or a pattern inside of it, could not be decided in time."""


def _violation(
    schema: JsonValue, value: JsonValue, timed: "_TimedKeywords", redact: Callable[[str], str]
) -> str | Undecided | None:
    from jsonschema.exceptions import best_match  # noqa: PLC0415 - see above
    from referencing import Registry  # noqa: PLC0415 - see above
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - see above

    try:
        # an explicit registry: without one, remote references would be fetched
        kind = timed.applied_to(_validator_kind(schema))
        worst = best_match(kind(schema, registry=Registry()).iter_errors(value))
    except _SchemaUndecided as undecided:
        return Undecided(message=str(undecided))
    except Unresolvable as error:
        return Undecided(message=_bounded(f"the schema's reference {error.ref} leads nowhere"))
    except RecursionError:
        return Undecided(message="the schema or the value is nested too deep")
    except Exception as error:  # noqa: BLE001 - the library stumbles over odd values in many ways
        said = redact(f"{type(error).__name__}: {error}")
        return Undecided(message=_bounded(f"the schema does not work on this value ({said})"))
    return None if worst is None else _bounded(redact(f"{worst.json_path}: {worst.message}"))


def _validator_kind(schema: JsonValue) -> Any:
    """Return the validator class of a schema. Raises ValueError for an unknown ``$schema``."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - see above
    from jsonschema.validators import validator_for  # noqa: PLC0415 - see above

    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None:
        return Draft202012Validator
    kind = validator_for({"$schema": str(named)}, default=Draft202012Validator)
    if kind.META_SCHEMA["$schema"].rstrip("#") != str(named).rstrip("#"):
        raise ValueError(f"unknown $schema {named!r}")
    return kind


class _TimedKeywords:
    """Keywords with time limits, which the library's own do not have. Raises when time runs out.

    Those that use patterns or take quadratic time are replaced; the others look at the clock.
    """

    def __init__(self, timeout_seconds: float, *, deadline: float) -> None:
        self._timeout_seconds = timeout_seconds
        self._deadline = deadline

    def applied_to(self, kind: Any) -> Any:
        """Give the validator class with these keywords."""
        from jsonschema.validators import extend  # noqa: PLC0415 - see above

        own = {
            "additionalProperties": self.additional_properties,
            "pattern": self.pattern,
            "patternProperties": self.pattern_properties,
            "uniqueItems": self.unique_items,
        }
        keywords = {**kind.VALIDATORS, **own}
        timed = {name: self._timed(keyword) for name, keyword in keywords.items()}
        return extend(kind, timed)  # type: ignore[no-untyped-call]  # as the stubs have it

    def _timed(self, keyword: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
        def look_and_check(*arguments: Any) -> Iterator[Any]:
            if time.monotonic() > self._deadline:
                raise _SchemaUndecided("the schema took too long on this value")
            yield from keyword(*arguments) or ()

        return look_and_check

    def additional_properties(
        self, validator: Any, wanted: Any, instance: Any, schema: dict[str, Any]
    ) -> Iterator[Any]:
        from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - see above

        if not isinstance(instance, dict):
            return
        named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        extra = [
            key
            for key in instance
            if key not in named and not any(self._holds(pattern, key) for pattern in patterns)
        ]
        if isinstance(wanted, dict):
            for key in extra:
                yield from validator.descend(instance[key], wanted, path=key)
        elif wanted is False and extra:
            shown = ", ".join(map(repr, extra[:5]))
            yield ValidationError(f"Additional properties are not allowed ({shown})")

    def unique_items(self, _: Any, wanted: Any, instance: Any, __: Any) -> Iterator[Any]:
        from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - see above

        if wanted is True and isinstance(instance, list):
            seen: set[Hashable] = set()
            for number, item in enumerate(instance):
                form = _hashable(item)
                if form in seen:
                    yield ValidationError(f"item {number} is there twice")
                    return
                seen.add(form)

    def pattern(self, _: Any, wanted: str, instance: Any, __: Any) -> Iterator[Any]:
        from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - see above

        if isinstance(instance, str) and not self._holds(wanted, instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    def pattern_properties(
        self, validator: Any, wanted: dict[str, Any], instance: Any, _: Any
    ) -> Iterator[Any]:
        if not isinstance(instance, dict):
            return
        for expression, inner in wanted.items():
            for key in [key for key in instance if self._holds(expression, key)]:
                yield from validator.descend(instance[key], inner, path=key, schema_path=expression)

    def _holds(self, pattern: str, text: str) -> bool:
        found = _search(pattern, text, timeout_seconds=self._timeout_seconds)
        if isinstance(found, Undecided):
            raise _SchemaUndecided(found.message)
        return found


def _hashable(value: JsonValue) -> Hashable:
    """Give what is equal exactly for equal JSON values: 1 is 1.0, and true is not 1."""
    match value:
        case dict():
            return ("object", frozenset((key, _hashable(item)) for key, item in value.items()))
        case list():
            return ("array", tuple(map(_hashable, value)))
        case bool():
            return ("boolean", value)
        case _:
            return ("scalar", value)


def _foreign_reference(schema: JsonValue) -> str | None:
    """Name the first reference that leads out of the schema (to no ``$id`` in it)."""
    known = {_document(found) for found in _values_of(schema, "$id")}
    for reference in (*_values_of(schema, "$ref"), *_values_of(schema, "$dynamicRef")):
        document = _document(reference)
        if "://" in document and document not in known and not _is_metaschema(document):
            return f'the reference "{_bounded(reference)}" leads to another document'
    return None


def _document(reference: str) -> str:
    return reference.partition("#")[0]


def _is_metaschema(document: str) -> bool:
    return document.startswith(("https://json-schema.org/", "http://json-schema.org/"))


def _values_of(schema: JsonValue, key: str) -> list[str]:
    """Collect the texts that stand under a key anywhere in a schema."""
    found: list[str] = []
    waiting = [schema]
    while waiting:
        match waiting.pop():
            case dict() as node:
                named = node.get(key)
                found += [named] if isinstance(named, str) else []
                waiting += node.values()
            case list() as nodes:
                waiting += nodes
            case _:
                pass
    return found


def _bounded(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_MESSAGE else f"{line[:_LONGEST_MESSAGE]}…"


def substitute(pattern: str, replacement: str, text: str) -> str:
    """Replace every match of a pattern. Raises TimeoutError when that takes too long."""
    import regex  # noqa: PLC0415 - as above

    return regex.sub(pattern, replacement, text, timeout=PATTERN_TIMEOUT_SECONDS)
