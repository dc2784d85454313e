"""The story: load, run, judge, decide, publish."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ci_judge.document.cleaning import clean_entry, clean_run
from ci_judge.document.report import Header, build_document
from ci_judge.document.run_entries import run_entry
from ci_judge.engine.attempt import Attempts
from ci_judge.engine.ledger import LEDGER_NAME, Ledger
from ci_judge.engine.panel_votes import PanelVotes
from ci_judge.engine.scheduler import Schedule, Scheduler
from ci_judge.engine.spending import Spending
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import CiJudgeError
from ci_judge.model.document import JudgeEntry, ReportDocument
from ci_judge.model.judging import Run
from ci_judge.model.results import TestResult
from ci_judge.model.suite import Test
from ci_judge.protocols import Progress, RunSource
from ci_judge.redaction import Redactor
from ci_judge.rules.gates import decide
from ci_judge.rules.settling import settle
from ci_judge.settings import Settings, load_settings
from ci_judge.sinks.files import ReportFiles, prepare_report_folder
from ci_judge.version import __version__
from ci_judge.workflows.judge_facts import drift_warnings, judge_facts
from ci_judge.workflows.memory import Memory, open_memory
from ci_judge.workflows.opening import OpenBench, open_bench, open_household
from ci_judge.workflows.planning import Plan, Selection, Strictness, make_plan
from ci_judge.workflows.publishing import clear_old_reports, report_formats
from ci_judge.workflows.secrecy import make_redactor, secrets_in_use
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
            options, surroundings, settings, redactor, front=front, stop_sign=stop_sign
        )
    except CiJudgeError as error:
        error.clean(redactor.text)
        raise


async def _carry_out(
    options: RunOptions,
    surroundings: Surroundings,
    settings: Settings,
    redactor: Redactor,
    *,
    front: FrontDoor,
    stop_sign: StopSign,
) -> Finished:
    async with AsyncExitStack() as stack:
        household = open_household(settings, surroundings, stack, redact=redactor.text)
        plan = await stop_sign.before(
            make_plan(
                settings,
                surroundings,
                options.selection,
                hosts=household.hosts,
                strictness=Strictness(allow_unreachable="run.runs" in options.overrides),
            )
        )
        prepare_report_folder(settings.report_dir)
        ledger = Ledger(
            settings.report_dir / LEDGER_NAME, clean=partial(clean_entry, redactor=redactor)
        )
        clear_old_reports(settings, junit_copy=options.junit_copy)
        progress = front.planned(plan)
        bench = await stop_sign.before(
            open_bench(settings, surroundings, plan, household=household, stack=stack)
        )
        memory = open_memory(settings, redactor, stack)
        story = _Story(
            settings=settings,
            surroundings=surroundings,
            plan=plan,
            bench=replace(bench, bench=memory.equip(bench.bench)),
            memory=memory,
            redactor=redactor,
            secret_warnings=secrets_in_use(settings, surroundings).warnings(),
            started=surroundings.wall_clock(),
            panel_votes=PanelVotes(len(bench.bench.seats.taken)),
        )
        looked = bench.looked
        story.spending.add_judge_requests(looked.requests, looked.usage, cost_usd=looked.cost_usd)
        results = await story.run(ledger, progress, stop_sign, options)
        # Before anything is closed: closing may take its time, and a cancelled step has little.
        document = story.document(results, stop_sign, options)
        files = await story.publish(document, ledger, front, options)
    return Finished(
        document=document,
        runs=ledger,
        settings=settings,
        report_dir=settings.report_dir,
        files=files,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """One run, from the first request to the files."""

    settings: Settings
    surroundings: Surroundings
    plan: Plan
    bench: OpenBench
    memory: Memory
    redactor: Redactor
    secret_warnings: tuple[str, ...]
    started: float
    panel_votes: PanelVotes
    spending: Spending = field(default_factory=Spending)

    async def run(
        self, ledger: Ledger, progress: Progress, stop_sign: StopSign, options: RunOptions
    ) -> list[TestResult]:
        def record(run: Run) -> None:
            limit = self.settings.report.max_response_chars
            shown = clean_run(run, self.redactor)
            ledger.append(run_entry(shown, max_response_chars=limit))
            # the log digests what was judged, whatever of it may be shown
            self.memory.record(replace(shown, evidence=run.evidence), self.bench.bench)
            self.spending.add(run)
            if self.bench.bench.seats.rule is not None:
                self.panel_votes.add(run)

        tests: list[Test] = list(self.plan.tests)
        scheduler = Scheduler(
            tests,
            make_run=Attempts(self.bench.bench).make_run,
            decide=decide,
            record=record,
            progress=progress,
            stop_sign=stop_sign,
        )
        await scheduler.run(Schedule(workers=self.bench.workers, max_failures=options.max_failures))
        return [scheduler.result(test) for test in tests]

    def document(
        self, results: list[TestResult], stop_sign: StopSign, options: RunOptions
    ) -> ReportDocument:
        settlement = settle(
            results, fail_on=self.settings.run.fail_on, interrupted=stop_sign.exit_code
        )
        stopped = (stop_sign.reason,) if stop_sign.reason else ()
        judge = self._judge_entry()
        remembered = self.memory.warnings(replayed=sum(result.replayed for result in results))
        header = Header(
            version=__version__,
            status=settlement.status,
            exit_code=int(settlement.exit_code),
            headline=settlement.headline,
            context=dict(options.context),
            seed=self.bench.bench.seed,
            started=self.started,
            finished=self.surroundings.wall_clock(),
            interrupted=stop_sign.exit_code is not None,
            settings=self.settings.public(),
            judge=judge,
            warnings=(
                *stopped,
                *drift_warnings(judge),
                *remembered,
                *self.secret_warnings,
                *self.redactor.warnings,
                *self.plan.warnings,
            ),
            target_requests=self.spending.target_requests,
            judge_requests=self.spending.judge_requests,
            judge_cached=self.spending.judge_cached,
            input_tokens=self.spending.input_tokens,
            output_tokens=self.spending.output_tokens,
            cost_usd=self.spending.cost_usd,
            known_cost_usd=self.spending.known_cost_usd,
            target_cost_usd=self.spending.target_cost_usd,
        )
        document = build_document(header, self.plan.suite, results)
        return clean_entry(document, self.redactor)

    def _judge_entry(self) -> JudgeEntry | None:
        return judge_facts(
            self.bench.bench.seats,
            policy=self.settings.vote_policy(),
            models=self.spending.models,
            votes=self.panel_votes,
        )

    async def publish(
        self, document: ReportDocument, runs: RunSource, front: FrontDoor, options: RunOptions
    ) -> Mapping[str, Path]:
        files = ReportFiles(
            report_formats(self.settings, junit_copy=options.junit_copy),
            warn=front.warn,
            crashed=front.crashed,
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
