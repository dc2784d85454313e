"""How fast to send to one origin: a limit on what is in flight and, once refused, a rate.

A limit alone cannot keep to a server's requests a second: where answers are fast, one request at a
time is already too many. So a refusal halves the limit and also sets a rate, from what was answered
lately; the rate is held, then raised in growing steps until the server refuses again. Times are
seconds of one clock and come in with the events.
"""

from dataclasses import dataclass, replace
from math import inf

START = 8
MOST = 256
_STEP = 8.0
"""What the limit gains after a round (as many answers as the limit) in which latency held."""
_ROUND_SECONDS = 0.2
"""A round lasts at least so long: a fast server would see a burst before it could refuse."""
_STEP_A_SECOND = 40.0
"""What it gains for each second of a round, at most as much again, while nothing speaks against it:
rounds of slow answers are few."""
_HOLDS = 1.5
_TOO_SLOW = 3.0
"""Mean latency of a round against the usual one: up to where it holds, from where it is shrunk."""
_SHRINK = 0.75
_FASTER, _SLOWER = 0.3, 0.02
"""How much of the way the usual latency follows a round that was better, or worse."""
_LEAST_SLACK_SECONDS = 0.002
_SLACK = 0.1
"""What a late wake-up may make up for, in intervals, so that the rate is reached."""
_BACK_OFF = 0.92
_CLOSE = 0.7
"""Two measured rates confirm each other when the lower is at least this part of the higher."""
_ENOUGH = 8
"""Answers that make a measured rate credible."""
_FIRST_RAISE = 1.0
_MOST_RAISE = 0.3
_RAISES = (0.1, 0.05, 0.03, 0.02)
_MOST_TRUST = len(_RAISES) - 1
_LONGER = 3
_USED = 0.7
_LONGEST_WINDOW = 30.0
_TICK = 0.25
_TICKS = int(_LONGEST_WINDOW / _TICK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A request was answered; ``in_flight`` counts it in."""

    sent_at: float
    now: float
    in_flight: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A server had no room for a request; ``asked_seconds`` is what it asks to wait."""

    sent_at: float
    now: float
    asked_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """The current round, begun with its first answer, and the mean seconds that are usual.

    ``most`` were in flight in this round.
    """

    begun: float = 0.0

    count: int = 0
    total: float = 0.0
    most: int = 0
    usual: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """What is known of the requests a second that the server takes, since it first refused one.

    ``ceiling`` is the rate last measured, ``window`` the seconds between two changes, ``trust``
    how often the measured rate came out the same, ``raise_by`` the part by which it is raised
    next, None while the server answers nothing at all. ``sent`` counts requests since the rate
    was set at ``since``, ``sustained`` is the rate before it was last raised.
    """

    rate: float
    ceiling: float
    next_at: float
    window: float
    trust: int
    since: float
    held_until: float
    sent: int
    raise_by: float | None
    sustained: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """All that is known of one origin. ``speed`` is None while nothing was refused.

    ``ticks`` are the answers counted lately: start of a quarter second, and how many in it.
    """

    limit: float = START
    resumes_at: float = -inf
    cut_at: float = -inf
    latencies: Latencies = Latencies()
    steep: bool = True
    """Whether the limit may double in a round: until anything speaks against it."""
    speed: Speed | None = None
    ticks: tuple[tuple[float, int], ...] = ()

    @property
    def in_flight(self) -> int:
        """The most that may be in flight, from 1 to ``MOST``."""
        return int(self.limit)


def wait_seconds(pace: Pace, *, in_flight: int, now: float) -> float | None:
    """Return how long the next request must wait, None for until another one has ended."""
    if in_flight >= pace.in_flight:
        return None
    free_at = pace.resumes_at if pace.speed is None else max(pace.resumes_at, pace.speed.next_at)
    return max(0.0, free_at - now)


def sent(pace: Pace, *, now: float) -> Pace:
    """Book a request that is sent now."""
    speed = pace.speed
    if speed is None:
        return pace
    slack = max(_LEAST_SLACK_SECONDS, _SLACK / speed.rate)
    next_at = max(speed.next_at, now - slack) + 1 / speed.rate
    return replace(pace, speed=replace(speed, next_at=next_at, sent=speed.sent + 1))


def answered(pace: Pace, answer: Answer) -> Pace:
    """Learn from an answer: the limit grows while latency holds, the rate while nobody refuses."""
    pace = _after_round(pace, answer)
    ticks = _counted(pace.ticks, answer.now)
    speed = pace.speed
    if speed is not None and answer.now >= speed.held_until:
        speed = _raised(speed, now=answer.now)
    return replace(pace, ticks=ticks, speed=speed)


def refused(pace: Pace, refusal: Refusal) -> Pace:
    """Learn from a refusal: once a window the limit is halved; a wait asked for holds for all."""
    now = refusal.now
    resumes_at = max(pace.resumes_at, now + (refusal.asked_seconds or 0.0))
    pace = replace(pace, resumes_at=resumes_at)
    if refusal.sent_at <= pace.cut_at or (pace.speed and now - pace.cut_at < 1.0):
        return pace
    return replace(
        pace,
        limit=max(1.0, pace.limit / 2),
        cut_at=now,
        speed=_cut(pace, refusal),
        latencies=replace(pace.latencies, count=0, total=0.0, most=0),
    )


def _after_round(pace: Pace, answer: Answer) -> Pace:
    seen = pace.latencies
    seen = replace(
        seen,
        begun=seen.begun if seen.count else answer.sent_at,
        count=seen.count + 1,
        total=seen.total + answer.now - answer.sent_at,
        most=max(seen.most, answer.in_flight),
    )
    if seen.count < max(pace.limit, START) or answer.now - seen.begun < _ROUND_SECONDS:
        return replace(pace, latencies=seen)
    mean = seen.total / seen.count
    # At the starting limit and below, the latency is the server's own, not that of a queue.
    known = None if pace.limit <= START else seen.usual
    usual = mean if known is None else _followed(known, mean)
    slower = mean / known if known else 1.0
    if slower > _TOO_SLOW:
        limit = max(min(pace.limit, float(START)), pace.limit * _SHRINK)
    elif slower > _HOLDS or seen.most < pace.in_flight:
        limit = pace.limit
    else:
        steep = min(pace.limit, mean * _STEP_A_SECOND) if pace.steep else 0.0
        limit = min(float(MOST), pace.limit + max(_STEP, steep))
    steep = pace.steep and slower <= _HOLDS
    return replace(pace, limit=limit, steep=steep, latencies=Latencies(usual=usual))


def _followed(usual: float, mean: float) -> float:
    return usual + (mean - usual) * (_FASTER if mean < usual else _SLOWER)


def _counted(ticks: tuple[tuple[float, int], ...], now: float) -> tuple[tuple[float, int], ...]:
    if ticks and now < ticks[-1][0] + _TICK:
        start, count = ticks[-1]
        return (*ticks[:-1], (start, count + 1))
    return (*ticks[-_TICKS:], (now, 1))


def _measured(ticks: tuple[tuple[float, int], ...], *, window: float, now: float) -> float:
    """Return the answers a second over a window, or a longer one where there are few."""
    count, since = 0, now
    for start, within in reversed(ticks):
        if start + _TICK < now - window and count >= _ENOUGH:
            break
        count, since = count + within, start
    return count / max(window, now - since)


def _cut(pace: Pace, refusal: Refusal) -> Speed:
    """Set the rate to a little less than what was answered in the window."""
    now, known = refusal.now, pace.speed
    window = min(max(1.0, refusal.asked_seconds or 0.0), _LONGEST_WINDOW)
    if pace.ticks[-1:] < ((pace.cut_at, 0),):
        return _silenced(pace, window, now)
    measured = _measured(pace.ticks, window=window, now=now)
    if known is None:
        # Answers came in less than the window: the truth lies between "no more than in all of it"
        # and "as many in the rest of it as so far".
        elapsed = max(now - pace.ticks[0][0], _TICK)
        measured *= max(1.0, window / elapsed) ** 0.5
    if known is not None and known.sustained > measured:
        measured = (measured + known.sustained) / 2  # the window reaches back to slower times
    confirmed = known is not None and _alike(measured, known.ceiling)
    trust = min(known.trust + 1, _MOST_TRUST) if known is not None and confirmed else 0
    ceiling = (measured + known.ceiling) / 2 if known is not None and confirmed else measured
    window = max(window, 4 / measured, 1.5 * (pace.latencies.usual or 0.0))
    window = window if known is not None else window / 2
    hold = window * _LONGER**trust
    resumes_at = max(pace.resumes_at, now)
    return Speed(
        rate=ceiling * _BACK_OFF,
        ceiling=ceiling,
        next_at=now,
        window=window,
        trust=trust,
        since=resumes_at,
        held_until=resumes_at + hold,
        sent=0,
        raise_by=_FIRST_RAISE if known is None else _RAISES[trust],
    )


def _silenced(pace: Pace, window: float, now: float) -> Speed:
    """Nothing was answered since the last refusal: go on rarely, and more rarely each time."""
    known = pace.speed
    least = 1 / max(window, 8.0)
    return Speed(
        rate=1 / window if known is None else max(known.rate / 4, least),
        ceiling=1 / window if known is None else known.ceiling,
        next_at=now,
        window=window,
        trust=0,
        since=now,
        held_until=now,
        sent=0,
        raise_by=None,
    )


def _alike(one: float, other: float) -> bool:
    return min(one, other) >= _CLOSE * max(one, other)


def _raised(speed: Speed, *, now: float) -> Speed:
    """Raise the rate where it was used; half of what was measured when the server is back."""
    used = speed.sent >= _USED * speed.rate * (now - speed.since) - 1
    again = replace(speed, since=now, held_until=now + speed.window, sent=0)
    if speed.raise_by is None:
        rate = max(speed.rate, speed.ceiling / 2)
        return replace(
            again, rate=rate, next_at=now, window=1.0, held_until=now + 1.0, raise_by=0.5
        )
    if not used:
        return again
    raise_by = min(speed.raise_by * 2, max(speed.raise_by, _MOST_RAISE))
    rate = speed.rate * (1 + speed.raise_by)
    return replace(again, rate=rate, raise_by=raise_by, sustained=speed.rate)
