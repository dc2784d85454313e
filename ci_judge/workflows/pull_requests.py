"""Which pull requests a run is about: what the event says itself, or else what GitHub is asked."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ci_judge.ci_context import CiContext, read_event
from ci_judge.github_api import GitHubApi, GitHubRefusal, Head, PullRequest

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_OF_A_PULL_REQUEST = frozenset({"pull_request", "pull_request_target"})
_MOST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """These pull requests, without asking; none where ``why_none`` says why.

    ``head_binds`` says that what runs here is meant for the head of the pull request.
    """

    numbers: tuple[int, ...] = ()
    head_binds: bool = False
    why_none: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskByCommit:
    """The open pull requests whose head is this commit."""

    sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskByBranch:
    """The open pull requests from a branch of ``owner``'s whose head is this commit."""

    owner: str
    branch: str
    sha: str


Lookup: TypeAlias = Known | AskByCommit | AskByBranch


def lookup_of(
    environment: Mapping[str, str], context: CiContext, *, pr_number: int | None
) -> Lookup:
    """Say how the pull requests are found. ``pr_number`` is the input, for events without one.

    A number in an artifact or another text of a stranger's is never taken. A merge group belongs to
    several pull requests and to none of them.
    """
    name = environment.get("GITHUB_EVENT_NAME", "")
    if name == "merge_group":
        return Known(why_none="a merge group has no pull request of its own")
    if context.pull_request is not None:
        return Known(numbers=(context.pull_request,), head_binds=name in _OF_A_PULL_REQUEST)
    asked = _question(name, read_event(environment), context)
    if isinstance(asked, Known) and pr_number is not None:
        return Known(numbers=(pr_number,))
    return asked


async def ask(
    lookup: Lookup, repository: str, api: GitHubApi, *, pr_number: int | None
) -> Known | GitHubRefusal:
    """Find the pull requests; where GitHub knows none, ``pr_number`` counts."""
    if isinstance(lookup, Known):
        return lookup
    if isinstance(lookup, AskByCommit):
        heads = await api.heads_of_commit(repository, lookup.sha)
    else:
        heads = await api.heads_of_branch(
            repository, owner=lookup.owner, branch=lookup.branch, sha=lookup.sha
        )
    return heads if isinstance(heads, GitHubRefusal) else _known(heads, pr_number)


def pull_requests(repository: str, known: Known) -> tuple[PullRequest, ...]:
    """Name the pull requests with their repository."""
    return tuple(PullRequest(repository=repository, number=number) for number in known.numbers)


def _question(name: str, event: Mapping[str, Any], context: CiContext) -> Lookup:
    if name == "push" and not event.get("deleted") and _is_commit(context.commit):
        return AskByCommit(sha=context.commit or "")
    if name == "workflow_run":
        return _branch(_mapping(event.get("workflow_run")))
    return Known(why_none="this event has no pull request")


def _branch(run: Mapping[str, Any]) -> Lookup:
    home = _mapping(run.get("head_repository"))
    owner = _mapping(home.get("owner")).get("login")
    branch, sha = run.get("head_branch"), run.get("head_sha")
    if not home:
        return Known(why_none="the repository that this run came from is gone, no pull request")
    if not (isinstance(owner, str) and isinstance(branch, str) and _is_commit(sha)):
        return Known(why_none="this event names no branch, so no pull request")
    return AskByBranch(owner=owner, branch=branch, sha=str(sha))


def _known(heads: tuple[Head, ...], pr_number: int | None) -> Known:
    if heads:
        return Known(numbers=tuple(head.number for head in heads[:_MOST]), head_binds=True)
    if pr_number is not None:
        return Known(numbers=(pr_number,))
    return Known(why_none="no pull request that is open has this commit as its head")


def _is_commit(value: object) -> bool:
    return isinstance(value, str) and _COMMIT.fullmatch(value) is not None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
