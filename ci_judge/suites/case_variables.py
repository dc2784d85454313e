"""Variables that a case asks for and does not get to see."""

import re
from collections.abc import Collection, Mapping

from ci_judge.processes.environment import NEVER_PASSED

_WORD = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]*\b")
_KEY_ERROR = re.compile(r"KeyError: '([A-Za-z_][A-Za-z0-9_]*)'")


def hidden_variable(
    message: str,
    *,
    environment: Mapping[str, str],
    passed: Mapping[str, str],
    names: Collection[str] = (),
) -> str | None:
    """Say why a case does not see a variable that an exception's message names.

    ``names`` are those of suite.env, ``passed`` the whole environment of cases.
    """
    missed = _KEY_ERROR.search(message)
    if missed and missed[1] in names and missed[1] not in environment:
        return f"suite.env names {missed[1]}, but it is not set"
    words = [missed[1]] if missed else [word for word in _WORD.findall(message) if "_" in word]
    hidden = (word for word in words if word in environment and word not in passed)
    name = next((word for word in hidden if not NEVER_PASSED.fullmatch(word)), None)
    if name is None:
        return None
    return f"cases see only the variables that suite.env names: add {name} to it"
