"""The scalars of YAML 1.2's core schema: ``No``, ``12:30``, ``2026-01-01``, ``1_000`` are text."""

import re
from typing import Any, ClassVar

STR = "tag:yaml.org,2002:str"
_INT = "tag:yaml.org,2002:int"
_FLOAT = "tag:yaml.org,2002:float"
_BOOL = "tag:yaml.org,2002:bool"
NULL = "tag:yaml.org,2002:null"

MOST_BITS = 14_000
"""Of a whole number: Python refuses to write one of more than 4,300 decimal digits."""

_DIGITS = "+-.0123456789"


class CoreScalars:
    """Mixed into a PyYAML loader before its own resolver: which plain scalars are not text.

    The tables are PyYAML's: first character → (tag, pattern), in order of trial.
    """

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {
        "": [(NULL, re.compile(r"\Z"))],
        "~": [(NULL, re.compile(r"~\Z"))],
        "n": [(NULL, re.compile(r"null\Z"))],
        "N": [(NULL, re.compile(r"(?:Null|NULL)\Z"))],
        "t": [(_BOOL, re.compile(r"true\Z"))],
        "T": [(_BOOL, re.compile(r"(?:True|TRUE)\Z"))],
        "f": [(_BOOL, re.compile(r"false\Z"))],
        "F": [(_BOOL, re.compile(r"(?:False|FALSE)\Z"))],
        **{
            first: [
                (_INT, re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z")),
                (
                    _FLOAT,
                    re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z"),
                ),
                (_FLOAT, re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z")),
                (_FLOAT, re.compile(r"\.(?:nan|NaN|NAN)\Z")),
            ]
            for first in _DIGITS
        },
    }


def core_value(text: str) -> Any:
    """Read a text as a plain scalar: an int, a float, True, False, None, or else itself."""
    patterns = CoreScalars.yaml_implicit_resolvers.get(text[:1], [])
    tag = next((tag for tag, pattern in patterns if pattern.match(text)), STR)
    try:
        return scalar_value(tag, text)
    except ValueError:
        return text


def scalar_value(tag: str, text: str) -> Any:
    """Read a scalar by its tag.

    Raises ValueError when the text does not fit it, or the tag is none of the core schema's.
    """
    match tag:
        case "tag:yaml.org,2002:str":
            return text
        case "tag:yaml.org,2002:null":
            return None
        case "tag:yaml.org,2002:bool":
            return _boolean(text)
        case "tag:yaml.org,2002:int":
            return _whole_number(text)
        case "tag:yaml.org,2002:float":
            return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        case _:
            raise ValueError(f"the tag {tag} is not supported")


def _boolean(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise ValueError("it is neither true nor false")
    return text.lower() == "true"


def _whole_number(text: str) -> int:
    value = int(text, 0 if text.startswith(("0o", "0x")) else 10)
    if value.bit_length() > MOST_BITS:
        raise ValueError("it has too many digits")
    return value
