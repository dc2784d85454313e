"""Reads the report out of an artifact that a run has left, or says why there is none to read."""

import asyncio
import re
from pathlib import Path
from typing import Final, TypeVar

from ci_judge.errors import InvalidInput
from ci_judge.github_api import Artifact, GitHubRefusal, History
from ci_judge.workflows.render import RecordedReport, report_in
from ci_judge.workflows.report_archive import MOST_ARCHIVE_BYTES, BadArchive, report_bytes

MOST_SECONDS: Final = 90.0
"""How long looking for a report may take."""

_NOT_A_WORD = re.compile(r"[^\w.]+|_+")
_FORBIDDEN, _NOT_FOUND = 403, 404


def artifact_name(comment_key: str) -> str:
    """Name the artifact that holds the report of the comment with this key."""
    slug = _NOT_A_WORD.sub("-", comment_key.casefold()).strip("-.")
    return f"ci-judge-report-{slug or 'ci-judge'}"


class NotGiven(Exception):
    """GitHub did not give what was asked for; the text says why."""


_Answer = TypeVar("_Answer")


def given(answer: _Answer | GitHubRefusal) -> _Answer:
    """Pass on what GitHub gave. Raises NotGiven for a refusal."""
    if isinstance(answer, GitHubRefusal):
        raise NotGiven(why_refused(answer))
    return answer


def why_refused(refusal: GitHubRefusal) -> str:
    """Say why GitHub gave nothing, and what the job lacks where that is the reason."""
    denied = refusal.status in {_FORBIDDEN, _NOT_FOUND} and not refusal.limited
    hint = "; the job needs `permissions: actions: read`" if denied else ""
    return f"{refusal.message}{hint}"


async def report_in_artifact(
    history: History, artifact: Artifact, *, name: str, keep_runs: bool
) -> RecordedReport:
    """Read the report called ``name``, with or without its runs.

    Raises NotGiven for a refusal, BadArchive for what holds no report.
    """
    if artifact.size_bytes > MOST_ARCHIVE_BYTES:
        raise BadArchive(f"its artifact is larger than {MOST_ARCHIVE_BYTES // 1024**2} MiB")
    archive = given(await history.archive(artifact, most_bytes=MOST_ARCHIVE_BYTES))
    content = await asyncio.to_thread(report_bytes, archive, name=name)
    try:
        return await asyncio.to_thread(report_in, content, Path(name), keep_runs=keep_runs)
    except InvalidInput as error:
        raise BadArchive(error.problems[0].message) from error
