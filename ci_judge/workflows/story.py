"""One run, from the first request to the document."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ci_judge.document.cleaning import clean_entry, clean_run
from ci_judge.document.corrections import with_corrections
from ci_judge.document.report import Header, build_document
from ci_judge.document.run_entries import run_entry
from ci_judge.engine.attempt import Attempts
from ci_judge.engine.intake import Intake
from ci_judge.engine.ledger import Ledger
from ci_judge.engine.panel_votes import PanelVotes
from ci_judge.engine.scheduler import Scheduler
from ci_judge.engine.spending import Spending
from ci_judge.engine.stopping import StopSign
from ci_judge.model.document import JudgeEntry, ReportDocument
from ci_judge.model.judging import Run
from ci_judge.model.results import TestResult
from ci_judge.model.suite import Test
from ci_judge.protocols import Progress
from ci_judge.redaction import Redactor
from ci_judge.rules.gates import decide
from ci_judge.rules.settling import settle
from ci_judge.settings import Settings
from ci_judge.version import __version__
from ci_judge.workflows.baseline import FoundBaseline, judge_changes
from ci_judge.workflows.calibration.answered import (
    model_warnings,
    only_calibrated,
    other_models,
    with_calibration,
)
from ci_judge.workflows.comparing import ComparingRules, compared
from ci_judge.workflows.continuing import Continuation
from ci_judge.workflows.judge_facts import drift_warnings, judge_facts
from ci_judge.workflows.memory import Memory
from ci_judge.workflows.opening import OpenBench
from ci_judge.workflows.planning import Plan
from ci_judge.workflows.resuming import restore
from ci_judge.workflows.safeguards import Safeguards
from ci_judge.workflows.shard_report import as_part
from ci_judge.workflows.surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One run, from the first request to the files."""

    settings: Settings
    surroundings: Surroundings
    plan: Plan
    bench: OpenBench
    memory: Memory
    safeguards: Safeguards
    redactor: Redactor
    secret_warnings: tuple[str, ...]
    started: float
    panel_votes: PanelVotes
    baseline: FoundBaseline | None
    continuation: Continuation | None = None
    resumes: bool = False
    intake: Intake | None = None
    notes: list[str] = field(default_factory=list)
    """Warnings that come up while it runs."""
    spending: Spending = field(default_factory=Spending)

    async def run(
        self,
        ledger: Ledger,
        progress: Progress,
        stop_sign: StopSign,
        *,
        max_failures: int | None,
    ) -> list[TestResult]:
        def record(run: Run) -> None:
            limit = self.settings.report.max_response_chars
            shown = clean_run(run, self.redactor)
            entry = run_entry(shown, max_response_chars=limit)
            entry["redacted"] = shown.evidence != run.evidence
            ledger.append(entry)
            # the log digests what was judged, whatever of it may be shown
            judged = replace(shown, evidence=run.evidence) if entry["redacted"] else shown
            self.memory.record(judged, self.bench.bench)
            self._spend(run)
            self._vote(run)

        tests: list[Test] = list(self.plan.tests)
        scheduler = Scheduler(
            tests,
            make_run=self.safeguards.admitting(Attempts(self.bench.bench).make_run),
            decide=decide,
            record=record,
            progress=progress,
            stop_sign=stop_sign,
            capacity=self.bench.capacity,
            brakes=self.safeguards.brakes(self.bench.origins, tests),
            max_errors=self.settings.run.max_errors,
            intake=self.intake,
        )
        if self.plan.evidence is not None:
            self._take_over(self.plan.evidence.unjudgeable(), ledger, scheduler)
        if self.continuation is not None:
            self.continuation.hand_over(
                ledger, count=partial(self._carried, scheduler), redacts=self._redacts
            )
            self.notes.extend(filter(None, [self.continuation.doubt]))
        if self.resumes:
            kept = restore(ledger, spent=self._spend, count=partial(self._restored, scheduler))
            self.notes.append(f"resumed: {kept:,} runs were made by an earlier command")
        await scheduler.run(max_failures=max_failures)
        results = [scheduler.result(test) for test in tests]
        return only_calibrated(results, other_models(self.plan.calibration, self._judge_entry()))

    def _take_over(self, runs: Iterable[Run], ledger: Ledger, scheduler: Scheduler) -> None:
        """Report runs as they were made earlier; nothing is asked, and nothing spent, for them."""
        for run in runs:
            if scheduler.restore(run):
                shown = clean_run(run, self.redactor)
                limit = self.settings.report.max_response_chars
                ledger.append(run_entry(shown, max_response_chars=limit))

    def _redacts(self, run: Run) -> bool:
        return clean_run(run, self.redactor).evidence != run.evidence

    def _spend(self, run: Run) -> None:
        self.spending.add(run)

    def _vote(self, run: Run) -> None:
        if self.bench.bench.seats.rule is not None:
            self.panel_votes.add(run)

    def _carried(self, scheduler: Scheduler, run: Run) -> bool:
        """Count a run of an earlier attempt, where one is wanted."""
        wanted = self._restored(scheduler, run)
        if wanted:
            self._spend(run)
        return wanted

    def _restored(self, scheduler: Scheduler, run: Run) -> bool:
        """Count a run that an earlier command made, where one is wanted."""
        judged = self.bench.bench.seats.rule is None or self.panel_votes.knows(run)
        wanted = judged and scheduler.restore(run)
        if wanted:
            self._vote(run)
        return wanted

    def document(
        self, results: list[TestResult], stop_sign: StopSign, *, context: Mapping[str, Any]
    ) -> ReportDocument:
        settlement = settle(
            results, fail_on=self.settings.run.fail_on, interrupted=stop_sign.exit_code
        )
        ends = (stop_sign.reason,) if stop_sign.reason else ()
        ends = (*ends, *self.safeguards.warnings(results))
        judge = self._judge_entry()
        header = Header(
            version=__version__,
            status=settlement.status,
            exit_code=int(settlement.exit_code),
            headline=settlement.headline,
            context=dict(context),
            seed=self.bench.bench.seed,
            started=self.started,
            finished=self.surroundings.wall_clock(),
            interrupted=stop_sign.exit_code is not None,
            complete=not ends and not self.plan.left_out,
            settings=self.settings.public(),
            judge=judge,
            warnings=(*ends, *self._warnings(results, judge)),
            target_requests=self.spending.target_requests,
            judge_requests=self.spending.judge_requests,
            judge_cached=self.spending.judge_cached,
            input_tokens=self.spending.input_tokens,
            output_tokens=self.spending.output_tokens,
            cost_usd=self.spending.cost_usd,
            known_cost_usd=self.spending.known_cost_usd,
            target_cost_usd=self.spending.target_cost_usd,
            budget=self.safeguards.entry(results),
        )
        document = compared(
            # Masked first, as the baseline is: what is masked in one alone would be a difference.
            clean_entry(build_document(header, self.plan.suite, results), self.redactor),
            self.baseline,
            rules=self._comparing_rules(),
            whole_suite=self.plan.part is None,
        )
        if self.continuation is not None:
            document = self.continuation.told(document)
        document = with_corrections(document)
        return clean_entry(as_part(document, self.plan, seed=self.settings.seed), self.redactor)

    def _comparing_rules(self) -> ComparingRules:
        run = self.settings.run
        return ComparingRules(
            fail_on=run.fail_on,
            allow_removed=run.allow_removed,
            allow_weaker=run.allow_weaker,
            alpha=float(run.alpha.value),
        )

    def _warnings(self, results: list[TestResult], judge: JudgeEntry | None) -> tuple[str, ...]:
        """Give what a reader of the report must know, what came up in this run first."""
        replayed = 0 if self.plan.evidence else sum(result.replayed for result in results)
        return (
            *self.notes,
            *drift_warnings(judge),
            *model_warnings(judge, self.plan.calibration),
            *judge_changes(self.baseline, judge),
            *self.memory.warnings(replayed=replayed),
            *self.secret_warnings,
            *self.redactor.warnings,
            *self.plan.warnings,
        )

    def _judge_entry(self) -> JudgeEntry | None:
        entry = judge_facts(
            self.bench.bench.seats,
            policy=self.settings.vote_policy(),
            models=self.spending.models,
            votes=self.panel_votes,
        )
        return with_calibration(entry, self.plan.calibration)
