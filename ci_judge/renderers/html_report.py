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
from ci_judge.renderers import wording
from ci_judge.renderers.budget_words import budget_words, reason_list
from ci_judge.renderers.changes import (
    MOST_NAMED,
    baseline_line,
    change_words,
    named_changes,
    was,
)
from ci_judge.renderers.compiled_templates import CompiledTemplates
from ci_judge.renderers.forest_plot import plot_rows
from ci_judge.renderers.html_room import Room
from ci_judge.renderers.html_view import Rooms, Views
from ci_judge.renderers.item_results import CERTAIN, item_results
from ci_judge.renderers.next_steps import next_step
from ci_judge.renderers.panel_words import panel_lines, vote_word
from ci_judge.renderers.stopped_tests import NO_RATE, is_counted, passes_of, stop_words
from ci_judge.renderers.suspicions import (
    STANDS,
    suspicion_lines,
    suspicious_count,
    suspicious_tests,
)
from ci_judge.renderers.troubles import trouble_lines
from ci_judge.renderers.waivers import IN_SHORT, waived_tests, waiver_words
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
    environment.globals.update(
        baseline_line=baseline_line,
        named_changes=named_changes,
        most_named=MOST_NAMED,
        change_words=change_words,
        was=was,
        marks=wording.MARKS,
        words=wording.WORDS,
        run_words=wording.RUN_WORDS,
        standing=wording.standing,
        in_order=wording.in_order,
        verdict=wording.verdict,
        next_step=next_step,
        waiver_words=waiver_words,
        waived_tests=waived_tests,
        waived_in_short=IN_SHORT,
        trouble_lines=trouble_lines,
        panel_lines=panel_lines,
        vote_word=vote_word,
        item_results=item_results,
        suspicion_lines=suspicion_lines,
        suspicious_count=suspicious_count,
        suspicious_tests=suspicious_tests,
        certain=CERTAIN,
        stands=STANDS,
        forgiven=wording.forgiven,
        mostly_open=wording.mostly_open,
        passes_of=passes_of,
        stop_words=stop_words,
        is_counted=is_counted,
        no_rate=NO_RATE,
        interval=wording.interval,
        rate_words=wording.rate_words,
        paragraphs=_paragraphs,
    )
    environment.filters.update(
        duration=wording.duration,
        summary_cost=wording.summary_cost,
        budget_words=budget_words,
        reason_list=reason_list,
        web_address=wording.web_address,
        short_sha=wording.short_sha,
        counted=wording.counted,
        moment=_moment,
    )
    return environment


def _shown(value: Any) -> Any:
    """Make every text that a template prints visible; escaping comes after it."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()]


def _moment(text: str) -> str:
    """``2026-03-02T09:30:00.000Z`` as ``2026-03-02 09:30 UTC``."""
    return f"{text[:16].replace('T', ' ')} UTC"


def _style(environment: Environment) -> str:
    return environment.get_template("report.css").render()


def _csp_hash(style: str) -> str:
    digest = hashlib.sha256(style.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
