"""Which commit, branch, pull request and CI run this is, as the CI's variables tell it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ci_judge.checkout import commit_of, repository_of

_LARGEST_EVENT_BYTES = 25 * 1024 * 1024
_MOST_DIGITS = 18
_DEPENDABOT = "dependabot[bot]"
_LIKE_A_FORK = frozenset(
    {"pull_request", "pull_request_review", "pull_request_review_comment", "push"}
)
"""Events by Dependabot that GitHub treats as if they came from a fork."""

_PULL_REQUEST_EVENTS = frozenset({"pull_request", "pull_request_target"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CiContext:
    """Where a run happens; None is unknown. ``url`` is the page of the CI run and attempt.

    ``from_fork`` says that it runs for a pull request from a fork, ``by_dependabot`` that
    Dependabot started it: neither is given the repository's secrets.
    """

    commit: str | None = None
    branch: str | None = None
    repository: str | None = None
    pull_request: int | None = None
    url: str | None = None
    attempt: int | None = None
    run_id: str | None = None
    from_fork: bool = False
    by_dependabot: bool = False

    def entry(self) -> dict[str, Any]:
        """Give what the report says of it (``run`` in ``report.json``)."""
        return {
            "commit": self.commit,
            "branch": self.branch,
            "repository": self.repository,
            "pull_request": self.pull_request,
            "url": self.url,
            "attempt": self.attempt,
        }


def github_context(environment: Mapping[str, str]) -> CiContext:
    """Read what GitHub Actions says; outside of it everything is unknown.

    For a pull request the commit and branch are its head's: ``GITHUB_SHA`` is a merge commit that
    nobody knows. For a run that follows another (workflow_run) they are those of the other. A
    missing or damaged event file only leaves more unknown.
    """
    subject = _subject(environment)
    return CiContext(
        commit=subject.commit or environment.get("GITHUB_SHA") or None,
        branch=subject.branch or environment.get("GITHUB_REF_NAME") or None,
        repository=environment.get("GITHUB_REPOSITORY") or None,
        pull_request=subject.number,
        url=_run_url(environment),
        attempt=_number(environment.get("GITHUB_RUN_ATTEMPT")),
        run_id=environment.get("GITHUB_RUN_ID") or None,
        from_fork=_is_withheld(environment, subject.home),
        by_dependabot=_is_dependabots(environment),
    )


def context_of(environment: Mapping[str, str], *, folder: Path) -> CiContext:
    """Read what GitHub Actions says; elsewhere the commit is GitLab's, or what ``folder`` holds.

    What was changed since that commit and is in none is not known.
    """
    context = github_context(environment)
    if context.commit is not None:
        return context
    repository = repository_of(folder, top=Path(folder.anchor))
    commit = environment.get("CI_COMMIT_SHA") or (commit_of(repository) if repository else None)
    return replace(context, commit=commit or None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """What an event is about; ``home`` is the repository of the branch, empty where it is gone."""

    commit: str | None = None
    branch: str | None = None
    number: int | None = None
    home: str | None = None


def _subject(environment: Mapping[str, str]) -> _Subject:
    name = environment.get("GITHUB_EVENT_NAME")
    if name in _PULL_REQUEST_EVENTS:
        return _of_a_pull_request(read_event(environment))
    if name == "issue_comment":
        issue = _mapping(read_event(environment).get("issue"))
        return _Subject(number=_number(issue.get("number")) if issue.get("pull_request") else None)
    if name == "workflow_run":
        run = _mapping(read_event(environment).get("workflow_run"))
        return _Subject(commit=_text(run.get("head_sha")), branch=_text(run.get("head_branch")))
    return _Subject()


def _of_a_pull_request(event: Mapping[str, Any]) -> _Subject:
    pull_request = _mapping(event.get("pull_request"))
    head = _mapping(pull_request.get("head"))
    gone = "repo" in head and head["repo"] is None  # a fork that was deleted; our own cannot be
    return _Subject(
        commit=_text(head.get("sha")),
        branch=_text(head.get("ref")),
        number=_number(pull_request.get("number")),
        home="" if gone else _text(_mapping(head.get("repo")).get("full_name")),
    )


def _is_withheld(environment: Mapping[str, str], home: str | None) -> bool:
    """Tell whether the branch's home is another repository; pull_request_target has the secrets."""
    here = environment.get("GITHUB_REPOSITORY", "")
    foreign = home is not None and home.casefold() != here.casefold()
    return foreign and environment.get("GITHUB_EVENT_NAME") == "pull_request"


def _is_dependabots(environment: Mapping[str, str]) -> bool:
    event = environment.get("GITHUB_EVENT_NAME", "")
    return environment.get("GITHUB_ACTOR") == _DEPENDABOT and event in _LIKE_A_FORK


def read_event(environment: Mapping[str, str]) -> dict[str, Any]:
    """Give the event that started the workflow; empty when it cannot be read."""
    path = environment.get("GITHUB_EVENT_PATH")
    if not path:
        return {}
    try:
        with Path(path).open("rb") as file:
            content = file.read(_LARGEST_EVENT_BYTES)
        return _mapping(json.loads(content))
    except (OSError, ValueError, RecursionError):
        return {}


def _run_url(environment: Mapping[str, str]) -> str | None:
    server = environment.get("GITHUB_SERVER_URL", "").rstrip("/")
    repository = environment.get("GITHUB_REPOSITORY")
    run_id = environment.get("GITHUB_RUN_ID")
    if not (server and repository and run_id):
        return None
    attempt = environment.get("GITHUB_RUN_ATTEMPT")
    return f"{server}/{repository}/actions/runs/{run_id}" + (
        f"/attempts/{attempt}" if attempt else ""
    )


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    # int() refuses thousands of digits
    readable = isinstance(value, str) and value.isascii() and len(value) <= _MOST_DIGITS
    return int(value) if readable and value.isdigit() else None
