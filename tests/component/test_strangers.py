"""Whose code is checked out, in a job that has secrets."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ci_judge.action.strangers import refuse_stranger, stranger_of, with_pull_request
from ci_judge.checkout import MOST_FOLDERS, commit_of
from ci_judge.errors import InvalidInput
from tests.tools import missing

BASE, HEAD, MERGE, OTHER = ("b" * 40, "f" * 40, "e" * 40, "c" * 40)
HERE, FORK = "octo-org/example", "stranger/example"


class Workspace:
    """A workspace with checkouts, and an event that a step was started by."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "workspace"
        self.path.mkdir()
        self.event = folder / "event.json"
        self.pull_request: dict[str, Any] | None = None  # what GitHub says when it is asked
        self.environment = {
            "GITHUB_EVENT_PATH": str(self.event),
            "GITHUB_REPOSITORY": HERE,
            "GITHUB_SHA": BASE,
        }

    def started_by(self, name: str, **event: Any) -> None:
        self.environment["GITHUB_EVENT_NAME"] = name
        self.event.write_text(json.dumps(event))

    def by_pull_request_target(self, home: str | None = FORK) -> None:
        repo = None if home is None else {"full_name": home}
        self.started_by(
            "pull_request_target",
            pull_request={
                "number": 7,
                "head": {"sha": HEAD, "ref": "patch-1", "repo": repo},
                "base": {"sha": BASE, "ref": "main"},
                "merge_commit_sha": MERGE,
            },
        )

    def check_out(self, head: str, *, folder: str = ".", origin: str = HERE) -> Path:
        git = self.path / folder / ".git"
        git.mkdir(parents=True)
        (git / "HEAD").write_text(f"{head}\n")
        (git / "config").write_text(f'[remote "origin"]\n\turl = https://github.com/{origin}\n')
        return git

    def look(
        self, working_directory: str = ".", *, config: str = ".", most_folders: int = MOST_FOLDERS
    ) -> None:
        stranger = stranger_of(self.environment)
        if stranger is not None and self.pull_request is not None:
            stranger = with_pull_request(stranger, self.pull_request)
        if stranger is not None:
            refuse_stranger(
                stranger,
                workspace=self.path,
                working_directory=self.path / working_directory,
                configured_in=self.path / config,
                most_folders=most_folders,
            )

    def refused(self, working_directory: str = ".", **options: Any) -> str:
        with pytest.raises(InvalidInput) as error:
            self.look(working_directory, **options)
        (problem,) = error.value.problems
        assert "allow-untrusted-code" in str(problem)
        return str(problem)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path)
    made.by_pull_request_target()
    return made


@pytest.mark.parametrize("commit", [HEAD, MERGE])
def test_a_forks_head_is_refused(workspace: Workspace, commit: str) -> None:
    workspace.check_out(commit)
    message = workspace.refused()
    assert "the code of a fork's pull request is checked out in the workspace" in message
    assert "pull_request_target" in message


def test_the_repositorys_own_code_is_let_in(workspace: Workspace) -> None:
    git = workspace.check_out("ref: refs/heads/main")
    (git / "packed-refs").write_text(f"# pack-refs\n{OTHER} refs/heads/x\n{BASE} refs/heads/main\n")
    workspace.look()
    (git / "refs/heads").mkdir(parents=True)
    (git / "refs/heads/main").write_text(f"{HEAD}\n")
    workspace.refused()


@pytest.mark.parametrize("head", [OTHER, "ref: refs/heads/gone", "ref: ../../x", "nonsense", ""])
def test_what_cannot_be_told_is_the_forks(workspace: Workspace, head: str) -> None:
    workspace.check_out(head)
    assert "not known to be this repository's own" in workspace.refused()


def test_a_workspace_without_a_repository_is_refused(workspace: Workspace) -> None:
    assert "not known" in workspace.refused()


@pytest.mark.parametrize("home", [HERE, "Octo-Org/Example"])
def test_a_branch_of_the_repository_itself_is_no_stranger(workspace: Workspace, home: str) -> None:
    workspace.by_pull_request_target(home)
    workspace.check_out(HEAD)
    workspace.look()


def test_a_fork_that_is_gone_is_a_stranger_all_the_same(workspace: Workspace) -> None:
    workspace.by_pull_request_target(None)
    workspace.check_out(HEAD)
    workspace.refused()


@pytest.mark.parametrize("commit", [HEAD, MERGE, OTHER])
def test_a_second_checkout_of_the_fork_beside_our_own_code_is_found(
    workspace: Workspace, commit: str
) -> None:
    workspace.check_out(BASE)
    workspace.check_out(commit, folder="a/pr", origin=FORK if commit == OTHER else HERE)
    assert 'in "a/pr"' in workspace.refused()


def test_a_workspace_too_large_to_look_through_is_refused(workspace: Workspace) -> None:
    workspace.check_out(BASE)
    for number in range(5):
        (workspace.path / f"folder-{number}").mkdir()
    workspace.check_out(HEAD, folder="pr")
    assert "too many" in workspace.refused(most_folders=6)
    assert '"pr"' in workspace.refused(most_folders=7)


def test_the_configurations_own_checkout_is_looked_at_however_deep(workspace: Workspace) -> None:
    deep = "a/b/c/d/e/f"
    workspace.check_out(BASE)
    workspace.check_out(HEAD, folder=deep)
    assert f'"{deep}"' in workspace.refused(config=deep)


