"""The events as GitHub really sends them, and as they are when something is missing."""

import asyncio
import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ci_judge.ci_context import CiContext, github_context
from ci_judge.github_api import GitHubRefusal
from ci_judge.workflows.pull_requests import AskByBranch, AskByCommit, Known, ask, lookup_of
from tests.github_description import package_file
from tests.github_fake import REPOSITORY, GitHubState, Hub, StoredPull
from tests.sticky import api_over

_RUNNER = {
    "GITHUB_SHA": "e" * 40,
    "GITHUB_REF_NAME": "7/merge",
    "GITHUB_RUN_ID": "4711",
    "GITHUB_RUN_ATTEMPT": "1",
    "GITHUB_SERVER_URL": "https://github.com",
}


@cache
def _all() -> dict[str, list[dict[str, Any]]]:
    path = package_file("webhooks-examples", "api.github.com/index.json")
    events = json.loads(path.read_text(encoding="utf-8"))
    return {event["name"]: event["examples"] for event in events}


def payloads(name: str) -> list[dict[str, Any]]:
    found = copy.deepcopy(_all()[name])
    assert found
    return found


def environment(tmp_path: Path, name: str, event: Any) -> dict[str, str]:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event))
    repository = event.get("repository") or {}
    return _RUNNER | {
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_REPOSITORY": repository.get("full_name", REPOSITORY),
        "GITHUB_SHA": event.get("after") or "e" * 40,
    }


def read(tmp_path: Path, name: str, event: Any) -> tuple[dict[str, str], CiContext]:
    variables = environment(tmp_path, name, event)
    return variables, github_context(variables)


def lookup(tmp_path: Path, name: str, event: Any, *, pr_number: int | None = None) -> object:
    variables, context = read(tmp_path, name, event)
    return lookup_of(variables, context, pr_number=pr_number)


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_a_pull_request_is_known_from_its_event(tmp_path: Path, name: str) -> None:
    for event in payloads("pull_request"):
        _, context = read(tmp_path, name, event)
        head = event["pull_request"]["head"]
        assert context.pull_request == event["number"]
        assert (context.commit, context.branch) == (head["sha"], head["ref"])
        assert not context.from_fork
        known = lookup(tmp_path, name, event)
        assert known == Known(numbers=(event["number"],), head_binds=True)


def a_fork(event: dict[str, Any]) -> dict[str, Any]:
    """Derive the event of a fork: another owner, and the repository marked so."""
    head = event["pull_request"]["head"]
    head["repo"] |= {"full_name": "stranger/Hello-World", "fork": True}
    head["repo"]["owner"]["login"] = head["user"]["login"] = "stranger"
    head["label"] = f"stranger:{head['ref']}"
    return event


def test_a_fork_is_known_as_one_and_its_secrets_as_withheld(tmp_path: Path) -> None:
    event = a_fork(payloads("pull_request")[0])
    assert read(tmp_path, "pull_request", event)[1].from_fork
    assert not read(tmp_path, "pull_request_target", event)[1].from_fork
    assert lookup(tmp_path, "pull_request", event) == Known(numbers=(2,), head_binds=True)


def test_a_fork_that_was_deleted_is_still_a_pull_request(tmp_path: Path) -> None:
    event = payloads("pull_request")[0]
    event["pull_request"]["head"] |= {"repo": None, "user": None}
    _, context = read(tmp_path, "pull_request", event)
    assert (context.pull_request, context.from_fork) == (2, True)
    assert context.commit == event["pull_request"]["head"]["sha"]


def test_a_push_is_looked_up_by_its_commit(tmp_path: Path) -> None:
    for event in payloads("push"):
        found = lookup(tmp_path, "push", event)
        if event["deleted"]:
            assert isinstance(found, Known)
            assert found.why_none
        else:
            assert found == AskByCommit(sha=event["after"])


def test_a_merge_group_has_no_pull_request_whatever_its_branch_says(tmp_path: Path) -> None:
    for event in payloads("merge_group"):
        assert "/pr-104-" in event["merge_group"]["head_ref"]
        found = lookup(tmp_path, "merge_group", event, pr_number=104)
        assert isinstance(found, Known)
        assert (found.numbers, bool(found.why_none)) == ((), True)


