"""The story: load, run, judge, decide, publish."""

import asyncio
import sys
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
from ci_judge.settings import Demand, Settings, load_settings
from ci_judge.sinks.files import ReportFiles, prepare_report_folder
from ci_judge.sinks.ownership import hand_over, heir_of
from ci_judge.workflows.baseline import FoundBaseline, LookForBaseline, find_baseline
from ci_judge.workflows.children import open_children
from ci_judge.workflows.continuing import Continuation, go_on_from
from ci_judge.workflows.earlier_attempts import LookForEarlier
from ci_judge.workflows.fingerprint import fingerprint
from ci_judge.workflows.handing_out import Handout
from ci_judge.workflows.memory import Memory, open_memory
from ci_judge.workflows.opening import Household, OpenBench, open_bench, open_household
from ci_judge.workflows.planning import Plan, Selection, Strictness, make_plan, needs_judge
from ci_judge.workflows.publishing import clear_old_reports, report_formats, written_paths
from ci_judge.workflows.replay import JUDGES_ALONE, Replay
from ci_judge.workflows.requirements import index_secrets, install_requirements
from ci_judge.workflows.resuming import GOES_ON, Records, resumed
from ci_judge.workflows.safeguards import open_safeguards
from ci_judge.workflows.secrecy import make_redactor, secrets_in_use
from ci_judge.workflows.story import Story
from ci_judge.workflows.surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What a front door asks for. ``overrides`` maps dotted configuration keys to text.

    ``top`` is where the search for a configuration ends; ``secrets`` are values that no output may
    show besides those the configuration uses; ``resume`` goes on with an interrupted run;
    ``requirements`` (a file, or words for pip) are installed for cases and commands;
    ``context`` is what ``run`` in the report says of commit, branch and CI run;
    ``look_for_baseline`` is how ``run.baseline: auto`` finds one, None where it cannot;
    ``look_for_earlier`` finds the report of an earlier attempt at the same commit, from which the
    run goes on; with ``fresh`` it is only told of. ``goes_on_from`` is its file, where it has one:
    it stays until the new report takes its place.
    ``replay`` is a report whose evidence is judged again instead of asking targets and cases.
    ``handout`` hands the selected tests in one by one; the report is of those that came.
    """

    config: Path | None = None
    top: Path | None = None
    overrides: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    selection: Selection = field(default_factory=Selection)
    max_failures: int | None = None
    junit_copy: Path | None = None
    resume: bool = False
    secrets: tuple[str, ...] = ()
    requirements: str | None = None
    context: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    look_for_baseline: LookForBaseline | None = None
    look_for_earlier: LookForEarlier | None = None
    goes_on_from: Path | None = None
    fresh: bool = False
    replay: Replay | None = None
    handout: Handout | None = None


class FrontDoor:
    """Who is told what goes on. This one is told and says nothing; front doors override it."""

    def protect(self, redactor: Redactor) -> None:
        """Learn the secrets, before anything that could hold one is said."""

    def planned(self, plan: Plan) -> Progress:
        """Learn what will be run; returns who watches it."""
        del plan
        return _Unwatched()

    def note(self, text: str) -> None:
        """Hear what is worth a line and no more."""

    def overheard(self, text: str) -> None:
        """Hear what a program of others said, untrusted."""

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
        demand=JUDGES_ALONE if options.replay else Demand(unasked=frozenset({"generate"})),
    )
    further = (*options.secrets, *index_secrets(surroundings.environment))
    redactor = make_redactor(settings, surroundings, further=further)
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
        stack.callback(_hand_over, order)
        order, household = await _move_in(order, stack)
        plan = await stop_sign.before(_plan(order, household))
        plan, past = await stop_sign.before(_look_back(order, plan))
        records = _open_records(order, plan, goes_on=past.continuation is not None)
        stack.callback(records.ledger.release)
        progress = order.front.planned(plan)
        safeguards = open_safeguards(
            settings, clock=order.surroundings.clock, judged=needs_judge(plan.suite)
        )
        bench = await stop_sign.before(
            open_bench(
                settings,
                order.surroundings,
                plan,
                household=household,
                safeguards=safeguards,
                stack=stack,
            )
        )
        memory = open_memory(settings, order.redactor, stack)
        story = _begin(order, plan, records, bench, memory, past)
        records.begin(seed=story.bench.bench.seed, started=story.started)
        results = await story.run(
            records.ledger, progress, stop_sign, max_failures=order.options.max_failures
        )
        if order.options.handout is not None:
            story = replace(story, plan=order.options.handout.end(plan))
            results = order.options.handout.those_that_came(results)
        # Before anything is closed: closing may take its time, and a cancelled step has little.
        document = story.document(results, stop_sign, context=order.options.context)
        files = await _publish(order, document, records.ledger)
    return Finished(
        document=document,
        runs=records.ledger,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Past:
    """Earlier reports: the one to compare with, and the one to go on from."""

    baseline: FoundBaseline | None
    continuation: Continuation | None


def _hand_over(order: _Order) -> None:
    """Let what root has written belong to the workspace's owner, whatever became of the run."""
    settings, options = order.settings, order.options
    tops = {options.top} if options.top else {settings.root, order.surroundings.cwd}
    for top in tops:
        heir = heir_of(top.resolve(), we=order.surroundings.we)
        if heir is not None:
            hand_over(written_paths(settings, junit_copy=options.junit_copy), heir)


