"""Every REST request that we make is one of GitHub's description, and so is what we expect."""

import asyncio
import json

import pytest
from openapi_core.exceptions import OpenAPIError

from ci_judge.github_api import GitHubRefusal
from ci_judge.sinks.comment import Manner
from ci_judge.sinks.failure import SinkFailed
from ci_judge.transport import HttpRequest, RetryPolicy
from tests.github_description import PATHS, DescribedHub, examples
from tests.github_fake import HEAD, REPOSITORY, TOKEN, Answered, Fault, GitHubState, StoredPull
from tests.sticky import PULL_REQUEST, Clock, Seen, api_over, manner, publish_by, text_by

COMMENTS, COMMENT, PULLS, PULL, PULLS_OF = PATHS
BASIC = {"message": "Not so", "documentation_url": "https://docs.github.com/rest"}


@pytest.fixture
def state() -> GitHubState:
    return GitHubState(templates=examples())


@pytest.fixture
def hub(state: GitHubState) -> DescribedHub:
    return DescribedHub(state)


def publish(
    hub: DescribedHub, state: GitHubState, text: str, *, by: Manner, clock: Clock | None = None
) -> Seen:
    return asyncio.run(publish_by(api_over(hub, state, clock), text, by=by))


def fault(hub: GitHubState, method: str, status: int, **headers: str) -> None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    message = {"message": "You have exceeded a secondary rate limit"} if status == 403 else BASIC
    body = None if status in {301, 502} else message
    answer = Answered(status=status, headers=named, body=body)
    hub.faults.append(Fault(method=method, path="/comments", answer=answer, times=1))


def test_a_comment_s_whole_life_is_described(hub: DescribedHub, state: GitHubState) -> None:
    for number in range(130):
        state.add(f"comment {number}")
    planted = state.add(f"{manner(run='99').origin.marker}\nplanted")
    publish(hub, state, "first", by=manner(run="11"))
    publish(hub, state, "second", by=manner(run="12"))
    publish(hub, state, "second", by=manner(run="12"))
    publish(hub, state, "too old", by=manner(run="10"))
    state.add(f"{manner(run='1').origin.marker}\na second of ours", ours=True)
    publish(hub, state, "third", by=manner(run="13"))
    assert [text_by(one.body) for one in state.comments if one.ours] == ["third"]
    assert planted.body is not None
    assert planted.body.endswith("planted")
    writes = [call for call in hub.checked if call[0] != "GET"]
    assert writes == [
        ("POST", COMMENTS, 201),
        ("PATCH", COMMENT, 200),
        ("PATCH", COMMENT, 200),
        ("DELETE", COMMENT, 204),
    ]
    assert {call for call in hub.checked if call[0] == "GET"} == {
        ("GET", PULL, 200),
        ("GET", COMMENT, 200),
    }


def test_a_deleted_comment_is_described_too(hub: DescribedHub, state: GitHubState) -> None:
    publish(hub, state, "first", by=manner(run="11"))
    state.comments.clear()
    publish(hub, state, "second", by=manner(run="12"))
    assert [text_by(one.body) for one in state.comments] == ["second"]


def test_a_fork_s_token_is_refused_as_described(hub: DescribedHub, state: GitHubState) -> None:
    state.refuse_writes = 403
    with pytest.raises(SinkFailed, match=r"not accessible by integration.*from a fork"):
        publish(hub, state, "first", by=manner())
    assert hub.checked[-1] == ("POST", COMMENTS, 403)


@pytest.mark.parametrize(("headers", "wait"), [({"retry_after": "7"}, 7.0), ({}, 60.0)])
def test_a_secondary_rate_limit_is_waited_out(
    hub: DescribedHub, state: GitHubState, headers: dict[str, str], wait: float
) -> None:
    fault(state, "POST", 403, **headers)
    clock = Clock()
    publish(hub, state, "first", by=manner(), clock=clock)
    assert clock.waits == [wait]
    assert hub.checked[1:3] == [("POST", COMMENTS, 403), ("POST", COMMENTS, 201)]


def test_a_text_that_github_refuses_is_told_in_its_words(
    hub: DescribedHub, state: GitHubState
) -> None:
    fault(state, "POST", 422)
    with pytest.raises(SinkFailed, match="422: Not so"):
        publish(hub, state, "first", by=manner())


def test_a_renamed_repository_is_followed(hub: DescribedHub, state: GitHubState) -> None:
    place = f"{state.base}/api/v3/repos/octo-org/renamed/issues/7/comments"
    fault(state, "POST", 301, location=place)
    publish(hub, state, "first", by=manner())
    assert hub.checked[1:3] == [("POST", COMMENTS, 301), ("POST", COMMENTS, 201)]


def test_pull_requests_are_looked_up_as_described(hub: DescribedHub, state: GitHubState) -> None:
    state.pulls = [
        *(StoredPull(number=number, sha="a" * 40) for number in range(1, 131)),
        StoredPull(number=200, sha=HEAD),
        StoredPull(number=201, sha=HEAD, state="closed"),
        StoredPull(number=202, sha=HEAD, owner="stranger", branch="a&b=#c/ü"),
    ]

    async def look() -> list[object]:
        api = api_over(hub, state)
        return [
            await api.heads_of_commit(REPOSITORY, HEAD),
            await api.heads_of_branch(REPOSITORY, owner="octo-org", branch="feature", sha=HEAD),
            await api.heads_of_branch(REPOSITORY, owner="stranger", branch="a&b=#c/ü", sha=HEAD),
            await api.heads_of_branch(REPOSITORY, owner="nobody", branch="x", sha=HEAD),
        ]

    found = asyncio.run(look())
    numbers = [[] if isinstance(f, GitHubRefusal) else [h.number for h in f] for f in found]  # type: ignore[attr-defined]  # tuples of heads
    assert numbers == [[200, 202], [200], [202], []]
    assert hub.checked == [
        ("GET", PULLS_OF, 200),
        ("GET", PULLS, 200),
        ("GET", PULLS, 200),  # the second page
        ("GET", PULLS, 200),
        ("GET", PULLS, 200),
    ]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", f"repos/{REPOSITORY}/issues/7/comments", {"text": "no body"}),
        ("POST", f"repos/{REPOSITORY}/issues/seven/comments", {"body": "x"}),
        ("PUT", f"repos/{REPOSITORY}/issues/7/comments", {"body": "x"}),
        ("GET", f"repos/{REPOSITORY}/pulls?since=yesterday", None),
        ("GET", f"repos/{REPOSITORY}/comments/7", None),
    ],
)
def test_the_check_itself_finds_what_is_not_described(
    hub: DescribedHub, state: GitHubState, method: str, path: str, body: object
) -> None:
    request = HttpRequest(
        method=method,
        url=f"{state.base}/api/v3/{path}",
        headers={"authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
        content=b"" if body is None else json.dumps(body).encode(),
        timeout_seconds=1,
    )
    state.faults.append(Fault(answer=Answered(status=200, body={})))
    with pytest.raises((OpenAPIError, AssertionError)):
        asyncio.run(hub.send(request, retry=RetryPolicy(retries=0)))


def test_an_answer_that_is_not_described_is_found(hub: DescribedHub, state: GitHubState) -> None:
    state.templates = {}
    with pytest.raises(OpenAPIError):
        asyncio.run(api_over(hub, state).head_of(PULL_REQUEST))
