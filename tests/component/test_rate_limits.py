"""GitHub's rate limits, waited out as its documentation asks, with a clock that only we move."""

import asyncio

import pytest

from ci_judge.github_api import MOST_WAIT_SECONDS, GitHubRefusal
from ci_judge.sinks.failure import SinkFailed
from tests.github_fake import Answered, Fault, GitHubState, Hub, github
from tests.sticky import PULL_REQUEST, Clock, api_over, publish

SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}
FORBIDDEN = {"message": "Resource not accessible by integration"}


def limited(status: int = 403, body: object = SECONDARY, **headers: str) -> Answered:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answered(status=status, body=body, headers=named)


def post_against(answer: Answered, *, times: int = 1, path: str = "") -> tuple[GitHubState, Clock]:
    """Publish where the first requests that write are answered so."""
    clock = Clock()
    with github() as hub:
        hub.faults.append(
            Fault(method="POST", path=path or "/comments", answer=answer, times=times)
        )
        publish(hub, clock=clock)
        return hub, clock


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("seconds", ["1", "37", "100"])
def test_what_retry_after_says_is_waited(status: int, seconds: str) -> None:
    hub, clock = post_against(limited(status, retry_after=seconds))
    assert clock.waits == [float(seconds)]
    assert len(hub.comments) == 1


def test_retry_after_goes_before_the_reset() -> None:
    answer = limited(retry_after="3", x_ratelimit_remaining="0", x_ratelimit_reset="1800000050")
    assert post_against(answer)[1].waits == [3.0]


@pytest.mark.parametrize("status", [403, 429])
def test_without_it_the_reset_is_waited_for_where_nothing_remains(status: int) -> None:
    body = {"message": "API rate limit exceeded for installation."}
    answer = limited(status, body, x_ratelimit_remaining="0", x_ratelimit_reset="1800000050")
    hub, clock = post_against(answer)
    assert clock.waits == [51.0], "a second more, for clocks that differ"
    assert len(hub.comments) == 1


def test_a_reset_that_is_past_is_no_long_wait() -> None:
    answer = limited(x_ratelimit_remaining="0", x_ratelimit_reset="1700000000")
    assert post_against(answer)[1].waits == [1.0]


@pytest.mark.parametrize(
    "answer",
    [
        limited(),
        limited(429),
        limited(x_ratelimit_remaining="12", x_ratelimit_reset="1800000003"),
        limited(x_ratelimit_remaining="0", x_ratelimit_reset="soon"),
        limited(retry_after="a moment"),
    ],
)
def test_a_secondary_limit_that_says_nothing_is_a_minute(answer: Answered) -> None:
    hub, clock = post_against(answer)
    assert clock.waits == [60.0]
    assert len(hub.comments) == 1


@pytest.mark.parametrize(
    ("answer", "waits"),
    [
        (limited(), [60.0]),  # the next would be two minutes
        (limited(retry_after="50"), [50.0, 50.0]),
        (limited(retry_after="121"), []),
        (limited(retry_after="Thu, 01 Jan 2099 00:00:00 GMT"), []),
        (limited(x_ratelimit_remaining="0", x_ratelimit_reset="1800003600"), []),
        (limited(429, None), [60.0]),
        (limited(retry_after="0"), [0.0] * 20),
    ],
)
def test_all_waits_together_are_bounded(answer: Answered, waits: list[float]) -> None:
    clock = Clock()
    with github() as hub:
        hub.faults.append(Fault(method="POST", path="/comments", answer=answer))
        with pytest.raises(SinkFailed, match="rate limit") as failure:
            publish(hub, clock=clock)
    assert clock.waits == waits
    assert sum(clock.waits) <= MOST_WAIT_SECONDS
    assert "pull-requests: write" not in str(failure.value), "no permission lifts a limit"


def test_the_bound_is_for_all_requests_together() -> None:
    clock = Clock()
    with github() as hub:
        hub.faults.append(Fault(path="graphql", answer=limited(retry_after="70"), times=1))
        hub.faults.append(Fault(path="/comments", answer=limited(retry_after="70"), times=1))
        with pytest.raises(SinkFailed, match="rate limit"):
            publish(hub, clock=clock)
    assert clock.waits == [70.0]


@pytest.mark.parametrize("times", [1, 20])
def test_graphql_tells_its_limit_in_a_reply_of_status_200(times: int) -> None:
    body = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000009"}
    clock = Clock()
    with github() as hub:
        answer = Answered(status=200, body=body, headers=headers)
        hub.faults.append(Fault(path="graphql", answer=answer, times=times))
        if times == 1:
            publish(hub, clock=clock)
            assert clock.waits == [10.0]
        else:
            with pytest.raises(SinkFailed, match="rate limit"):
                publish(hub, clock=clock)


@pytest.mark.parametrize("status", [401, 403, 404, 422])
def test_a_refusal_that_is_no_rate_limit_is_not_tried_again(status: int) -> None:
    clock = Clock()
    with github() as hub:
        answer = Answered(status=status, body=FORBIDDEN, headers={"x-ratelimit-remaining": "4711"})
        hub.faults.append(Fault(method="POST", path="/comments", answer=answer))
        with pytest.raises(SinkFailed, match=str(status)):
            publish(hub, clock=clock)
    assert clock.waits == []
    assert len(hub.writes) == 1


def test_a_step_that_is_ending_waits_for_nothing() -> None:
    clock = Clock(hurried=True)
    with github() as hub:
        hub.faults.append(Fault(path="/comments", answer=limited(retry_after="1"), times=1))
        with pytest.raises(SinkFailed, match="no time to wait"):
            publish(hub, clock=clock)
    assert len(hub.writes) == 1


@pytest.mark.parametrize("status", [403, 429])
def test_a_limit_is_told_from_a_refusal_as_a_value(status: int) -> None:
    state = GitHubState()
    state.faults.append(Fault(answer=limited(status, retry_after="500")))
    answer = asyncio.run(api_over(Hub(state), state).head_of(PULL_REQUEST))
    assert isinstance(answer, GitHubRefusal)
    assert (answer.limited, answer.status) == (True, status)
