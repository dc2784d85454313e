"""The JSON Schema of a verdict, for servers that can be held to one."""

from typing import Any


def verdict_schema(items: int) -> dict[str, Any]:
    """Return the schema of one verdict, or of an object with a list of them."""
    one = object_schema(
        {
            "pass": {"type": "boolean"},
            "reason": {"type": "string", "description": "One sentence that says what decided it."},
        }
    )
    return one if items == 1 else object_schema({"items": {"type": "array", "items": one}})


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these keys, as providers want it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
