"""Runs the suite for the action, and tells the log how it goes."""

import traceback
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from ci_judge.action.order import Judged, Order
from ci_judge.action_inputs import INPUTS, Override
from ci_judge.app import Finished, FrontDoor, RunOptions, execute
from ci_judge.engine.stopping import StopSign
from ci_judge.model.document import GroupEntry
from ci_judge.protocols import Progress
from ci_judge.redaction import Redactor
from ci_judge.renderers import console, markdown
from ci_judge.renderers.markdown_fit import fit
from ci_judge.renderers.progress import PlainProgress
from ci_judge.settings import Given
from ci_judge.sinks.fitting import MarkdownWithin, utf8_bytes, utf16_units
from ci_judge.sinks.log import LogWriter
from ci_judge.visible_text import one_line
from ci_judge.workflows.planning import Plan, Selection
from ci_judge.workflows.surroundings import Surroundings

_TITLE_CHARS = 200
_ROOM_FOR_TESTS = 5
"""Warnings that GitHub keeps of a step: these are left for tests that could not be decided."""


async def run_suite(
    order: Order, log: LogWriter, stop_sign: StopSign, *, surroundings: Surroundings
) -> Judged:
    """Run what is ordered, write the files, and show the report in the log."""
    options = RunOptions(
        config=Path(order.config) if order.config else None,
        top=order.workspace,
        overrides={key: _given(key, value) for key, value in order.overrides.items()},
        selection=Selection(names=order.select, tags=order.tags, names_by="select", tags_by="tags"),
        secrets=order.secrets,
        requirements=order.requirements,
        context=order.context.entry(),
        look_for_baseline=order.look_for_baseline,
        look_for_earlier=order.look_for_earlier,
        fresh=order.fresh,
    )
    with ExitStack() as fold:
        finished = await execute(
            options,
            replace(surroundings, cwd=order.working_directory),
            front=ActionFront(log, fold),
            stop_sign=stop_sign,
        )
    _show(finished, log)
    return Judged(
        document=finished.document,
        runs=finished.runs,
        root=finished.settings.root,
        report_dir=finished.report_dir,
        files=finished.files,
        summary_markdown=_markdown(finished, utf8_bytes),
        comment_markdown=_markdown(finished, utf16_units),
    )


def _given(key: str, value: Override) -> Given:
    (name,) = (name for name, spec in INPUTS.items() if spec.setting == key)
    return Given(value=value if isinstance(value, str) else list(value), by=f"the input {name}")


class ActionFront(FrontDoor):
    """Tells the step's log what goes on, folded until ``fold`` closes; masks come before it."""

    def __init__(self, log: LogWriter, fold: ExitStack | None = None) -> None:
        self._log = log
        self._fold = fold

    def protect(self, redactor: Redactor) -> None:
        self._log.protect(redactor)
        if self._fold is not None:
            self._fold.enter_context(self._log.group("Tests as they finish"))

    def planned(self, plan: Plan) -> Progress:
        del plan
        return PlainProgress(self._log.line)

    def note(self, text: str) -> None:
        self._log.line(text)

    def overheard(self, text: str) -> None:
        self._log.untrusted(text)

    def warn(self, text: str) -> None:
        if (self._log.room("warning") or 0) > _ROOM_FOR_TESTS:
            self._log.command("warning", text, title="CI Judge")
        else:
            self._log.line(f"warning: {text}")

    def crashed(self, error: Exception) -> None:
        self._log.untrusted("".join(traceback.format_exception(error)))


def _show(finished: Finished, log: LogWriter) -> None:
    """Fold each criterion's tests under its title; the result stays in sight."""
    for group in finished.document["groups"]:
        with log.group(_title(group)):
            for line in console.group_lines(group, finished.runs):
                log.line(line)
    for line in console.result_lines(finished.document):
        log.line(line)


def _title(group: GroupEntry) -> str:
    """Say with the group's name how it went: folded, nothing else of it is seen."""
    words = {
        "passed": "passed",
        "failed": "failed",
        "error": "undecided",
        "waived": "waived",
        "skipped": "skipped",
    }
    results = [test["result"] for test in group["tests"]]
    counts = [f"{results.count(key)} {word}" for key, word in words.items() if key in results]
    return one_line(f"{', '.join(counts) or 'no test'}: {group['title']}", limit=_TITLE_CHARS)


def _markdown(finished: Finished, measure: Callable[[str], int]) -> MarkdownWithin:
    def within(limit: int) -> str:
        blocks = markdown.blocks(finished.document, finished.runs)
        return fit(blocks, limit=limit, measure=measure)

    return within
