"""Guards: asked before every attempt, told of every one that was sent."""

import asyncio
from dataclasses import dataclass, field

import httpx

from ci_judge.model.evidence import FailureCode
from ci_judge.transport import HttpReply, RetryPolicy, TransportFailure
from tests.wires import Script, Step, a_request, ok

FORBIDDEN = TransportFailure(code=FailureCode.BUDGET, message="spent")
ORIGIN = "https://api.example:443"


@dataclass
class Porter:
    """Lets so many attempts through, and writes down what they came to."""

    lets_through: int
    asked: list[str] = field(default_factory=list)
    told: list[tuple[str, int | FailureCode]] = field(default_factory=list)

    def before(self, origin: str) -> TransportFailure | None:
        self.asked.append(origin)
        return FORBIDDEN if len(self.asked) > self.lets_through else None

    def after(self, origin: str, outcome: HttpReply | TransportFailure) -> None:
        came_to = outcome.status if isinstance(outcome, HttpReply) else outcome.code
        self.told.append((origin, came_to))


def send(script: Script, *porters: Porter) -> HttpReply | TransportFailure:
    transport = script.transport()
    transport.guards.extend(porters)
    request = a_request("https://api.example/chat")
    return asyncio.run(transport.send(request, retry=RetryPolicy(retries=3)))


def test_a_guard_hears_of_every_attempt_retries_included() -> None:
    steps: list[Step] = [httpx.Response(503), httpx.ConnectError("no"), ok({})]
    porter = Porter(lets_through=9)
    outcome = send(Script(steps), porter)
    assert isinstance(outcome, HttpReply)
    assert porter.asked == [ORIGIN] * 3
    codes = [503, FailureCode.CONNECTION_REFUSED, 200]
    assert porter.told == [(ORIGIN, code) for code in codes]


def test_a_guard_that_says_no_ends_the_exchange_and_nothing_is_sent() -> None:
    script, porter = Script([ok({})]), Porter(lets_through=0)
    outcome = send(script, porter)
    assert isinstance(outcome, TransportFailure)
    assert (outcome.code, outcome.message, outcome.attempts) == (FailureCode.BUDGET, "spent", 0)
    assert script.requests == []
    assert porter.told == []


def test_a_guard_that_says_no_to_a_retry_leaves_the_count_of_what_was_sent() -> None:
    script = Script([httpx.Response(503)])
    outcome = send(script, Porter(lets_through=2))
    assert outcome.attempts == len(script.requests) == 2


def test_the_first_guard_that_says_no_stands_and_the_next_is_not_asked() -> None:
    first, second = Porter(lets_through=0), Porter(lets_through=9)
    send(Script([ok({})]), first, second)
    assert second.asked == []


def test_a_retry_that_is_not_made_since_nobody_answers_leaves_what_came_before_it() -> None:
    class Down(Porter):
        def before(self, origin: str) -> TransportFailure | None:
            refused = Porter.before(self, origin) is not None
            return (
                TransportFailure(code=FailureCode.ORIGIN_DOWN, message="down") if refused else None
            )

    outcome = send(Script([httpx.ConnectError("no")]), Down(lets_through=2))
    assert isinstance(outcome, TransportFailure)
    assert (outcome.code, outcome.attempts) == (FailureCode.CONNECTION_REFUSED, 2)