async def _move_in(order: _Order, stack: AsyncExitStack) -> tuple[_Order, Household]:
    """Open what children live in: who they run as, what they may import, and the cases."""
    settings, surroundings, options = order.settings, order.surroundings, order.options
    redact, python = order.redactor.text, sys.executable
    children = open_children(settings, surroundings, stack, redact=redact, note=order.front.note)
    if options.requirements:
        installing = install_requirements(
            options.requirements,
            children=children,
            surroundings=surroundings,
            workspace=options.top or surroundings.cwd,
            stack=stack,
            overheard=order.front.overheard,
        )
        installed = await order.stop_sign.before(installing)
        surroundings, python = installed.within(surroundings), str(installed.python)
    household = open_household(settings, surroundings, stack, children=children, python=python)
    return replace(order, surroundings=surroundings), household


async def _plan(order: _Order, household: Household) -> Plan:
    replay = order.options.replay
    plan = await make_plan(
        order.settings,
        order.surroundings,
        order.options.selection,
        hosts=household.hosts,
        strictness=Strictness(allow_unreachable="run.runs" in order.options.overrides),
    )
    if order.options.handout is not None:
        plan = order.options.handout.begin(plan)
    return plan if replay is None else replay.plan(plan, order.redactor)


async def _look_back(order: _Order, plan: Plan) -> tuple[Plan, _Past]:
    """Find earlier reports; what is taken over from one of them is planned no more."""
    settings, options = order.settings, order.options
    baseline = await find_baseline(settings, options.look_for_baseline)
    look, found = options.look_for_earlier, None
    if look is not None:
        found = await look(settings.report.json_name)
    if found is None:
        return plan, _Past(baseline=baseline, continuation=None)
    plan, continuation = go_on_from(found, plan, settings, fresh=options.fresh)
    return plan, _Past(baseline=baseline, continuation=continuation)


def _open_records(order: _Order, plan: Plan, *, goes_on: bool) -> Records:
    """Claim the report folder; no report of an earlier run stays that could pass for this one's."""
    folder = order.settings.report_dir
    prepare_report_folder(folder, top=order.options.top)
    digest = fingerprint(plan.tests, seed=order.settings.seed)
    records = Records(
        ledger=Ledger(folder / LEDGER_NAME, clean=partial(clean_entry, redactor=order.redactor)),
        fingerprint=f"{GOES_ON}{digest}" if goes_on else digest,
    )
    if order.options.resume:
        records = resumed(records, order.settings)
    clear_old_reports(
        order.settings, junit_copy=order.options.junit_copy, spared=order.options.goes_on_from
    )
    return records


def _begin(
    order: _Order,
    plan: Plan,
    records: Records,
    opened: OpenBench,
    memory: Memory,
    past: _Past,
) -> Story:
    secrets = secrets_in_use(order.settings, order.surroundings)
    seed = past.continuation.seed if past.continuation else None
    drawn = opened.bench.seed if seed is None else seed
    seeded = replace(opened.bench, seed=records.seed(drawn))
    bench = memory.equip(opened.safeguards.equip(seeded, opened.looked))
    story = Story(
        settings=order.settings,
        surroundings=order.surroundings,
        plan=plan,
        bench=replace(opened, bench=bench),
        memory=memory,
        safeguards=opened.safeguards,
        redactor=order.redactor,
        secret_warnings=secrets.warnings(),
        started=records.started(order.surroundings.wall_clock()),
        panel_votes=PanelVotes(len(opened.bench.seats.taken)),
        baseline=past.baseline,
        continuation=past.continuation,
        resumes=records.left is not None,
        intake=order.options.handout.intake if order.options.handout else None,
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
        selection=Selection(names=select, tags=tags, names_by="select", tags_by="tags"),
    )
    finished = await execute(options, Surroundings.real(), front=FrontDoor(), stop_sign=StopSign())
    return await asyncio.to_thread(_with_runs, finished)


def _with_runs(finished: Finished) -> ReportDocument:
    document = finished.document
    for group in document["groups"]:
        for test in group["tests"]:
            test["runs"] = list(finished.runs.runs(test["id"]))
    return document
