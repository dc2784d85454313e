"""Refuses to touch a stranger's code where the job holds the repository's secrets."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from ci_judge.checkout import (
    MOST_FOLDERS,
    TooManyFolders,
    commit_of,
    configuration_of,
    repositories,
    repository_of,
)
from ci_judge.ci_context import read_event
from ci_judge.errors import InvalidInput, Problem

_HINT = (
    "its configuration could send every secret of this job anywhere; judge forks in a workflow on"
    " pull_request and comment from another with `ci-judge comment` (README), or set"
    " allow-untrusted-code: true"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranger:
    """A pull request whose code the event may have brought into a job with secrets.

    ``commits`` are known to be its, ``ours`` are the repository's own, and ``homes`` are the names
    of both repositories: what is checked out from one of these at any other commit may be its, too.
    ``here`` is the repository; ``asked`` is the number of a pull request of which the event does
    not say whose it is.
    """

    event: str
    commits: frozenset[str]
    ours: frozenset[str]
    homes: frozenset[str]
    here: str
    asked: int | None = None


def refuse_stranger(
    stranger: Stranger,
    *,
    workspace: Path,
    working_directory: Path,
    configured_in: Path,
    most_folders: int = MOST_FOLDERS,
) -> None:
    """Raise InvalidInput where its code is checked out, or cannot be told from ours.

    All folders lie in ``workspace``; ``configured_in`` holds the configuration, however deep.
    """
    here = repository_of(working_directory, top=workspace)
    if here is None or commit_of(here) not in stranger.ours:
        raise _refusal(stranger, here or workspace, workspace)
    named = repository_of(configured_in, top=workspace) or here
    try:
        for repository in chain([named], repositories(workspace, most_folders=most_folders)):
            if _may_be_strange(repository, stranger):
                raise _refusal(stranger, repository, workspace)
    except TooManyFolders:
        raise _unsearched(stranger, most_folders) from None


def _may_be_strange(repository: Path, stranger: Stranger) -> bool:
    """Tell a checkout that may be the stranger's from one of a third repository."""
    commit = commit_of(repository)
    if commit in stranger.ours:
        return False
    if not stranger.commits:
        return True  # nobody said which commits are its, or where it comes from
    written = configuration_of(repository)
    return commit in stranger.commits or any(_names(written, home) for home in stranger.homes)


def _names(configuration: str, home: str) -> bool:
    """Tell whether git's configuration names this repository ("owner/name") as a remote."""
    url = rf"[/:]{re.escape(home)}(?:\.git)?/?\s*$"
    return re.search(url, configuration, re.IGNORECASE | re.MULTILINE) is not None


def with_pull_request(stranger: Stranger, pull_request: Any) -> Stranger | None:
    """Add what GitHub says of the pull request (REST); None where it is the repository's own."""
    home = _at(pull_request, "head", "repo", "full_name")
    if isinstance(home, str) and home.casefold() == stranger.here.casefold():
        return None
    known = (_at(pull_request, "head", "sha"), _at(pull_request, "merge_commit_sha"))
    return replace(
        stranger, commits=stranger.commits | _texts(*known), homes=stranger.homes | _texts(home)
    )


def stranger_of(environment: Mapping[str, str]) -> Stranger | None:
    """Say whose code this event may have brought along, None where it is nobody's but ours."""
    event_name = environment.get("GITHUB_EVENT_NAME", "")
    read = _READERS.get(event_name)
    return read(environment, read_event(environment)) if read else None


def _of_pull_request(environment: Mapping[str, str], event: Any) -> Stranger | None:
    pull_request = _at(event, "pull_request")
    if _is_here(_at(pull_request, "head", "repo", "full_name"), environment):
        return None
    return Stranger(
        event="pull_request_target",
        commits=_texts(_at(pull_request, "head", "sha"), _at(pull_request, "merge_commit_sha")),
        ours=_texts(environment.get("GITHUB_SHA"), _at(pull_request, "base", "sha")),
        homes=_texts(
            environment.get("GITHUB_REPOSITORY"), _at(pull_request, "head", "repo", "full_name")
        ),
        here=environment.get("GITHUB_REPOSITORY", ""),
    )


def _of_workflow_run(environment: Mapping[str, str], event: Any) -> Stranger | None:
    run = _at(event, "workflow_run")
    if _is_here(_at(run, "head_repository", "full_name"), environment):
        return None
    return Stranger(
        event="workflow_run",
        commits=_texts(_at(run, "head_sha")),
        ours=_texts(environment.get("GITHUB_SHA")),
        homes=_texts(
            environment.get("GITHUB_REPOSITORY"), _at(run, "head_repository", "full_name")
        ),
        here=environment.get("GITHUB_REPOSITORY", ""),
    )


def _of_comment(environment: Mapping[str, str], event: Any) -> Stranger | None:
    """Take anybody's for a stranger's: the event does not say whose the pull request is."""
    issue = _at(event, "issue")  # none in an event that cannot be read: that lets nobody in
    if isinstance(issue, dict) and issue.get("pull_request") is None:
        return None
    number = _at(event, "issue", "number")
    return Stranger(
        event="issue_comment",
        commits=frozenset(),
        ours=_texts(environment.get("GITHUB_SHA")),
        homes=_texts(environment.get("GITHUB_REPOSITORY")),
        here=environment.get("GITHUB_REPOSITORY", ""),
        asked=number if isinstance(number, int) else None,
    )


_READERS = {
    "pull_request_target": _of_pull_request,
    "workflow_run": _of_workflow_run,
    "issue_comment": _of_comment,
}


def _is_here(home: Any, environment: Mapping[str, str]) -> bool:
    here = environment.get("GITHUB_REPOSITORY", "")
    return isinstance(home, str) and bool(here) and home.casefold() == here.casefold()


def _refusal(stranger: Stranger, repository: Path, workspace: Path) -> InvalidInput:
    place = repository.relative_to(workspace).as_posix()
    where = "in the workspace" if place == "." else f'in "{place}"'
    what = (
        "the code of a fork's pull request is checked out"
        if commit_of(repository) in stranger.commits
        else "code that is not known to be this repository's own is checked out"
    )
    message = f"{what} {where}, on {stranger.event}, which has the repository's secrets"
    return InvalidInput(Problem(message=message, hint=_HINT))


def _unsearched(stranger: Stranger, most_folders: int) -> InvalidInput:
    message = (
        f"the workspace has more than {most_folders:,} folders, too many to look for a fork's code"
        f" in, on {stranger.event}, which has the repository's secrets"
    )
    hint = "check out what is judged alone, or set allow-untrusted-code: true"
    return InvalidInput(Problem(message=message, hint=hint))


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _texts(*values: Any) -> frozenset[str]:
    return frozenset(value for value in values if isinstance(value, str) and value)