def test_a_workflow_run_is_looked_up_by_branch_and_commit(tmp_path: Path) -> None:
    for event in payloads("workflow_run"):
        about = event["workflow_run"]
        found = lookup(tmp_path, "workflow_run", event)
        assert found == AskByBranch(
            owner=about["head_repository"]["owner"]["login"],
            branch=about["head_branch"],
            sha=about["head_sha"],
        )
        context = read(tmp_path, "workflow_run", event)[1]
        assert (context.commit, context.branch) == (about["head_sha"], about["head_branch"])


def test_the_number_that_a_workflow_run_names_is_not_taken(tmp_path: Path) -> None:
    """It is what the run saw when it began, and empty for forks."""
    event = next(one for one in payloads("workflow_run") if one["workflow_run"]["pull_requests"])
    assert event["workflow_run"]["pull_requests"][0]["number"] == 2
    variables, context = read(tmp_path, "workflow_run", event)
    question = lookup_of(variables, context, pr_number=None)
    state = GitHubState(pulls=[StoredPull(number=2, sha="a" * 40, owner="octo-org")])
    answer = asyncio.run(ask(question, REPOSITORY, api_over(Hub(state), state), pr_number=None))
    assert isinstance(answer, Known)
    assert answer.numbers == ()


def test_a_workflow_run_from_a_deleted_repository_has_none(tmp_path: Path) -> None:
    event = payloads("workflow_run")[0]
    event["workflow_run"]["head_repository"] = None
    found = lookup(tmp_path, "workflow_run", event)
    assert isinstance(found, Known)
    assert "gone" in found.why_none


def test_a_comment_is_about_a_pull_request_only_if_its_issue_is_one(tmp_path: Path) -> None:
    for event in payloads("issue_comment"):
        assert lookup(tmp_path, "issue_comment", event) == Known(
            why_none="this event has no pull request"
        )
        url = event["issue"]["url"].replace("/issues/", "/pulls/")
        event["issue"]["pull_request"] = {"url": url}
        assert lookup(tmp_path, "issue_comment", event) == Known(numbers=(1,))


def test_an_event_started_by_hand_has_the_number_that_is_given(tmp_path: Path) -> None:
    for event in payloads("workflow_dispatch"):
        assert lookup(tmp_path, "workflow_dispatch", event, pr_number=5) == Known(numbers=(5,))
        found = lookup(tmp_path, "workflow_dispatch", event)
        assert isinstance(found, Known)
        assert found.numbers == ()


def damaged(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Take away each field that we may read, or put something else there."""
    for path in _paths(event, depth=4):
        others: tuple[Any, ...] = (None, [], 7, "x", {})
        for other in others:
            changed = copy.deepcopy(event)
            holder = changed
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = other
            yield changed


_READ = frozenset(
    {
        *("pull_request", "workflow_run", "issue", "number", "head", "sha", "ref", "repo"),
        *("full_name", "head_repository", "head_sha", "head_branch", "owner", "login", "deleted"),
    }
)


def _paths(node: Any, *, depth: int) -> Iterator[tuple[str, ...]]:
    if isinstance(node, dict) and depth:
        for key, value in node.items():
            if key in _READ:
                yield (key,)
                yield from ((key, *rest) for rest in _paths(value, depth=depth - 1))


@pytest.mark.parametrize("name", ["pull_request", "workflow_run", "issue_comment", "push"])
def test_a_payload_that_lacks_something_or_has_something_else_is_no_crash(
    tmp_path: Path, name: str
) -> None:
    state = GitHubState()
    api = api_over(Hub(state), state)
    tried = 0
    for event in damaged(payloads(name)[0]):
        variables, context = read(tmp_path, name, event)
        question = lookup_of(variables, context, pr_number=None)
        answer = asyncio.run(ask(question, REPOSITORY, api, pr_number=None))
        assert not isinstance(answer, GitHubRefusal)
        assert answer.numbers or answer.why_none
        tried += 1
    assert tried >= 5
