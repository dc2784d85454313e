"""Dotted paths into JSON, and what people write instead when they know another notation."""

import re
from typing import Annotated, TypeAlias

from pydantic import AfterValidator

from ci_judge.file_schema.markers import wrong
from ci_judge.file_schema.showing import quoted
from ci_judge.file_schema.values import FilledText

_BRACKETS = re.compile(r"""\[\s*(?:(\d+)|'([^'\]]*)'|"([^"\]]*)")\s*\]""")
_ROOT = re.compile(r"\$(?=[.\[]|\Z)|\.|/(?=\w)")


def dotted_path(text: str) -> str:
    """Refuse (by the ``wrong`` error) JSONPath, jq and JSON pointers, naming the dotted form."""
    meant = dotted_form(text)
    if meant == text:
        return text
    hint = f"did you mean {quoted(meant)}?" if meant else "leave it out to take the whole reply"
    raise wrong(f"must be keys and indexes joined by dots, not {quoted(text)}", hint=hint)


def dotted_form(text: str) -> str:
    """Write ``$.data[0].answer``, ``.data[0]`` and ``/data/0`` with dots; others stay as written.

    Empty for a path that names the whole value.
    """
    root = _ROOT.match(text)
    if root and root[0] == "/":
        return text[1:].replace("/", ".")
    if not root and not _BRACKETS.search(text):
        return text
    inside = text[root.end() :] if root else text
    return _BRACKETS.sub(lambda found: f".{_step(found)}", inside).strip(".")


def _step(found: re.Match[str]) -> str:
    return next(step for step in found.groups() if step is not None)


DottedPath: TypeAlias = Annotated[FilledText, AfterValidator(dotted_path)]
"""A dotted path with list indexes from 0: ``choices.0.message.content``."""
