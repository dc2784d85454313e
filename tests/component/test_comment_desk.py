"""Where a step's comment goes: which pull requests, and what is left where it may not go."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.action_step import Step, on_event, on_pull_request
from tests.builders import a_test
from tests.github_fake import (
    HEAD,
    REPOSITORY,
    TOKEN,
    Answered,
    Asked,
    Fault,
    GitHubState,
    StoredPull,
    github,
)
from tests.runner_double import read_summary
from tests.sticky import manner, text_by

LEFT = "ci-judge-report/comment.md"


@pytest.fixture
def step(tmp_path: Path) -> Step:
    made = Step(tmp_path)
    made.extra["GITHUB_SHA"] = HEAD
    return made


@pytest.fixture
def hub() -> Iterator[GitHubState]:
    with github() as state:
        yield state


def run(step: Step, **inputs: str) -> int:
    (step.files.workspace / "ci-judge-report").mkdir(exist_ok=True)
    return step.run(step.judges(a_test()), github_token=TOKEN, **inputs)


def commented(hub: GitHubState) -> list[str]:
    return [path.removeprefix(f"/api/v3/repos/{REPOSITORY}/") for _, path in hub.writes]


def of_workflow_run(**changes: Any) -> dict[str, Any]:
    home = {"full_name": "stranger/example", "owner": {"login": "stranger"}}
    about = {"head_sha": HEAD, "head_branch": "patch-1", "head_repository": home} | changes
    return {"action": "completed", "workflow_run": about}


def test_a_push_comments_on_every_open_pull_request_whose_head_it_is(
    step: Step, hub: GitHubState
) -> None:
    hub.pulls = [
        StoredPull(number=7, sha=HEAD),
        StoredPull(number=8, sha=HEAD, state="closed"),
        StoredPull(number=9, sha="a" * 40),
    ]
    on_event(step, hub, "push", {"after": HEAD, "deleted": False})
    assert run(step) == 0
    assert commented(hub) == ["issues/7/comments"]
    assert step.outputs["comment-url"] == hub.url_of(hub.comments[0])


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("push", {"after": "0" * 40, "deleted": True}),
        ("merge_group", {"merge_group": {"head_sha": HEAD}}),
        ("schedule", {"schedule": "5 4 * * *"}),
        ("workflow_dispatch", {"inputs": None}),
        ("issue_comment", {"issue": {"number": 7}}),
        ("issue_comment", {"issue": {"number": 7, "pull_request": None}}),
        ("workflow_run", of_workflow_run(head_repository=None)),
        ("workflow_run", of_workflow_run(head_branch=None)),
        ("workflow_run", {"workflow_run": None}),
        ("pull_request", {}),
    ],
)
def test_an_event_without_a_pull_request_costs_only_the_comment(
    step: Step, hub: GitHubState, name: str, event: dict[str, Any]
) -> None:
    on_event(step, hub, name, event)
    assert run(step, allow_untrusted_code="true") == 0
    assert hub.exchanges == []
    (said,) = (line for line in step.log.shown if "pull request comment" in line)
    assert "pull request" in said.removeprefix("No pull request comment:")


def test_no_open_pull_request_with_this_head_is_said(step: Step, hub: GitHubState) -> None:
    hub.pulls = [StoredPull(number=7, sha="a" * 40)]
    on_event(step, hub, "push", {"after": HEAD})
    assert run(step) == 0
    assert hub.writes == []
    assert any("has this commit as its head" in line for line in step.log.shown)


def test_a_workflow_run_is_found_by_branch_and_checked_by_commit(
    step: Step, hub: GitHubState
) -> None:
    hub.pulls = [
        StoredPull(number=7, sha=HEAD, owner="stranger", branch="patch-1"),
        StoredPull(number=8, sha="a" * 40, owner="stranger", branch="patch-1"),
        StoredPull(number=9, sha=HEAD, owner="somebody", branch="patch-1"),
    ]
    planted = of_workflow_run(pull_requests=[{"number": 9}])
    on_event(step, hub, "workflow_run", planted | {"artifact": {"pr": 9}})
    step.extra["GITHUB_SHA"] = "b" * 40  # of the main branch
    assert run(step, allow_untrusted_code="true") == 0
    assert commented(hub) == ["issues/7/comments"]
    assert f"sha={HEAD}" in (hub.comments[0].body or "")
    assert step.orders[0].context.commit == HEAD


def test_a_workflow_run_whose_branch_moved_on_is_not_commented_on(
    step: Step, hub: GitHubState
) -> None:
    hub.pulls = [StoredPull(number=7, sha="a" * 40, owner="stranger", branch="patch-1")]
    on_event(step, hub, "workflow_run", of_workflow_run())
    assert run(step, allow_untrusted_code="true") == 0
    assert hub.writes == []


@pytest.mark.parametrize("name", ["workflow_dispatch", "schedule", "push", "workflow_run"])
def test_a_number_given_as_input_counts_where_the_event_has_none(
    step: Step, hub: GitHubState, name: str
) -> None:
    hub.pulls[0].sha = "a" * 40
    event = of_workflow_run() if name == "workflow_run" else {}
    on_event(step, hub, name, event)
    assert run(step, pr_number="7", allow_untrusted_code="true") == 0
    assert commented(hub) == ["issues/7/comments"]


def test_the_event_s_own_pull_request_goes_before_the_input(step: Step, hub: GitHubState) -> None:
    on_pull_request(step, hub)
    assert run(step, pr_number="12") == 0
    assert commented(hub) == ["issues/7/comments"]


@pytest.mark.parametrize("name", ["push", "workflow_run"])
def test_what_github_finds_goes_before_the_input(step: Step, hub: GitHubState, name: str) -> None:
    hub.pulls = [StoredPull(number=7, sha=HEAD, owner="stranger", branch="patch-1")]
    event = of_workflow_run() if name == "workflow_run" else {"after": HEAD}
    on_event(step, hub, name, event)
    assert run(step, pr_number="12", allow_untrusted_code="true") == 0
    assert commented(hub) == ["issues/7/comments"]


def test_of_many_pull_requests_with_one_head_five_are_commented_on(
    step: Step, hub: GitHubState
) -> None:
    hub.pulls = [StoredPull(number=number, sha=HEAD) for number in range(1, 9)]
    on_event(step, hub, "push", {"after": HEAD})
    assert run(step) == 0
    asked = {path for method, path, _ in hub.requests if method == "GET" and "/pulls/" in path}
    asked_about = [
        exchanged.body["variables"]["number"]
        for exchanged, _ in hub.exchanges
        if exchanged.path.endswith("/graphql")
    ]
    assert sorted(set(asked_about)) == [1, 2, 3, 4, 5]
    assert len(asked) == 5


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_is_left_in_a_file_is_the_workspaces_owners(step: Step, hub: GitHubState) -> None:
    on_pull_request(step, hub)
    hub.refuse_writes = 403
    os.chown(step.files.workspace, 1001, 1001)
    assert run(step) == 0
    left = step.files.workspace / LEFT
    assert (left.stat().st_uid, left.parent.stat().st_uid) == (1001, 1001)


def test_a_nightly_run_for_a_pull_request_can_bring_its_own_comment_up_to_date(
    step: Step, hub: GitHubState
) -> None:
    on_event(step, hub, "schedule", {})
    step.extra["GITHUB_SHA"] = "b" * 40
    for number in ("4711", "4712"):
        step.extra["GITHUB_RUN_ID"] = number
        assert run(step, pr_number="7") == 0
    assert [method for method, _ in hub.writes] == ["POST", "PATCH"]


def test_a_comment_on_a_pull_request_is_an_event_of_it(step: Step, hub: GitHubState) -> None:
    on_event(step, hub, "issue_comment", {"issue": {"number": 7, "pull_request": {"url": "x"}}})
    assert run(step, allow_untrusted_code="true") == 0
    assert commented(hub) == ["issues/7/comments"]


def test_what_was_left_alone_is_a_notice(step: Step, hub: GitHubState) -> None:
    on_pull_request(step, hub)
    hub.add(f"{manner(run='9999').origin.marker}\nnewer", ours=True)
    assert run(step) == 0
    assert [text_by(one.body) for one in hub.comments] == ["newer"]
    (told,) = (notice for notice in step.notices() if "stays as it is" in notice)
    assert "run 9999" in told
    assert "run 4711" in told
    assert step.outputs["comment-url"] == hub.url_of(hub.comments[0])


@pytest.mark.parametrize(
    ("refused", "status"), [("refuse_writes", 403), ("refuse_writes", 404), ("refuse_reads", 403)]
)
def test_what_may_not_be_posted_is_in_the_summary_and_in_a_file(
    step: Step, hub: GitHubState, refused: str, status: int
) -> None:
    on_pull_request(step, hub)
    setattr(hub, refused, status)
    assert run(step) == 0
    (notice,) = (notice for notice in step.notices() if "was not posted" in notice)
    assert "fork" in notice
    assert f'"{LEFT}"' in notice
    assert (step.files.workspace / LEFT).read_text() == "# comment\n"
    assert read_summary(step.files.summary)
    assert step.outputs["status"] == "passed"
    assert step.outputs["comment-url"] == ""
    assert step.errors() == []


def test_a_file_left_by_an_earlier_step_is_not_taken_for_this_one_s(
    step: Step, hub: GitHubState
) -> None:
    on_pull_request(step, hub)
    hub.refuse_writes = 403
    run(step)
    hub.refuse_writes = None
    run(step)
    assert not (step.files.workspace / LEFT).exists()
    assert len(hub.comments) == 1


def test_where_even_the_file_cannot_be_written_it_is_said(step: Step, hub: GitHubState) -> None:
    on_pull_request(step, hub)
    hub.refuse_writes = 403
    (step.files.workspace / LEFT).mkdir(parents=True)
    assert run(step) == 0
    assert any("could not be left in a file" in notice for notice in step.notices())


def test_a_lookup_that_is_refused_leaves_the_file_too(step: Step, hub: GitHubState) -> None:
    on_event(step, hub, "push", {"after": HEAD})
    hub.faults.append(Fault(method="GET", answer=Answered(status=403, body={"message": "No"})))
    assert run(step) == 0
    assert any("GitHub answered 403: No" in notice for notice in step.notices())
    assert (step.files.workspace / LEFT).read_text() == "# comment\n"


@pytest.mark.parametrize("status", [403, None])
def test_a_folder_that_leads_out_of_the_workspace_is_left_alone(
    step: Step, hub: GitHubState, tmp_path: Path, status: int | None
) -> None:
    """A skipped run has looked at no report folder, and a repository may bring a link along."""
    on_pull_request(step, hub)
    hub.refuse_writes = status
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "comment.md").write_text("mine")
    (step.files.workspace / "ci-judge-report").symlink_to(outside)
    assert run(step) == 0
    assert [each.read_text() for each in outside.iterdir()] == ["mine"]
    if status:
        (notice,) = [told for told in step.notices() if "comment was not posted" in told]
        assert "lies outside the workspace" in notice


class Ending(Fault):
    """A rate limit during which the step is ended."""

    def strikes(self, asked: Asked) -> bool:
        hit = super().strikes(asked)
        if hit:
            os.kill(os.getpid(), signal.SIGTERM)
        return hit


def test_a_signal_ends_the_wait_for_a_rate_limit_and_the_text_is_left(
    step: Step, hub: GitHubState
) -> None:
    on_pull_request(step, hub)
    limit = Answered(status=429, headers={"retry-after": "100"})
    hub.faults.append(Ending(answer=limit, path="/comments"))
    before = signal.getsignal(signal.SIGTERM)
    started = time.monotonic()
    try:
        assert run(step) == 0, "the verdict stood before"
    finally:
        signal.signal(signal.SIGTERM, before)
    assert time.monotonic() - started < 60
    assert any("no time to wait" in notice for notice in step.notices())
    assert (step.files.workspace / LEFT).is_file()


def test_another_server_with_a_path_of_its_own_is_asked_and_no_other(
    step: Step, hub: GitHubState
) -> None:
    """GitHub Enterprise Server has /api/v3 and /api/graphql on its own host."""
    on_event(step, hub, "push", {"after": HEAD})
    assert step.extra["GITHUB_API_URL"] == f"{hub.base}/api/v3"
    assert run(step) == 0
    assert {path.split("/repos/")[0] for _, path, _ in hub.requests} == {
        "/api/v3",
        "/api/graphql",
    }
    assert len(hub.comments) == 1