def test_a_checkout_of_a_third_repository_is_none_of_ours(workspace: Workspace) -> None:
    workspace.check_out(BASE)
    workspace.check_out(OTHER, folder="tools", origin="somebody/tools")
    workspace.check_out(OTHER, folder="more", origin=f"{HERE}-tools.git")
    workspace.look()


def test_the_working_directory_is_what_counts(workspace: Workspace) -> None:
    workspace.check_out(BASE, folder="trusted")
    workspace.look("trusted")
    workspace.check_out(HEAD, folder="pr")
    assert "a fork's pull request" in workspace.refused("pr")


def test_a_worktree_is_followed_to_its_commit(workspace: Workspace) -> None:
    git = workspace.check_out(BASE)
    tree = git / "worktrees/pr"
    tree.mkdir(parents=True)
    (tree / "HEAD").write_text("ref: refs/heads/pr\n")
    (tree / "commondir").write_text("../..\n")
    (git / "refs/heads").mkdir(parents=True)
    (git / "refs/heads/pr").write_text(HEAD)
    (workspace.path / "pr").mkdir()
    (workspace.path / "pr/.git").write_text("gitdir: ../.git/worktrees/pr\n")
    assert 'in "pr"' in workspace.refused()


def test_a_run_after_a_forks_run_has_strangers_too(workspace: Workspace) -> None:
    run = {"head_sha": HEAD, "head_repository": {"full_name": FORK}}
    workspace.started_by("workflow_run", workflow_run=run)
    git = workspace.check_out(HEAD)
    assert "workflow_run" in workspace.refused()
    (git / "HEAD").write_text(BASE)
    workspace.look()
    (git / "HEAD").write_text(HEAD)
    run = {"head_sha": HEAD, "head_repository": {"full_name": HERE}}
    workspace.started_by("workflow_run", workflow_run=run)
    workspace.look()


def test_a_comment_on_a_pull_request_may_be_about_anybodys_code(workspace: Workspace) -> None:
    workspace.started_by("issue_comment", issue={"number": 7, "pull_request": {"url": "x"}})
    git = workspace.check_out(HEAD)
    assert "issue_comment" in workspace.refused()
    (git / "HEAD").write_text(BASE)
    workspace.look()


def test_where_github_does_not_say_whose_it_is_every_other_checkout_is_refused(
    workspace: Workspace,
) -> None:
    workspace.started_by("issue_comment", issue={"number": 7, "pull_request": {"url": "x"}})
    workspace.check_out(BASE)
    workspace.check_out(HEAD, folder="pr", origin=FORK)
    assert 'in "pr"' in workspace.refused(config="pr")
    workspace.pull_request = {"head": {"sha": OTHER, "repo": {"full_name": "a/b"}}}
    workspace.look(config="pr")


def test_where_github_says_whose_it_is_the_repositorys_own_is_let_in(
    workspace: Workspace,
) -> None:
    workspace.started_by("issue_comment", issue={"number": 7, "pull_request": {"url": "x"}})
    workspace.check_out(HEAD)
    workspace.pull_request = {"head": {"sha": HEAD, "repo": {"full_name": FORK}}}
    assert "a fork's pull request is checked out" in workspace.refused()
    workspace.pull_request = {"head": {"sha": HEAD, "repo": None}}
    workspace.refused()
    workspace.pull_request = {"head": {"sha": HEAD, "repo": {"full_name": HERE.upper()}}}
    workspace.look()


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("issue_comment", {"issue": {"number": 7}}),
        ("pull_request", {"pull_request": {"head": {"repo": {"full_name": FORK}}}}),
        ("push", {}),
        ("schedule", {}),
    ],
)
def test_other_events_bring_no_stranger_to_the_secrets(
    workspace: Workspace, name: str, event: dict[str, Any]
) -> None:
    workspace.started_by(name, **event)
    workspace.check_out(HEAD)
    workspace.look()


@pytest.mark.parametrize("name", ["pull_request_target", "workflow_run", "issue_comment"])
@pytest.mark.parametrize("written", ["{", "[]", '{"issue": null}', None])
def test_an_event_that_cannot_be_read_makes_a_stranger_of_everybody(
    workspace: Workspace, name: str, written: str | None
) -> None:
    workspace.started_by(name)
    if written is None:
        workspace.event.unlink()
    else:
        workspace.event.write_text(written)
    workspace.check_out(HEAD)
    workspace.refused()


def test_what_git_itself_checks_out_is_read_as_git_reads_it(tmp_path: Path) -> None:
    git = shutil.which("git")
    if git is None:
        missing("the command git is not installed")

    def run(*arguments: str) -> str:
        settings = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-C", str(tmp_path))
        done = subprocess.run(
            [git, *settings, *arguments], capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout.strip()

    run("init", "--quiet", "--initial-branch", "feature/a-b_1.0")
    run("commit", "--quiet", "--allow-empty", "--message", "first")
    first = run("rev-parse", "HEAD")
    assert commit_of(tmp_path) == first
    run("pack-refs", "--all")
    assert commit_of(tmp_path) == first
    run("commit", "--quiet", "--allow-empty", "--message", "second")
    assert commit_of(tmp_path) == run("rev-parse", "HEAD") != first
    run("checkout", "--quiet", "--detach", first)
    assert commit_of(tmp_path) == first
    run("worktree", "add", "--quiet", str(tmp_path / "tree"), "feature/a-b_1.0")
    assert commit_of(tmp_path / "tree") == run("rev-parse", "feature/a-b_1.0")
