"""One run, from the first request to the document."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ci_judge.document.cleaning import clean_entry, clean_run
from ci_judge.document.report import Header, build_document
from ci_judge.document.run_entries import run_entry
from ci_judge.engine.attempt import Attempts
from ci_judge.engine.ledger import Ledger
from ci_judge.engine.panel_votes import PanelVotes
from ci_judge.engine.scheduler import Schedule, Scheduler
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
from ci_judge.workflows.baseline import Baseline, judge_changes
from ci_judge.workflows.judge_facts import drift_warnings, judge_facts
from ci_judge.workflows.memory import Memory
from ci_judge.workflows.opening import OpenBench
from ci_judge.workflows.planning import Plan
from ci_judge.workflows.surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
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
    baseline: Baseline | None
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
        await scheduler.run(Schedule(workers=self.bench.workers, max_failures=max_failures))
        return [scheduler.result(test) for test in tests]

    def document(
        self, results: list[TestResult], stop_sign: StopSign, *, context: Mapping[str, Any]
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
            context=dict(context),
            seed=self.bench.bench.seed,
            started=self.started,
            finished=self.surroundings.wall_clock(),
            interrupted=stop_sign.exit_code is not None,
            settings=self.settings.public(),
            judge=judge,
            warnings=(
                *stopped,
                *drift_warnings(judge),
                *judge_changes(self.baseline, judge),
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
