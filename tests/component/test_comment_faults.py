"""What GitHub does wrong, or refuses, while the comment is written."""

import asyncio

import pytest

from ci_judge.github_api import GitHubRefusal
from ci_judge.sinks.failure import SinkFailed
from tests.github_fake import REPOSITORY, Answered, Asked, Fault, GitHubState, Hub, github
from tests.sticky import Clock, api_over, manner, publish, text_by

COMMENTS = f"/api/v3/repos/{REPOSITORY}/issues/7/comments"


def said(hub: GitHubState) -> list[str]:
    return [text_by(one.body) for one in hub.comments if one.ours]


def test_a_comment_deleted_between_looking_and_writing_is_posted_anew() -> None:
    with github() as hub:
        publish(hub, "first", by=manner(run="11"))
        first = hub.comments[0]
        hub.faults.append(Fault(method="PATCH", answer=Answered(status=404), times=1))
        publish(hub, "second", by=manner(run="12"))
        assert [method for method, _ in hub.writes] == ["POST", "PATCH", "POST"]
        assert hub.comments[-1].id != first.id


@pytest.mark.parametrize("answer", [Answered(status=201), Answered(status=201, body={"id": "x"})])
def test_an_answer_that_says_nothing_is_no_reason_to_doubt_the_write(answer: Answered) -> None:
    with github() as hub:
        hub.faults.append(Fault(method="POST", path="comments", answer=answer, times=1, done=True))
        seen = publish(hub)
    (comment,) = hub.comments
    assert seen.urls == [hub.url_of(comment)], "found in the list"


def test_an_answer_without_an_address_while_the_list_lags_is_posted_all_the_same() -> None:
    with github() as hub:
        empty = {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": []}
        data = {"data": {"repository": {"pullRequest": {"comments": empty}}}}
        hub.faults.append(Fault(path="graphql", answer=Answered(status=200, body=data)))
        hub.faults.append(
            Fault(method="POST", path="comments", answer=Answered(status=201, body={}), done=True)
        )
        seen = publish(hub)
    assert len(hub.comments) == 1, "not posted again"
    assert seen.urls == [""]


def test_a_list_that_lags_behind_does_not_lead_to_a_second_comment() -> None:
    with github() as hub:
        empty = {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": []}
        data = {"data": {"repository": {"pullRequest": {"comments": empty}}}}
        hub.faults.append(Fault(path="graphql", answer=Answered(status=200, body=data)))
        seen = publish(hub)
    (comment,) = hub.comments
    assert seen.urls == [hub.url_of(comment)]


@pytest.mark.parametrize("status", [500, 502, 503])
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "comments"), ("POST", "graphql"), ("GET", "")]
)
def test_a_server_that_stumbles_twice_is_asked_again(status: int, method: str, path: str) -> None:
    with github() as hub:
        hub.faults.append(Fault(method=method, path=path, answer=Answered(status=status), times=2))
        publish(hub)
    assert len(hub.comments) == 1


def test_a_server_that_never_recovers_is_given_up() -> None:
    clock = Clock()
    with github() as hub:
        hub.faults.append(Fault(method="POST", path="comments", answer=Answered(status=502)))
        with pytest.raises(SinkFailed, match="GitHub answered 502"):
            publish(hub, clock=clock)
    assert [path for _, path in hub.writes] == [COMMENTS] * 3
    assert sum(clock.waits) < 10


def test_an_answer_that_a_gateway_lost_leaves_one_comment() -> None:
    with github() as hub:
        lost = Fault(
            method="POST", path="comments", answer=Answered(status=502), times=2, done=True
        )
        hub.faults.append(lost)
        seen = publish(hub)
    (comment,) = hub.comments
    assert comment.id == 5_000_000_001, "the oldest of three stays"
    assert seen.urls == [hub.url_of(comment)]


@pytest.mark.parametrize("status", [301, 307, 308])
def test_a_renamed_repository_is_followed_with_the_same_request(status: int) -> None:
    with github() as hub:
        to = {"Location": f"{hub.base}/api/v3/repos/octo-org/renamed/issues/7/comments"}
        hub.faults.append(
            Fault(method="POST", path=COMMENTS, answer=Answered(status=status, headers=to))
        )
        publish(hub)
    assert [path for _, path in hub.writes] == [COMMENTS, COMMENTS.replace("example", "renamed")]
    assert len(hub.comments) == 1


def test_a_relative_place_is_one_too() -> None:
    with github() as hub:
        to = {"Location": "/api/v3/repos/octo-org/renamed/issues/7/comments"}
        hub.faults.append(
            Fault(method="POST", path=COMMENTS, answer=Answered(status=301, headers=to))
        )
        publish(hub)
    assert len(hub.comments) == 1


def test_the_token_never_goes_to_another_server() -> None:
    with github() as hub, github() as other:
        to = {"Location": f"{other.base}/api/v3/repos/octo-org/example/issues/7/comments"}
        hub.faults.append(
            Fault(method="POST", path=COMMENTS, answer=Answered(status=301, headers=to))
        )
        with pytest.raises(SinkFailed, match="points to another server"):
            publish(hub)
        assert other.exchanges == []


