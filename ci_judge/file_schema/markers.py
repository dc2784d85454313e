"""What an annotated type tells about itself, beyond what pydantic knows."""

from dataclasses import dataclass
from typing import Any

from pydantic_core import PydanticCustomError


@dataclass(frozen=True, slots=True)
class AsWritten:
    """A number or boolean that was typed here without quotes is taken as the text it was."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What stands after "must be" when a value is refused."""

    words: str


@dataclass(frozen=True, slots=True)
class Secret:
    """The value is never shown, neither in an error nor in a report."""


def wrong(
    message: str, *, hint: str | None = None, key: str | tuple[str, ...] = ()
) -> PydanticCustomError:
    """Build the error that a validator raises.

    ``message`` continues the name of the key ("must be …"); ``key`` blames a key of the map
    (or a path below it) that a model validator looks at.
    """
    context: dict[str, Any] = {
        "said": message,
        "hint": hint,
        "key": (key,) if isinstance(key, str) else key,
    }
    return PydanticCustomError("wrong", "{said}", context)
