"""What an event's code is compared with: which files changed, where a baseline may come from."""

import re
from collections.abc import Mapping
from typing import Any

from ci_judge.ci_context import read_event
from ci_judge.github_api import PullRequest
from ci_judge.workflows.baseline_search import Lookback
from ci_judge.workflows.changed_paths import Change, Span

_COMMIT = re.compile(r"(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})")
_OF_A_PULL_REQUEST = frozenset({"pull_request", "pull_request_target"})


def change_of(environment: Mapping[str, str]) -> Change | None:
    """Say what changed, None where the event is about no change or does not say which."""
    name, event = environment.get("GITHUB_EVENT_NAME", ""), read_event(environment)
    if name in _OF_A_PULL_REQUEST:
        number = _at(event, "pull_request", "number")
        repository = environment.get("GITHUB_REPOSITORY", "")
        known = isinstance(number, int) and repository
        return PullRequest(repository=repository, number=number) if known else None
    ends = {
        "push": (_at(event, "before"), environment.get("GITHUB_SHA")),
        "merge_group": (_at(event, "merge_group", "base_sha"), environment.get("GITHUB_SHA")),
    }.get(name, (None, None))
    base, head = map(_commit, ends)
    return Span(base=base, head=head) if base and head else None


def lookback_of(environment: Mapping[str, str]) -> Lookback | None:
    """Say from where on to look back for a baseline, None where the event does not say.

    Runs on the default branch count beside those on the branch itself, which may have none.
    """
    name, event = environment.get("GITHUB_EVENT_NAME", ""), read_event(environment)
    here, commit = environment.get("GITHUB_REF_NAME"), environment.get("GITHUB_SHA")
    match name:
        case "pull_request" | "pull_request_target":
            return _of_pull_request(event)
        case "merge_group":
            group = _at(event, "merge_group")
            base = _text(_at(group, "base_ref")).removeprefix("refs/heads/")
            return _lookback(event, base, _at(group, "base_sha"))
        case "push" if not _is_new_branch(environment, event):
            return _lookback(event, here, commit, itself=False)
        case "push":
            return _lookback(event, None, commit)
        case _:
            return _lookback(event, here, commit)


def _of_pull_request(event: Any) -> Lookback | None:
    base, head = _at(event, "pull_request", "base"), _at(event, "pull_request", "head")
    commit = _commit(_at(head, "sha"))
    return _lookback(event, _at(base, "ref"), _at(base, "sha"), head=commit) if commit else None


def _is_new_branch(environment: Mapping[str, str], event: Any) -> bool:
    """Tell a branch's first push, and a tag's: their own name has no earlier runs."""
    return environment.get("GITHUB_REF_TYPE") == "tag" or _commit(_at(event, "before")) is None


def _lookback(
    event: Any, branch: Any, commit: Any, *, head: str | None = None, itself: bool = True
) -> Lookback | None:
    named = (_text(branch), _text(_at(event, "repository", "default_branch")))
    branches = tuple(dict.fromkeys(filter(None, named)))
    known = _commit(commit)
    if not branches or known is None:
        return None
    return Lookback(branches=branches, commit=known, head=head, itself=itself)


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _commit(value: Any) -> str | None:
    return value if isinstance(value, str) and _COMMIT.fullmatch(value) else None
