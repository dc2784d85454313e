"""What a case may return: a strict, copied JSON value, or the place and remedy of what is not.

Runs in the process of the case files, so it uses the standard library only.
"""

import math
from types import FunctionType
from typing import Any

MAX_DEPTH = 100
MAX_BYTES = 10 * 1024 * 1024
MAX_INTEGER_BITS = 14_000  # Python refuses to write or read more than 4,300 digits


class EvidenceRefused(Exception):
    """The value is not evidence. The message names the path inside the value and the remedy."""


def copy_evidence(value: object) -> Any:
    """Copy a value made of dict (text keys), list, tuple, str, int, finite float, bool and None.

    Subclasses of dict and list count as such, tuples as lists; any other subclass is refused, so
    that nothing is converted unseen. Raises EvidenceRefused.
    """
    return _copy(value, path="$", parents=())


def _copy(value: object, *, path: str, parents: tuple[int, ...]) -> Any:
    if value is None or type(value) in {bool, str}:
        return value
    if type(value) is int:
        return _integer(value, path=path)
    if type(value) is float:
        return _finite(value, path=path)
    if isinstance(value, dict | list) or type(value) is tuple:
        return _container(value, path=path, parents=parents)
    raise EvidenceRefused(f"{path} is {_article(type(value).__name__)}; {_remedy(value)}")


def _integer(value: int, *, path: str) -> int:
    if value.bit_length() > MAX_INTEGER_BITS:
        raise EvidenceRefused(f"{path} is an int of more than 4,000 digits; use a shorter text")
    return value


def _finite(value: float, *, path: str) -> float:
    if not math.isfinite(value):
        raise EvidenceRefused(f"{path} is {value}, which JSON cannot hold; use None or a text")
    return value


def _container(
    value: dict[Any, Any] | list[Any] | tuple[Any, ...], *, path: str, parents: tuple[int, ...]
) -> Any:
    if id(value) in parents:
        raise EvidenceRefused(f"{path} contains itself; return a copy without the circle")
    if len(parents) >= MAX_DEPTH:
        raise EvidenceRefused(f"{path} is nested more than {MAX_DEPTH} levels deep; flatten it")
    inside = (*parents, id(value))
    if isinstance(value, dict):
        return {
            _key(key, path=path): _copy(item, path=_below(path, key), parents=inside)
            for key, item in list(value.items())  # a snapshot: a thread may still change it
        }
    return [
        _copy(item, path=f"{path}[{index}]", parents=inside)
        for index, item in enumerate(list(value))
    ]


def _key(key: object, *, path: str) -> str:
    if type(key) is not str:
        shown = f"{_article(type(key).__name__)} ({_short(key)})"
        raise EvidenceRefused(f"{path} has a key that is {shown}; keys must be texts: use str(key)")
    return key


def _below(path: str, key: object) -> str:
    text = _short(key) if type(key) is not str else key[:80]
    return f"{path}.{text}" if text.isidentifier() else f"{path}[{text!r}]"


def _short(value: object) -> str:
    try:
        return repr(value)[:80]
    except Exception:  # noqa: BLE001 - the repr is the user's code
        return "…"


def _article(name: str) -> str:
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


REMEDIES = {
    "Decimal": "use float(x) or str(x)",
    "Fraction": "use float(x) or str(x)",
    "complex": "use [x.real, x.imag]",
    "datetime": "use x.isoformat()",
    "date": "use x.isoformat()",
    "time": "use x.isoformat()",
    "timedelta": "use x.total_seconds()",
    "set": "use sorted(x)",
    "frozenset": "use sorted(x)",
    "bytes": "use x.decode()",
    "bytearray": "use x.decode()",
    "memoryview": "use bytes(x).decode()",
    "generator": "return list(…) of it instead of yielding",
    "async_generator": "collect it in a list and return that instead of yielding",
    "coroutine": "await it",
    "UUID": "use str(x)",
    "ndarray": "use x.tolist()",
    "DataFrame": 'use x.to_dict("records")',
}
REMEDIES_BY_ATTRIBUTE = (
    ("__dataclass_fields__", "use dataclasses.asdict(x)"),
    ("model_dump", 'use x.model_dump(mode="json")'),
    ("_asdict", "use x._asdict()"),
    ("isoformat", "use x.isoformat()"),
    ("tolist", "use x.tolist()"),
    ("item", "use x.item()"),
    ("__fspath__", "use str(x)"),
    ("__next__", "use list(x)"),
)
REMEDIES_BY_BASE = ((str, "str(x)"), (int, "int(x)"), (float, "float(x)"), (tuple, "list(x)"))


def _remedy(value: object) -> str:
    kind = type(value)
    if kind.__name__ in REMEDIES:
        return REMEDIES[kind.__name__]
    if isinstance(value, type | FunctionType):
        return "call it and return what it gives"
    if hasattr(kind, "__members__"):
        return "use x.value"
    found = (text for name, text in REMEDIES_BY_ATTRIBUTE if hasattr(kind, name))
    bases = (f"use {text}" for base, text in REMEDIES_BY_BASE if isinstance(value, base))
    other = "make it a dict, list, text or number"
    return next(found, None) or next(bases, None) or other
