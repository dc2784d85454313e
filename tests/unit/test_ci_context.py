import json
from pathlib import Path
from typing import Any

import pytest

from ci_judge.ci_context import CiContext, context_of, github_context

RUNNER = {
    "GITHUB_SHA": "e" * 40,
    "GITHUB_REF_NAME": "7/merge",
    "GITHUB_REPOSITORY": "Octo.Org/Ex-ample",
    "GITHUB_RUN_ID": "4711",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_SERVER_URL": "https://ghe.example.com/",
}


def pull_request(tmp_path: Path, event: Any, name: str = "pull_request") -> CiContext:
    path = tmp_path / "event.json"
    path.write_text(event if isinstance(event, str) else json.dumps(event))
    return github_context(RUNNER | {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path)})


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_a_pull_request_is_its_head_and_not_the_merge(tmp_path: Path, name: str) -> None:
    head = {"sha": "f" * 40, "ref": "feature", "repo": {"full_name": "octo.org/ex-ample"}}
    context = pull_request(tmp_path, {"pull_request": {"number": 7, "head": head}}, name)
    assert context == CiContext(
        commit="f" * 40,
        branch="feature",
        repository="Octo.Org/Ex-ample",
        pull_request=7,
        url="https://ghe.example.com/Octo.Org/Ex-ample/actions/runs/4711/attempts/2",
        attempt=2,
        run_id="4711",
    )


def test_other_events_have_no_pull_request(tmp_path: Path) -> None:
    event = {"pull_request": {"number": 7, "head": {"sha": "f" * 40}}}
    context = pull_request(tmp_path, event, "push")
    assert (context.pull_request, context.commit) == (None, "e" * 40)


@pytest.mark.parametrize(
    "event",
    [
        *("", "{", "[]", "null", '{"pull_request": null}', '{"pull_request": {"head": []}}'),
        '{"pull_request": {"number": true, "head": {"sha": 1, "ref": ""}}}',
        "[" * 100_000,
        f'{{"pull_request": {{"number": "{"9" * 5_000}"}}}}',
    ],
)
def test_a_damaged_event_leaves_things_unknown(tmp_path: Path, event: str) -> None:
    context = pull_request(tmp_path, event)
    assert (context.pull_request, context.commit) == (None, "e" * 40)


def test_a_missing_event_file_leaves_things_unknown() -> None:
    variables = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": "/nowhere/event.json"}
    assert github_context(variables) == CiContext()


@pytest.mark.parametrize("attempt", ["", "x", "\u0662", "9" * 5_000])
def test_an_attempt_that_is_no_number_is_unknown(attempt: str) -> None:
    assert github_context(RUNNER | {"GITHUB_RUN_ATTEMPT": attempt}).attempt is None


def test_outside_of_a_ci_everything_is_unknown() -> None:
    assert github_context({}) == CiContext()
    assert set(github_context({}).entry().values()) == {None}


@pytest.mark.parametrize(
    ("home", "name", "from_fork"),
    [
        ("stranger/ex-ample", "pull_request", True),
        ("octo.org/EX-AMPLE", "pull_request", False),
        ("stranger/ex-ample", "pull_request_target", False),
        (None, "pull_request", False),
    ],
)
def test_a_fork_is_another_repository_whose_runs_get_no_secrets(
    tmp_path: Path, home: str | None, name: str, *, from_fork: bool
) -> None:
    head = {"sha": "f" * 40, "ref": "main", "repo": {"full_name": home}}
    context = pull_request(tmp_path, {"pull_request": {"number": 7, "head": head}}, name)
    assert context.from_fork is from_fork


@pytest.mark.parametrize(("name", "from_fork"), [("pull_request", True), ("push", False)])
def test_a_branch_whose_repository_is_gone_was_a_forks(
    tmp_path: Path, name: str, *, from_fork: bool
) -> None:
    head = {"sha": "f" * 40, "ref": "main", "repo": None}
    context = pull_request(tmp_path, {"pull_request": {"number": 7, "head": head}}, name)
    assert context.from_fork is from_fork


def test_outside_of_github_the_commit_is_that_of_the_checkout(tmp_path: Path) -> None:
    inside = tmp_path / "suite/deep"
    inside.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("c" * 40 + "\n")
    assert context_of({}, folder=inside).commit == "c" * 40
    assert context_of({"CI_COMMIT_SHA": "d" * 40}, folder=inside).commit == "d" * 40
    assert context_of({"GITHUB_SHA": "e" * 40}, folder=inside).commit == "e" * 40
    (tmp_path / ".git/HEAD").write_text("nothing of git's")
    assert context_of({}, folder=inside).commit is None
