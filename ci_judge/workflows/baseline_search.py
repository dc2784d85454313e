"""Finds the baseline among the artifacts of earlier runs (``baseline: auto``)."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeVar

from ci_judge.errors import InvalidInput
from ci_judge.github_api import Artifact, GitHubRefusal, History, PastRun
from ci_judge.workflows.baseline import Baseline, FoundBaseline, NoBaseline, baseline_of
from ci_judge.workflows.render import report_in
from ci_judge.workflows.report_archive import MOST_ARCHIVE_BYTES, BadArchive, report_bytes

MOST_SECONDS: Final = 90.0
_MOST_RUNS: Final = 10
_NOT_A_WORD = re.compile(r"[^\w.]+|_+")
_FORBIDDEN, _NOT_FOUND = 403, 404
_MOST_REASONS: Final = 3
_OF_A_PULL_REQUEST = frozenset({"issue_comment", "pull_request_target"})
"""Events whose runs are listed under the base branch, whatever code they judge."""


def artifact_name(comment_key: str) -> str:
    """Name the artifact that holds the report of the comment with this key."""
    slug = _NOT_A_WORD.sub("-", comment_key.casefold()).strip("-.")
    return f"ci-judge-report-{slug or 'ci-judge'}"


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


class _Nothing(Exception):
    """The text says why there is none."""


_Answer = TypeVar("_Answer")


def _told(answer: _Answer | GitHubRefusal) -> _Answer:
    if isinstance(answer, GitHubRefusal):
        raise _Nothing(why_refused(answer))
    return answer


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
        except _Nothing as why:
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
        raise _Nothing(
            f"no complete run on {' or '.join(self.lookback.branches)} at or before"
            f" {self.lookback.commit[:10]} has left one" + (f" ({told})" if told else "")
        )

    async def _candidates(self) -> list[PastRun]:
        """Give the runs that count, nearest first: of our own code, never of a fork's."""
        commits = await self._commits()
        workflow = _told(await self.history.workflow_of(self.run_id))
        runs = [
            run
            for branch in self.lookback.branches
            for run in _told(await self.history.completed_runs(workflow, branch=branch))
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
            compared = _told(await self.history.compare(start, self.lookback.head))
            start = compared.merge_base
        commits = _told(await self.history.ancestors(start))
        return commits if self.lookback.itself else commits[1:]

    async def _artifact(self, run: PastRun) -> Artifact | None:
        found = _told(await self.history.artifacts(run, name=self.name))
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
        except InvalidInput as error:
            self._passed_over.append(f"run {run.id}: {error.problems[0].message}")
        return None

    async def _baseline(self, run: PastRun, artifact: Artifact, report_name: str) -> Baseline:
        """Read a run's report. Commit and address are what GitHub says of the run."""
        if artifact.size_bytes > MOST_ARCHIVE_BYTES:
            raise BadArchive(f"its artifact is larger than {MOST_ARCHIVE_BYTES // 1024**2} MiB")
        archive = _told(await self.history.archive(artifact, most_bytes=MOST_ARCHIVE_BYTES))
        content = await asyncio.to_thread(report_bytes, archive, name=report_name)
        report = await asyncio.to_thread(report_in, content, Path(report_name), keep_runs=False)
        source = f'auto: artifact "{self.name}" of run {run.id}'
        baseline = baseline_of(report.document, source=source)
        if not baseline.complete:
            raise BadArchive("its report is of a run that did not get to its end")
        if baseline.commit not in (None, run.commit):  # as after another workflow's run
            raise BadArchive("its report is about another commit")
        return replace(baseline, commit=run.commit, url=run.url or None)


def why_refused(refusal: GitHubRefusal) -> str:
    """Say why GitHub gave nothing, and what the job lacks where that is the reason."""
    denied = refusal.status in {_FORBIDDEN, _NOT_FOUND} and not refusal.limited
    hint = "; the job needs `permissions: actions: read`" if denied else ""
    return f"{refusal.message}{hint}"
