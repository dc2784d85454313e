"""The rule of pacing: what one event makes of what is known of an origin."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.rules.pacing import (
    MOST,
    START,
    Answer,
    Pace,
    Refusal,
    answered,
    refused,
    sent,
    wait_seconds,
)


def busy_round(pace: Pace, *, at: float, latency: float = 0.5) -> Pace:
    """Answer as many requests as make up a round, all sent at once."""
    for _ in range(max(START, pace.in_flight)):
        answer = Answer(sent_at=at, now=at + latency, in_flight=pace.in_flight)
        pace = answered(pace, answer)
    return pace


def grown(rounds: int) -> Pace:
    pace = Pace()
    for number in range(rounds):
        pace = busy_round(pace, at=float(number))
    return pace


def test_it_starts_at_eight_with_nothing_to_wait_for() -> None:
    pace = Pace()
    assert wait_seconds(pace, in_flight=START - 1, now=5.0) == 0.0
    assert wait_seconds(pace, in_flight=START, now=5.0) is None


def test_a_round_in_which_latency_held_adds_to_the_limit() -> None:
    assert grown(1).in_flight == 2 * START
    assert grown(30).in_flight == MOST


def test_a_limit_that_was_not_reached_does_not_grow() -> None:
    pace = Pace()
    for _ in range(100):
        pace = answered(pace, Answer(sent_at=0.0, now=1.0, in_flight=START - 1))
    assert pace.in_flight == START


def test_latency_that_grew_stops_the_growth_and_three_times_as_much_shrinks_it() -> None:
    pace = grown(3)
    assert busy_round(pace, at=10.0, latency=0.5 * 2).in_flight == pace.in_flight
    assert busy_round(pace, at=10.0, latency=0.5 * 4).in_flight == int(pace.limit * 0.75)


def test_latency_never_shrinks_the_limit_below_its_start() -> None:
    pace = grown(3)
    for number in range(100):
        pace = busy_round(pace, at=10.0 + number, latency=50.0)
        assert pace.in_flight >= START


def test_a_burst_of_refusals_halves_the_limit_once() -> None:
    pace = grown(4)
    before = pace.in_flight
    for number in range(40):
        refusal = Refusal(sent_at=5.0 + number / 1000, now=6.0 + number / 1000, asked_seconds=2.0)
        pace = refused(pace, refusal)
    assert pace.in_flight == before // 2


def test_refusals_that_come_late_of_what_was_sent_before_change_nothing_more() -> None:
    pace = refused(grown(4), Refusal(sent_at=5.0, now=6.0))
    late = refused(pace, Refusal(sent_at=5.5, now=20.0))
    assert (late.limit, late.speed) == (pace.limit, pace.speed)


def test_a_refusal_of_what_was_sent_after_the_last_one_halves_it_again() -> None:
    pace = grown(4)
    once = refused(pace, Refusal(sent_at=5.0, now=6.0))
    twice = refused(once, Refusal(sent_at=8.0, now=8.1))
    assert twice.limit == pace.limit / 4


def test_a_wait_that_is_asked_for_holds_for_all_and_the_longest_counts() -> None:
    pace = refused(Pace(), Refusal(sent_at=0.0, now=1.0, asked_seconds=10.0))
    pace = refused(pace, Refusal(sent_at=0.0, now=2.0, asked_seconds=3.0))
    assert wait_seconds(pace, in_flight=0, now=2.0) == pytest.approx(9.0)
    assert wait_seconds(pace, in_flight=0, now=11.0) == 0.0


def test_after_a_refusal_requests_leave_one_by_one() -> None:
    pace = grown(4)  # 80 and more answers in two seconds
    pace = refused(pace, Refusal(sent_at=4.0, now=4.1))
    first = wait_seconds(pace, in_flight=0, now=4.1)
    pace = sent(pace, now=4.1)
    second = wait_seconds(pace, in_flight=1, now=4.1)
    assert first == 0.0
    assert second is not None
    assert 0 < second < 1


def test_answers_raise_the_rate_again_and_only_where_it_was_used() -> None:
    pace = refused(grown(4), Refusal(sent_at=4.0, now=4.1))
    assert pace.speed is not None
    idle = answered(pace, Answer(sent_at=40.0, now=41.0, in_flight=1))
    assert idle.speed is not None
    assert idle.speed.rate == pace.speed.rate
    used = replace(pace, speed=replace(pace.speed, sent=10_000))
    raised = answered(used, Answer(sent_at=40.0, now=41.0, in_flight=1))
    assert raised.speed is not None
    assert raised.speed.rate > pace.speed.rate


def test_a_server_that_answers_nothing_is_asked_ever_more_rarely_but_never_given_up() -> None:
    pace = Pace()
    for number in range(1, 200):
        at = number * 10.0
        pace = refused(pace, Refusal(sent_at=at, now=at + 0.1))
    assert pace.in_flight == 1
    assert pace.speed is not None
    assert 1 / pace.speed.rate <= 10


_EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["sent", "answered", "refused"]),
        st.floats(0.0, 5.0),
        st.floats(0.0, 60.0),
        st.one_of(st.none(), st.floats(0.0, 30.0)),
        st.integers(1, MOST),
    ),
    max_size=200,
)


@given(events=_EVENTS)
def test_whatever_happens_the_limit_is_sane_and_waits_end(
    events: list[tuple[str, float, float, float | None, int]],
) -> None:
    pace, now = Pace(), 100.0
    for kind, later, latency, asked, in_flight in events:
        now += later
        begun = now - latency
        if kind == "sent":
            pace = sent(pace, now=now)
        elif kind == "answered":
            pace = answered(pace, Answer(sent_at=begun, now=now, in_flight=in_flight))
        else:
            pace = refused(pace, Refusal(sent_at=begun, now=now, asked_seconds=asked))
        assert 1 <= pace.in_flight <= MOST
        wait = wait_seconds(pace, in_flight=0, now=now)
        assert wait is not None
        assert 0.0 <= wait < 86_400.0
