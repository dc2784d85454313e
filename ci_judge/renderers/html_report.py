"""``report.html``: one file that shows the result to people; no scripts, no requests."""

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ci_judge.model.document import ReportDocument
from ci_judge.protocols import RunSource
from ci_judge.renderers import html_words
from ci_judge.renderers.compiled_templates import CompiledTemplates
from ci_judge.renderers.forest_plot import plot_rows
from ci_judge.renderers.html_room import Room
from ci_judge.renderers.html_view import Rooms, Views
from ci_judge.visible_text import visible

BAD_BYTES: Final = 5 * 512 * 1024
SAMPLE_BYTES: Final = 512 * 1024
_PIECES: Final = 256
_TEMPLATE_NAMES: Final = ("report.html", "pieces.html", "report.css")
_TEMPLATES: Final = Path(__file__).parent / "templates"


def render(document: ReportDocument, runs: RunSource) -> Iterator[str]:
    """Yield the page piece by piece; transcripts give way where it would get too large."""
    environment = _environment()
    style = _style(environment)
    stream = environment.get_template("report.html").stream(
        report=document,
        views=_views(document, runs),
        plot=list(plot_rows(document)),
        style=Markup(style),  # noqa: S704 - our own file
        style_hash=_csp_hash(style),
    )
    stream.enable_buffering(_PIECES)
    yield from stream
    yield "\n"


def compile_templates() -> None:
    """Compile all templates, which keeps them: an image does so once, when it is built."""
    for name in _TEMPLATE_NAMES:
        _environment().get_template(name)


def _views(document: ReportDocument, runs: RunSource) -> Views:
    tests = [test for group in document["groups"] for test in group["tests"]]
    rooms = Rooms(
        bad=Room(total_bytes=BAD_BYTES, tests=len(tests)),
        samples=Room(total_bytes=SAMPLE_BYTES, tests=len(tests)),
    )
    return Views(runs, rooms=rooms, all_transcripts=_all_transcripts(document))


def _all_transcripts(document: ReportDocument) -> bool:
    section = document["settings"].get("report")
    return isinstance(section, dict) and section.get("transcripts") == "all"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ci_judge.renderers"),
        bytecode_cache=CompiledTemplates(_TEMPLATES / "__pycache__"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(html_words.NAMES)
    environment.filters.update(html_words.FILTERS)
    return environment


def _shown(value: Any) -> Any:
    """Make every text that a template prints visible; escaping comes after it."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


def _style(environment: Environment) -> str:
    return environment.get_template("report.css").render()


def _csp_hash(style: str) -> str:
    digest = hashlib.sha256(style.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
