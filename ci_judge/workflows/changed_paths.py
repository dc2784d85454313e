"""Whether a change touches what is judged (``changed-paths``); where unsure, it does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ci_judge.github_api import ChangedFiles, GitHubRefusal, History, PullRequest
from ci_judge.rules.path_globs import touched

_FORBIDDEN, _NOT_FOUND = 403, 404


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The commits between two, of which only the second has the change."""

    base: str
    head: str


Change: TypeAlias = PullRequest | Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """What was found out, as a sentence, and whether to judge."""

    touched: bool
    said: str


async def look_at_paths(globs: Sequence[str], change: Change | None, history: History) -> Touch:
    """Ask GitHub what changed. Whatever keeps that from being known means that it is judged."""
    if change is None:
        return Touch(touched=True, said="this event has no changed files to look at")
    files = await _files(change, history)
    if files is None:
        return Touch(touched=True, said="the branch was rewound, and what it lost is not listed")
    if isinstance(files, GitHubRefusal):
        denied = files.status in {_FORBIDDEN, _NOT_FOUND} and not files.limited
        lacks = f"; the job needs `permissions: {_permission(change)}`" if denied else ""
        return Touch(touched=True, said=f"the changed files are not known: {files.message}{lacks}")
    return _look_at(globs, files)


def _look_at(globs: Sequence[str], files: ChangedFiles) -> Touch:
    found = touched(globs, files.paths)
    if found is not None:
        return Touch(touched=True, said=f'"{found}" was changed')
    if not files.whole:
        return Touch(touched=True, said="there are more changed files than GitHub lists")
    if not files.paths:
        return Touch(touched=True, said="GitHub lists no changed file")
    count = len(files.paths)
    return Touch(touched=False, said=f"changed-paths means none of the {count} changed paths")


async def _files(change: Change, history: History) -> ChangedFiles | GitHubRefusal | None:
    """Give what changed, None where the base is not part of the head: there the list is one-sided.

    GitHub lists what the head has since the merge base, and not what the base had.
    """
    if isinstance(change, PullRequest):
        return await history.files_of(change)
    compared = await history.compare(change.base, change.head)
    if isinstance(compared, GitHubRefusal):
        return compared
    return compared.files if compared.merge_base == change.base else None


def _permission(change: Change) -> str:
    return "pull-requests: read" if isinstance(change, PullRequest) else "contents: read"
