"""The words of one version of the prompt: a file of named sections, filled in once.

``judge.prompt_version`` pins a version, so a file that was released is never edited: better words
are a new file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

PromptVersion: TypeAlias = Literal["1"]
"""The versions there are: ``v1.md`` beside this file, and so on."""

LATEST_VERSION: Final[PromptVersion] = "1"

_HEADING = re.compile(r"^=== (.+)\n", re.MULTILINE)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """Sections by name. What is filled in is never looked at again."""

    sections: Mapping[str, str]

    def filled(self, section: str, /, **texts: str) -> str:
        """Return a section with its places filled in. Raises KeyError for one that is not given."""
        return _PLACE.sub(lambda match: texts[match[1]], self.sections[section])


def parse_template(text: str) -> PromptTemplate:
    """Read the sections of a version: ``=== name``, then its text without the line end."""
    _, *parts = _HEADING.split(text)
    sections = {
        name: body.removesuffix("\n") for name, body in zip(parts[::2], parts[1::2], strict=True)
    }
    return PromptTemplate(sections=sections)


@cache
def prompt_template(version: PromptVersion) -> PromptTemplate:
    file = files(__package__).joinpath(f"v{version}.md")
    return parse_template(file.read_text(encoding="utf-8"))
