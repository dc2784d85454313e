"""The formats of the report: a new one is one line here."""

from importlib import import_module
from typing import Final, cast

from ci_judge.protocols import Renderer

_HOMES: Final = {
    "json": "ci_judge.renderers.json_report",
    "junit": "ci_judge.renderers.junit",
    "html": "ci_judge.renderers.html_report",
    "markdown": "ci_judge.renderers.markdown",
    "console": "ci_judge.renderers.console",
}
FORMATS: Final = tuple(_HOMES)


def renderer(name: str) -> Renderer:
    """Load the renderer of a format when it is used; KeyError for a name not in FORMATS."""
    return cast("Renderer", import_module(_HOMES[name]))
