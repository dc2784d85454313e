"""The page of ``report.json``: its keys, and the closed lists of reasons in it."""

from collections.abc import Iterator
from typing import Any

from ci_judge.errors import ExitCode
from ci_judge.renderers.report_schema import report_schema
from ci_judge.workflows.reference.configuration import MADE_BY
from ci_judge.workflows.reference.pages import code, page, paragraphs, table
from ci_judge.workflows.reference.reason_words import CODES, EXIT_CODES

_HEAD = """\
Every other format is made from this file; `ci-judge render` makes them again. Keys are only ever
added within one `schema_version`, so read it tolerantly. Times are UTC in ISO 8601, durations
seconds, rates from 0 to 1, money USD; what is not known is null, never 0. The schema for
programs is [`schemas/report.schema.json`](../../schemas/report.schema.json)."""
_REASONS = """\
A run without a verdict has one of these in `reason_code`, and `reasons` counts them for each
test and for the whole report. None of them is ever a pass or a fail."""


def report_page() -> str:
    schema = report_schema()
    parts = [_entry("ReportDocument", schema)]
    parts += [_entry(name, each) for name, each in schema["$defs"].items()]
    return page("report.json", _HEAD, *parts, *_closed_lists(), made_by=MADE_BY)


def _closed_lists() -> Iterator[str]:
    yield "## Reason codes"
    yield _REASONS
    yield table(("code", "meaning"), [[code(str(one)), said] for one, said in CODES.items()])
    yield "## Exit codes"
    rows = [[str(one.value), EXIT_CODES[one]] for one in ExitCode]
    yield table(("exit code", "meaning"), rows)


def _entry(name: str, schema: dict[str, Any]) -> str:
    keys = schema["properties"].items()
    optional = {key for key, _ in keys} - set(schema["required"])
    rows = [[code(key), _kind(kind) + (", optional" * (key in optional))] for key, kind in keys]
    said = paragraphs(schema.get("description", ""))
    return "\n\n".join(filter(None, (f"## {name}", said, table(("key", "value"), rows))))


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema or "const" in schema:
        choices = schema.get("enum") or [schema["const"]]
        return ", ".join(code(str(choice)) for choice in choices)
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    return _of_type(schema)


def _of_type(schema: dict[str, Any]) -> str:
    match schema.get("type"):
        case None:
            return "any JSON"
        case "array":
            return f"list of {_kind(schema['items'])}"
        case "object":
            return f"map of {_kind(schema['additionalProperties'])}"
        case list() as kinds:
            return " or ".join(map(_word, kinds))
        case kind:
            return _word(kind)


def _word(kind: str) -> str:
    return {"string": "text", "integer": "whole number", "boolean": "true or false"}.get(kind, kind)
