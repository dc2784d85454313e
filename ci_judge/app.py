"""The story: load, run, judge, decide, publish."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ci_judge.document.cleaning import clean_entry
from ci_judge.engine.ledger import LEDGER_NAME, Ledger
from ci_judge.engine.panel_votes import PanelVotes
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import CiJudgeError
from ci_judge.model.document import ReportDocument
from ci_judge.model.judging import Run
from ci_judge.model.results import TestResult
from ci_judge.protocols import Progress, RunSource
from ci_judge.redaction import Redactor
from ci_judge.settings import Settings, load_settings
from ci_judge.sinks.files import ReportFiles, prepare_report_folder
from ci_judge.workflows.baseline import Baseline, read_baseline
from ci_judge.workflows.memory import Memory, open_memory
from ci_judge.workflows.opening import Household, OpenBench, open_bench, open_household
from ci_judge.workflows.planning import Plan, Selection, Strictness, make_plan
from ci_judge.workflows.publishing import clear_old_reports, report_formats
from ci_judge.workflows.secrecy import make_redactor, secrets_in_use
from ci_judge.workflows.story import Story
from ci_judge.workflows.surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What a front door asks for. ``overrides`` maps dotted configuration keys to text.

    ``top`` is where the search for a configuration ends; ``secrets`` are values that no output may
    show besides those the configuration uses;
    ``context`` is what ``run`` in the report says of commit, branch and CI run.
    """

    config: Path | None = None
    top: Path | None = None
    overrides: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    selection: Selection = field(default_factory=Selection)
    max_failures: int | None = None
    junit_copy: Path | None = None
    secrets: tuple[str, ...] = ()
    context: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


class FrontDoor:
    """Who is told what goes on. This one is told and says nothing; front doors override it."""

    def protect(self, redactor: Redactor) -> None:
        """Learn the secrets, before anything that could hold one is said."""

    def planned(self, plan: Plan) -> Progress:
        """Learn what will be run; returns who watches it."""
        del plan
        return _Unwatched()

    def warn(self, text: str) -> None:
        """Hear a warning that is in no report."""

    def crashed(self, error: Exception) -> None:
        """Hear of a bug of ours that cost one format of the report."""


class _Unwatched:
    def run_finished(self, run: Run) -> None:
        pass

    def test_finished(self, result: TestResult) -> None:
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A run that is over, its report on disk. ``files`` maps formats to paths."""

    document: ReportDocument
    runs: RunSource
    settings: Settings
    report_dir: Path
    files: Mapping[str, Path]


async def execute(
    options: RunOptions,
    surroundings: Surroundings,
    *,
    front: FrontDoor,
    stop_sign: StopSign,
) -> Finished:
    """Run a suite and write its report.

    Raises CiJudgeError for what stops it before the first run. After that the report is written
    whatever happens, and says if it is partial.
    """
    settings = load_settings(
        config=options.config,
        cwd=surroundings.cwd,
        environment=surroundings.environment,
        overrides=options.overrides,
        top=options.top,
    )
    redactor = make_redactor(settings, surroundings, further=options.secrets)
    front.protect(redactor)
    try:
        return await _carry_out(
            _Order(
                options=options,
                surroundings=surroundings,
                settings=settings,
                redactor=redactor,
                front=front,
                stop_sign=stop_sign,
            )
        )
    except CiJudgeError as error:
        error.clean(redactor.text)
        raise


async def _carry_out(order: "_Order") -> Finished:
    settings, stop_sign = order.settings, order.stop_sign
    async with AsyncExitStack() as stack:
        household = open_household(settings, order.surroundings, stack, redact=order.redactor.text)
        plan = await stop_sign.before(_plan(order, household))
        baseline = read_baseline(settings)
        ledger = _open_ledger(order)
        progress = order.front.planned(plan)
        bench = await stop_sign.before(
            open_bench(settings, order.surroundings, plan, household=household, stack=stack)
        )
        memory = open_memory(settings, order.redactor, stack)
        story = _begin(order, plan, bench, memory, baseline)
        results = await story.run(
            ledger, progress, stop_sign, max_failures=order.options.max_failures
        )
        # Before anything is closed: closing may take its time, and a cancelled step has little.
        document = story.document(results, stop_sign, context=order.options.context)
        files = await _publish(order, document, ledger)
    return Finished(
        document=document,
        runs=ledger,
        settings=settings,
        report_dir=settings.report_dir,
        files=files,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """What every step of one run is told."""

    options: RunOptions
    surroundings: Surroundings
    settings: Settings
    redactor: Redactor
    front: FrontDoor
    stop_sign: StopSign


async def _plan(order: _Order, household: Household) -> Plan:
    return await make_plan(
        order.settings,
        order.surroundings,
        order.options.selection,
        hosts=household.hosts,
        strictness=Strictness(allow_unreachable="run.runs" in order.options.overrides),
    )


def _open_ledger(order: _Order) -> Ledger:
    """Claim the report folder; nothing of an earlier run stays that could pass for this one's."""
    folder = order.settings.report_dir
    prepare_report_folder(folder)
    ledger = Ledger(folder / LEDGER_NAME, clean=partial(clean_entry, redactor=order.redactor))
    clear_old_reports(order.settings, junit_copy=order.options.junit_copy)
    return ledger


def _begin(
    order: _Order, plan: Plan, opened: OpenBench, memory: Memory, baseline: Baseline | None
) -> Story:
    secrets = secrets_in_use(order.settings, order.surroundings)
    story = Story(
        settings=order.settings,
        surroundings=order.surroundings,
        plan=plan,
        bench=replace(opened, bench=memory.equip(opened.bench)),
        memory=memory,
        redactor=order.redactor,
        secret_warnings=secrets.warnings(),
        started=order.surroundings.wall_clock(),
        panel_votes=PanelVotes(len(opened.bench.seats.taken)),
        baseline=baseline,
    )
    looked = opened.looked
    story.spending.add_judge_requests(looked.requests, looked.usage, cost_usd=looked.cost_usd)
    return story


async def _publish(order: _Order, document: ReportDocument, runs: RunSource) -> Mapping[str, Path]:
    files = ReportFiles(
        report_formats(order.settings, junit_copy=order.options.junit_copy),
        warn=order.front.warn,
        crashed=order.front.crashed,
    )
    await files.publish(document, runs)
    return files.written


async def run(
    config: str | Path | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    select: str | None = None,
    tags: str | None = None,
) -> ReportDocument:
    """Run a suite from Python and return the report, runs included, as in ``report.json``.

    ``config`` is the configuration file (found as by the command when None), ``overrides`` maps
    dotted keys to values ({"run.runs": 5}), ``select`` and ``tags`` are as ``-k`` and ``-m``.
    A failed gate is no exception: look at ``report["status"]``. Raises CiJudgeError when the
    input is wrong. Works inside a running event loop; two runs at once need two report folders.
    """
    options = RunOptions(
        config=None if config is None else Path(config),
        overrides=overrides or {},
        selection=Selection(names=select, tags=tags),
    )
    finished = await execute(options, Surroundings.real(), front=FrontDoor(), stop_sign=StopSign())
    return await asyncio.to_thread(_with_runs, finished)


def _with_runs(finished: Finished) -> ReportDocument:
    document = finished.document
    for group in document["groups"]:
        for test in group["tests"]:
            test["runs"] = list(finished.runs.runs(test["id"]))
    return document
