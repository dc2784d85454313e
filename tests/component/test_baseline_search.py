"""The newest complete report at or before the merge base, from what earlier runs have left."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from ci_judge.github_api import GitHubAccess, GitHubApi, History, Patience
from ci_judge.transport import Transport
from ci_judge.workflows.artifact_reports import artifact_name
from ci_judge.workflows.baseline import Baseline, FoundBaseline, NoBaseline
from ci_judge.workflows.baseline_search import BaselineSearch, Lookback
from tests.builders import a_group, a_report, a_test
from tests.github_fake import TOKEN
from tests.github_past import OWN_RUN, REPOSITORY, Past, github_past, zipped

NAME = "ci-judge-report-ci-judge"
COMMITS = [f"{number:040x}" for number in range(0x2000, 0x1000, -0x100)]
"""The main branch, newest first."""

HEAD = "f" * 40


@pytest.fixture
def past() -> Iterator[Past]:
    with github_past() as state:
        state.commits = list(COMMITS)
        state.merge_base = COMMITS[2]
        yield state


def a_report_file(**run: Any) -> bytes:
    document, runs = a_report(a_group(a_test()))
    document["run"].update(run)  # type: ignore[typeddict-item] # keys of a case
    for group in document["groups"]:
        for test in group["tests"]:
            test["runs"] = list(runs.runs(test["id"]))
    return json.dumps(document).encode()


def left(past: Past, run: int, commit: str, *, name: str = NAME, **changes: Any) -> None:
    """Have a run leave a complete report of its own."""
    past.add_run(run, commit, **changes)
    report = a_report_file(seed=run, commit=commit)
    past.add_artifact(run, zipped({"report.json": report}), name=name)


def look(past: Past, lookback: Lookback | None = None, **changes: Any) -> FoundBaseline:
    async def searched() -> FoundBaseline:
        transport = Transport()
        access = GitHubAccess(
            api_url=past.environment()["GITHUB_API_URL"], graphql_url="", token=TOKEN
        )
        try:
            search = BaselineSearch(
                history=History(
                    GitHubApi(transport, access, patience=Patience(most_seconds=0)), REPOSITORY
                ),
                run_id=OWN_RUN,
                lookback=lookback or Lookback(branches=("main",), commit=COMMITS[0], head=HEAD),
                name=NAME,
                **changes,
            )
            return await search.look("report.json")
        finally:
            await transport.aclose()

    return asyncio.run(searched())


def found(past: Past, lookback: Lookback | None = None) -> Baseline:
    baseline = look(past, lookback)
    assert isinstance(baseline, Baseline), baseline
    return baseline


def why_none(past: Past) -> str:
    nothing = look(past)
    assert isinstance(nothing, NoBaseline), nothing
    assert NAME in nothing.source
    return nothing.reason


def test_the_run_nearest_to_the_merge_base_is_taken_whatever_its_conclusion(past: Past) -> None:
    left(past, 1, COMMITS[4])
    left(past, 2, COMMITS[3], conclusion="failure")
    left(past, 3, COMMITS[1])
    left(past, 4, HEAD)
    baseline = found(past)
    assert baseline.commit == COMMITS[3]
    assert baseline.url == "https://github.example/octo-org/example/actions/runs/2"
    assert "run 2" in baseline.source
    assert list(baseline.tests) == ["refund-policy/asks"]


def test_of_two_runs_at_one_commit_the_newer_is_taken(past: Past) -> None:
    left(past, 1, COMMITS[2])
    left(past, 2, COMMITS[2])
    assert "run 2" in found(past).source


def test_the_token_is_never_shown_to_where_the_file_lies(past: Past) -> None:
    left(past, 1, COMMITS[2])
    found(past)
    assert all(headers["authorization"] == f"Bearer {TOKEN}" for _, headers in past.requests)
    ((path, headers),) = past.stored
    assert path == "/blob/1"
    assert "authorization" not in headers
    assert TOKEN not in json.dumps(dict(headers))


@pytest.mark.parametrize(
    "changes",
    [
        {"head_repository": {"full_name": "stranger/example"}},
        {"head_repository": None},
        {"head_branch": "feature"},
        {"status": "in_progress"},
        {"event": "issue_comment"},
        {"event": "pull_request_target"},
    ],
)
def test_runs_of_forks_other_branches_and_unfinished_ones_do_not_count(
    past: Past, changes: dict[str, Any]
) -> None:
    left(past, 1, COMMITS[2], **changes)
    assert "no complete run on main at or before" in why_none(past)
    assert past.stored == []


def test_our_own_run_does_not_count(past: Past) -> None:
    left(past, int(OWN_RUN), COMMITS[2])
    why_none(past)


def test_a_branch_without_runs_of_its_own_is_compared_with_the_default_branch(past: Past) -> None:
    left(past, 1, COMMITS[3])
    stacked = Lookback(branches=("feature", "main"), commit=COMMITS[0], head=HEAD)
    assert found(past, stacked).commit == COMMITS[3]
    left(past, 2, COMMITS[2], head_branch="feature")
    assert found(past, stacked).commit == COMMITS[2]


def test_a_push_is_compared_with_what_came_before_it(past: Past) -> None:
    left(past, 1, COMMITS[1])
    left(past, 2, COMMITS[0])
    before = Lookback(branches=("main",), commit=COMMITS[0], itself=False)
    assert found(past, before).commit == COMMITS[1]
    at = Lookback(branches=("main",), commit=COMMITS[0])
    assert found(past, at).commit == COMMITS[0]


def test_what_cannot_be_used_is_passed_over_and_told_where_nothing_else_is(past: Past) -> None:
    past.add_run(5, COMMITS[2])
    past.add_run(4, COMMITS[3])
    past.add_artifact(4, b"", name=NAME, expired=True)
    past.add_run(3, COMMITS[4])
    stopped = a_report_file(complete=False)
    past.add_artifact(3, zipped({"report.json": stopped}), name=NAME)
    why = why_none(past)
    assert "run 5: it left no such artifact" in why
    assert "run 4: its artifact has expired" in why
    assert "run 3: its report is of a run that did not get to its end" in why
    left(past, 2, COMMITS[5])
    assert found(past).commit == COMMITS[5]


def test_a_report_about_another_commit_than_its_run_is_none(past: Past) -> None:
    past.add_run(1, COMMITS[2], event="workflow_run")
    past.add_artifact(1, zipped({"report.json": a_report_file(commit=HEAD)}), name=NAME)
    assert "run 1: its report is about another commit" in why_none(past)
    left(past, 2, COMMITS[2], event="workflow_run")
    assert "run 2" in found(past).source


@pytest.mark.parametrize(
    ("archive", "why"),
    [
        (b"no zip", "no zip file"),
        (zipped({"other.json": b"{}"}), 'holds no files called "report.json"'),
        (zipped({"report.json": b"{}"}), "schema_version"),
        (zipped({"report.json": b"nonsense"}), "not JSON"),
        (zipped({"report.json": b'{"schema_version": 1, "groups": [1, {"tests": [2]}]}'}), "$"),
        (zipped({"report.json": b"[]"}), "$"),
        (
            zipped({"report.json": a_report_file().replace(b'"runs_made": 10', b'"x": 1')}),
            "runs_made",
        ),
    ],
)
def test_an_archive_that_holds_no_report_is_none(past: Past, archive: bytes, why: str) -> None:
    past.add_run(1, COMMITS[2])
    past.add_artifact(1, archive, name=NAME)
    assert why in why_none(past)


@pytest.mark.parametrize(
    ("where", "status"), [("/artifacts", 403), ("actions/runs", 403), ("/zip", 404), ("/runs", 403)]
)
def test_a_lack_of_permission_is_said_with_its_remedy(past: Past, where: str, status: int) -> None:
    left(past, 1, COMMITS[2])
    past.refuse[where] = status
    why = why_none(past)
    assert f"GitHub answered {status}" in why
    assert "`permissions: actions: read`" in why


def test_a_search_that_takes_too_long_is_given_up(past: Past) -> None:
    left(past, 1, COMMITS[2])
    nothing = look(past, most_seconds=0.0)
    assert isinstance(nothing, NoBaseline)
    assert "took longer than" in nothing.reason


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("CI Judge/gate", "ci-judge-report-ci-judge-gate"),
        ("CI/faq_bot (3.13)", "ci-judge-report-ci-faq-bot-3.13"),
        ("Prüfung/Tor", "ci-judge-report-prüfung-tor"),
        ('a:b"c<d>e|f*g?h\r\ni\\j', "ci-judge-report-a-b-c-d-e-f-g-h-i-j"),
        ("//", "ci-judge-report-ci-judge"),
    ],
)
def test_the_artifact_is_named_by_the_comments_key(key: str, name: str) -> None:
    assert artifact_name(key) == name
