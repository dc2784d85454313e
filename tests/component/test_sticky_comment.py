import asyncio
from collections.abc import Iterator

import pytest

from ci_judge.github_api import GitHubRefusal, PullRequest
from ci_judge.sinks.comment import LARGEST_UNITS, Manner
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.fitting import utf16_units
from tests.github_fake import TOKEN, GitHubState, Hub, github
from tests.sticky import FAILING, PASSING, api_over, manner, origin, publish

QUIET = Manner(origin=origin(), only_failures=True, head_binds=True)


@pytest.fixture
def hub() -> Iterator[GitHubState]:
    with github() as state:
        yield state


def test_the_first_run_posts_a_comment_with_a_hidden_first_line(hub: GitHubState) -> None:
    urls = publish(hub).urls
    (comment,) = hub.comments
    assert comment.body == (
        f"<!-- ci-judge key=CI/judge sha={'f' * 40} run=12 attempt=1 -->\n# 7 of 10 passed\n"
    )
    assert urls == [hub.url_of(comment)]
    assert hub.writes == [("POST", "/api/v3/repos/octo-org/example/issues/7/comments")]


def test_requests_say_who_asks_and_which_version_they_mean(hub: GitHubState) -> None:
    publish(hub)
    for _, _, headers in hub.requests:
        assert headers["authorization"] == f"Bearer {TOKEN}"
        assert headers["x-github-api-version"] == "2022-11-28"
        assert headers["user-agent"]


def test_later_runs_update_it_in_place_on_whatever_page_it_is(hub: GitHubState) -> None:
    for number in range(129):
        hub.add(f"comment {number}")
    publish(hub, "# red\n")
    hub.add("the 131st")
    urls = publish(hub, "# green\n", by=manner(run="13")).urls
    ours = hub.comments[129]
    assert ours.body is not None
    assert ours.body.endswith("run=13 attempt=1 -->\n# green\n")
    assert [method for method, _ in hub.writes] == ["POST", "PATCH"]
    assert urls == [hub.url_of(ours)]
    assert hub.reads == 9, "three pages a look: two of the run that posts, one of the other"


def test_the_same_again_is_not_written(hub: GitHubState) -> None:
    publish(hub)
    assert publish(hub).urls == [hub.url_of(hub.comments[0])]
    assert [method for method, _ in hub.writes] == ["POST"]


def test_line_ends_changed_by_github_are_no_difference(hub: GitHubState) -> None:
    publish(hub, "# a\n\nb\n")
    body = hub.comments[0].body or ""
    hub.comments[0].body = body.replace("\n", "\r\n").rstrip()
    publish(hub, "# a\n\nb\n")
    assert [method for method, _ in hub.writes] == ["POST"]


def test_a_marker_planted_by_somebody_else_is_ignored(hub: GitHubState) -> None:
    planted = hub.add(f"{origin().marker}\nyours truly")
    publish(hub)
    assert planted.body == f"{origin().marker}\nyours truly"
    assert [one.ours for one in hub.comments] == [False, True]


def test_our_other_comments_are_not_touched(hub: GitHubState) -> None:
    others = [
        "no marker",
        f"quoted:\n{origin().marker}\n",
        f"> {origin().marker}",
        f"{origin(key='CI/judge-2').marker}\nanother leg",
        f"{origin(key='CI').marker}\nanother workflow",
        None,
    ]
    for body in others:
        hub.add(body, ours=True)
    publish(hub)
    assert [one.body for one in hub.comments[:-1]] == others
    assert len(hub.comments) == len(others) + 1


def test_each_key_keeps_its_own_comment(hub: GitHubState) -> None:
    keys = ["a", "a-b", "a --> b", 'say "hi"', "é", "-", "--", ""]
    for number in (1, 2):
        for key in keys:
            publish(hub, f"{key} {number}\n", by=manner(key=key))
    assert len(hub.comments) == len(keys)
    for key, comment in zip(keys, hub.comments, strict=True):
        assert (comment.body or "").endswith(f"{key} 2\n")


def test_a_deleted_comment_is_posted_anew(hub: GitHubState) -> None:
    publish(hub)
    hub.comments.clear()
    publish(hub, by=manner(run="13"))
    assert [method for method, _ in hub.writes] == ["POST", "POST"]


def test_on_failure_a_pass_writes_only_over_what_is_there(hub: GitHubState) -> None:
    assert publish(hub, report=PASSING, by=QUIET).urls == [""]
    assert hub.comments == []
    publish(hub, "# red\n", report=FAILING, by=QUIET)
    publish(hub, "# green\n", report=PASSING, by=QUIET)
    assert [(one.body or "").splitlines()[1] for one in hub.comments] == ["# green"]


@pytest.mark.parametrize("text", ["x" * 200_000, "漢" * 200_000, "😀" * 200_000])
def test_the_largest_report_still_fits(hub: GitHubState, text: str) -> None:
    publish(hub, text)
    assert 50_000 < utf16_units(hub.comments[0].body or "") <= LARGEST_UNITS


@pytest.mark.parametrize("status", [403, 404])
@pytest.mark.parametrize("refused", ["refuse_reads", "refuse_writes"])
def test_a_token_that_may_not_write_is_explained(
    hub: GitHubState, refused: str, status: int
) -> None:
    setattr(hub, refused, status)
    with pytest.raises(SinkFailed, match=rf"{status}.*not accessible.*pull-requests: write.*fork"):
        publish(hub)
    assert hub.comments == []


def test_a_wrong_token_is_told_without_showing_it(hub: GitHubState) -> None:
    with pytest.raises(SinkFailed, match="Bad credentials") as failure:
        publish(hub, token="wrong-token-0123")  # noqa: S106 - opens nothing
    assert "wrong-token" not in str(failure.value)


def test_a_pull_request_that_is_not_there_is_told(hub: GitHubState) -> None:
    answer = asyncio.run(
        api_over(Hub(hub), hub).own_comments(PullRequest(repository="octo-org/example", number=8))
    )
    assert isinstance(answer, GitHubRefusal)
    assert "Could not resolve to a PullRequest" in answer.message
