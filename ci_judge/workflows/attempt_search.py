"""Finds the report that an earlier attempt of this very run has left among its artifacts."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ci_judge.document.attempts import number_of
from ci_judge.errors import InvalidInput
from ci_judge.github_api import Artifact, History
from ci_judge.workflows.artifact_reports import (
    MOST_SECONDS,
    NotGiven,
    given,
    report_in_artifact,
)
from ci_judge.workflows.earlier_attempts import (
    EarlierAttempt,
    FoundEarlier,
    NoEarlierAttempt,
)
from ci_judge.workflows.render import RecordedReport
from ci_judge.workflows.report_archive import BadArchive
from ci_judge.workflows.sound_reports import refuse_contradictions

_MOST_READ: Final = 5
_MOST_REASONS: Final = 3


@dataclass(slots=True, kw_only=True)
class AttemptSearch:
    """One search, in attempt ``attempt`` of the run ``run_id``, which judges ``commit``.

    ``name`` is that of the artifact. It is one for each attempt, so that a run may list several.
    """

    history: History
    run_id: str
    attempt: int
    commit: str
    name: str
    most_seconds: float = MOST_SECONDS
    _seen: set[int] = field(default_factory=set)
    _read: int = 0
    _passed_over: list[str] = field(default_factory=list)

    async def look(self, report_name: str) -> FoundEarlier:
        """Find the report of the newest earlier attempt, called ``report_name`` in its artifact."""
        try:
            async with asyncio.timeout(self.most_seconds):
                report = await self._found(report_name)
        except NotGiven as why:
            reason = f'an earlier attempt\'s artifact "{self.name}" cannot be asked for: {why}'
        except TimeoutError:
            took = f"longer than {self.most_seconds:.0f} s"
            reason = f'looking for an earlier attempt\'s artifact "{self.name}" took {took}'
        else:
            if report is not None:
                return EarlierAttempt(report=report, attempt=self.attempt)
            reason = self._why_none()
        return NoEarlierAttempt(attempt=self.attempt, reason=reason)

    async def _found(self, report_name: str) -> RecordedReport | None:
        """Look through what the run lists; after all of its jobs ran again that may be nothing."""
        own = given(await self.history.artifacts(self.run_id, name=self.name))
        report = await self._newest(own, report_name)
        if report is not None:
            return report
        anybodys = given(await self.history.artifacts_of_all_runs(name=self.name))
        own = tuple(artifact for artifact in anybodys if artifact.run_id == self.run_id)
        return await self._newest(own, report_name)

    async def _newest(
        self, artifacts: Sequence[Artifact], report_name: str
    ) -> RecordedReport | None:
        """Read them, newest first, for the report with the highest number of an attempt."""
        best: RecordedReport | None = None
        for artifact in sorted(artifacts, key=lambda one: -one.id):
            report = await self._usable(artifact, report_name)
            if report and (best is None or _number(report) > _number(best)):
                best = report
            if best and _number(best) == self.attempt - 1:
                break
        return best

    async def _usable(self, artifact: Artifact, report_name: str) -> RecordedReport | None:
        """Read a report that can be gone on from, None where it is passed over."""
        if artifact.id in self._seen:
            return None
        self._seen.add(artifact.id)
        try:
            return await self._sound(artifact, report_name)
        except (BadArchive, NotGiven) as error:
            self._passed_over.append(f"artifact {artifact.id}: {error}")
            return None

    async def _sound(self, artifact: Artifact, report_name: str) -> RecordedReport:
        if artifact.expired:
            raise BadArchive("it has expired")
        if self._read == _MOST_READ:
            raise BadArchive(f"{_MOST_READ} newer ones had been read by then")
        self._read += 1
        report = await report_in_artifact(self.history, artifact, name=report_name, keep_runs=True)
        self._refuse_others(report)
        try:
            await asyncio.to_thread(refuse_contradictions, report, Path(report_name))
        except InvalidInput as error:
            raise BadArchive(
                f"its report contradicts itself: {error.problems[0].message}"
            ) from error
        return report

    def _refuse_others(self, report: RecordedReport) -> None:
        """Raise BadArchive for a report about another commit, or of no attempt before this one."""
        commit, number = report.document["run"]["commit"], _number(report)
        if commit is None:
            raise BadArchive("its report says nothing of its commit")
        if commit != self.commit:
            raise BadArchive("its report is about another commit")
        if number >= self.attempt:
            raise BadArchive(f"its report is of attempt {number}, this is attempt {self.attempt}")

    def _why_none(self) -> str:
        told = "; ".join(self._passed_over[:_MOST_REASONS]) or "GitHub lists none"
        return f'no earlier attempt has left a report in the artifact "{self.name}" ({told})'


def _number(report: RecordedReport) -> int:
    return number_of(report.document)
