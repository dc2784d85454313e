"""From the checks of a scenario file to checks that can be made, patterns and schemas proven."""

import json
from pathlib import Path
from typing import Any

from ci_judge.check_tools import pattern_error, schema_error
from ci_judge.errors import InvalidInput, Place
from ci_judge.file_schema import read_text
from ci_judge.model.suite import Check, CheckKind, JsonValue
from ci_judge.suites.scenario_file import CheckKeys


class UnfitCheck(ValueError):
    """A check that cannot be made; the text continues the name of its key."""


def check_of(keys: CheckKeys, *, folder: Path, place: Place | None = None) -> Check:
    """Return the check; a schema's path is taken from ``folder``.

    ``place`` is where it stands. Raises UnfitCheck for a pattern or schema that is wrong, or a
    schema that cannot be read.
    """
    kind = CheckKind(keys.kind)
    operand = _operand(kind, getattr(keys, kind.value), folder)
    return Check(kind=kind, operand=operand, inside=keys.inside, place=place)


def _operand(kind: CheckKind, value: Any, folder: Path) -> JsonValue:
    match kind:
        case CheckKind.REGEX:
            _refuse(pattern_error(value))
            return value
        case CheckKind.JSON_SCHEMA:
            schema = _schema_file(folder / value) if isinstance(value, str) else value
            _refuse(schema_error(schema))
            return schema
        case CheckKind.JSON_PATH:
            return {"path": value.path, "equals": value.equals}
        case CheckKind.TOOLS_CALLED:
            return list(value)
        case _:
            return value


def _refuse(problem: str | None) -> None:
    if problem is not None:
        raise UnfitCheck(problem)


def _schema_file(path: Path) -> JsonValue:
    try:
        schema: Any = json.loads(read_text(path, file=path.as_posix()))
    except InvalidInput as error:
        raise UnfitCheck(f'names the file "{path.name}": {error.problems[0].message}') from error
    except (ValueError, RecursionError) as error:
        raise UnfitCheck(f'names "{path.name}", which is not JSON: {error}') from error
    return schema