@pytest.mark.parametrize("place", ["https://evil.example/2", "http://["])
def test_a_next_page_on_another_server_is_not_asked_for(place: str) -> None:
    state = GitHubState()
    page = Answered(status=200, body=[], headers={"Link": f'<{place}>; rel="next"'})
    state.faults.append(Fault(method="GET", answer=page, times=1))
    found = asyncio.run(api_over(Hub(state), state).items(f"repos/{REPOSITORY}/pulls"))
    assert isinstance(found, GitHubRefusal)
    assert len(state.exchanges) == 1


def test_a_file_is_not_read_over_plain_http_where_github_is_not() -> None:
    state = GitHubState()
    api = api_over(Hub(state), state)
    answer = asyncio.run(api.file("http://storage.example/archive.zip", most_bytes=10))
    assert isinstance(answer, GitHubRefusal)
    assert "plain http" in answer.message
    assert state.exchanges == []


def test_a_redirect_in_a_circle_ends() -> None:
    with github() as hub:
        to = {"Location": f"{hub.base}{COMMENTS}"}
        hub.faults.append(
            Fault(method="POST", path=COMMENTS, answer=Answered(status=301, headers=to))
        )
        with pytest.raises(SinkFailed, match="redirected more than"):
            publish(hub)
    assert len(hub.writes) < 10


def test_what_github_finds_wrong_with_the_text_is_said() -> None:
    body = {
        "message": "Validation Failed",
        "errors": [{"resource": "IssueComment", "field": "body", "code": "unprocessable"}],
    }
    with github() as hub:
        hub.faults.append(
            Fault(method="POST", path="comments", answer=Answered(status=422, body=body))
        )
        with pytest.raises(SinkFailed, match="422: Validation Failed; body unprocessable"):
            publish(hub)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"errors": [{"message": "Something went wrong"}]}, "Something went wrong"),
        ({"data": None, "errors": [{"type": "FORBIDDEN", "message": "No"}]}, "GitHub answered: No"),
        ({"errors": ["odd"]}, "GitHub answered an error"),
        ({"data": None}, "no data"),
        ([], "no data"),
        ({"data": {"repository": None}}, "no such pull request"),
        ({"data": {"repository": {"pullRequest": {"comments": {}}}}}, "cannot be read"),
    ],
)
def test_an_error_in_a_reply_of_status_200_is_no_empty_list(body: object, words: str) -> None:
    with github() as hub:
        hub.faults.append(Fault(path="graphql", answer=Answered(status=200, body=body)))
        with pytest.raises(SinkFailed, match=words):
            publish(hub)
    assert hub.comments == []


def test_half_a_list_with_an_error_is_not_taken_for_the_whole() -> None:
    comments = {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": [None]}
    data = {"repository": {"pullRequest": {"comments": comments}}}
    body = {"data": data, "errors": [{"message": "a node could not be read"}]}
    with github() as hub:
        hub.faults.append(Fault(path="graphql", answer=Answered(status=200, body=body)))
        with pytest.raises(SinkFailed, match="could not be read"):
            publish(hub)
    assert hub.comments == []


def test_a_second_comment_that_may_not_be_deleted_is_told_and_costs_nothing_else() -> None:
    with github() as hub:
        for run in ("10", "11"):
            hub.add(f"{manner(run=run).origin.marker}\nrun {run}", ours=True)
        refused = Answered(status=403, body={"message": "Not today"})
        hub.faults.append(Fault(method="DELETE", answer=refused))
        seen = publish(hub, "now")
    assert said(hub) == ["now", "run 11"]
    assert any("Not today" in told for told in seen.told)
    assert seen.urls[-1] == hub.url_of(hub.comments[0])


@pytest.mark.parametrize(("method", "path"), [("POST", "graphql"), ("GET", "/pulls/7")])
def test_a_comment_that_was_written_is_never_said_not_to_be(method: str, path: str) -> None:
    """The look at the comments after the write is refused, as by a rate limit."""
    with github() as hub:
        publish(hub, "first", by=manner(run="11", key="another"))
        hub.faults.append(_NotBefore(hub, answer=Answered(status=403), method=method, path=path))
        hub.add(f"{manner(run='9').origin.marker}\nlate in the list", ours=True)
        hub.faults.insert(0, Fault(path="graphql", answer=_nobody(), times=1))
        seen = publish(hub)
    assert len([one for one in hub.comments if "run=12" in (one.body or "")]) == 1
    assert seen.urls == [hub.url_of(hub.comments[-1])]
    assert any("not looked at again" in told for told in seen.told)


def _nobody() -> Answered:
    empty = {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": []}
    return Answered(status=200, body={"data": {"repository": {"pullRequest": {"comments": empty}}}})


class _NotBefore(Fault):
    """Strikes only once a comment by run 12 stands."""

    def __init__(self, hub: GitHubState, *, answer: Answered, method: str, path: str) -> None:
        super().__init__(answer=answer, method=method, path=path)
        self._hub = hub

    def strikes(self, asked: Asked) -> bool:
        written = any("run=12" in (one.body or "") for one in self._hub.comments)
        return written and super().strikes(asked)


def test_a_locked_conversation_is_not_taken_for_a_missing_permission() -> None:
    body = {"message": "Unable to create comment because issue is locked."}
    with github() as hub:
        answer = Answered(status=403, body=body)
        hub.faults.append(Fault(method="POST", path="/comments", answer=answer))
        with pytest.raises(SinkFailed, match="issue is locked") as failure:
            publish(hub)
    assert "permissions" not in str(failure.value)
