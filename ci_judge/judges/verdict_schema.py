"""The JSON Schema of a verdict, for servers that can be held to one."""

from typing import Any


def verdict_schema(items: int) -> dict[str, Any]:
    """Return the schema of one verdict, or of an object with a list of them."""
    one = _object(
        {
            "pass": {"type": "boolean"},
            "reason": {"type": "string", "description": "One sentence that says what decided it."},
        }
    )
    return one if items == 1 else _object({"items": {"type": "array", "items": one}})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
