"""Finds the baseline among the artifacts of earlier runs (``baseline: auto``)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ci_judge.github_api import Artifact, History, PastRun
from ci_judge.workflows.artifact_reports import (
    MOST_SECONDS,
    NotGiven,
    given,
    report_in_artifact,
)
from ci_judge.workflows.baseline import Baseline, FoundBaseline, NoBaseline, baseline_of
from ci_judge.workflows.report_archive import BadArchive

_MOST_RUNS: Final = 10
_MOST_REASONS: Final = 3
_OF_A_PULL_REQUEST = frozenset({"issue_comment", "pull_request_target"})
"""Events whose runs are listed under the base branch, whatever code they judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookback:
    """Where a baseline may come from: runs on ``branches`` at ``commit`` or before it.

    With ``head`` that is where it and ``commit`` parted; ``itself`` tells whether runs at the very
    commit count.
    """

    branches: tuple[str, ...]
    commit: str
    head: str | None = None
    itself: bool = True


@dataclass(slots=True, kw_only=True)
class BaselineSearch:
    """One search. ``run_id`` is our own run, whose workflow's earlier runs are looked through."""

    history: History
    run_id: str
    lookback: Lookback
    name: str
    most_seconds: float = MOST_SECONDS
    _passed_over: list[str] = field(default_factory=list)

    async def look(self, report_name: str) -> FoundBaseline:
        """Find the newest complete report, called ``report_name`` in its artifact."""
        source = f'auto: artifact "{self.name}"'
        try:
            async with asyncio.timeout(self.most_seconds):
                return await self._found(report_name)
        except NotGiven as why:
            return NoBaseline(source=source, reason=str(why))
        except TimeoutError:
            reason = f"looking for it took longer than {self.most_seconds:.0f} s"
            return NoBaseline(source=source, reason=reason)

    async def _found(self, report_name: str) -> Baseline:
        for run in (await self._candidates())[:_MOST_RUNS]:
            artifact = await self._artifact(run)
            baseline = artifact and await self._read(run, artifact, report_name)
            if baseline:
                return baseline
        told = "; ".join(self._passed_over[:_MOST_REASONS])
        raise NotGiven(
            f"no complete run on {' or '.join(self.lookback.branches)} at or before"
            f" {self.lookback.commit[:10]} has left one" + (f" ({told})" if told else "")
        )

    async def _candidates(self) -> list[PastRun]:
        """Give the runs that count, nearest first: of our own code, never of a fork's."""
        commits = await self._commits()
        workflow = given(await self.history.workflow_of(self.run_id))
        runs = [
            run
            for branch in self.lookback.branches
            for run in given(await self.history.completed_runs(workflow, branch=branch))
        ]
        order = {commit: place for place, commit in enumerate(commits)}
        here = self.history.repository.casefold()
        ours = [
            run
            for run in runs
            if run.commit in order
            and run.repository.casefold() == here
            and run.event not in _OF_A_PULL_REQUEST
            and str(run.id) != self.run_id
        ]
        return sorted(ours, key=lambda run: (order[run.commit], -run.id))

    async def _commits(self) -> Sequence[str]:
        start = self.lookback.commit
        if self.lookback.head is not None:
            compared = given(await self.history.compare(start, self.lookback.head))
            start = compared.merge_base
        commits = given(await self.history.ancestors(start))
        return commits if self.lookback.itself else commits[1:]

    async def _artifact(self, run: PastRun) -> Artifact | None:
        found = given(await self.history.artifacts(str(run.id), name=self.name))
        newest = sorted(found, key=lambda artifact: -artifact.id)
        usable = next((artifact for artifact in newest if not artifact.expired), None)
        if usable is None:
            why = "its artifact has expired" if newest else "it left no such artifact"
            self._passed_over.append(f"run {run.id}: {why}")
        return usable

    async def _read(self, run: PastRun, artifact: Artifact, report_name: str) -> Baseline | None:
        try:
            return await self._baseline(run, artifact, report_name)
        except BadArchive as error:
            self._passed_over.append(f"run {run.id}: {error}")
        return None

    async def _baseline(self, run: PastRun, artifact: Artifact, report_name: str) -> Baseline:
        """Read a run's report. Commit and address are what GitHub says of the run."""
        report = await report_in_artifact(self.history, artifact, name=report_name, keep_runs=False)
        source = f'auto: artifact "{self.name}" of run {run.id}'
        baseline = baseline_of(report.document, source=source)
        if not baseline.complete:
            raise BadArchive("its report is of a run that did not get to its end")
        if baseline.commit not in (None, run.commit):  # as after another workflow's run
            raise BadArchive("its report is about another commit")
        return replace(baseline, commit=run.commit, url=run.url or None)
