"""``concurrency: auto`` against simulated servers, in virtual time: real transport, real loop."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import httpx
import pytest

from ci_judge.rules.pacing import MOST, START
from ci_judge.transport import HttpReply, RetryPolicy, Transport
from tests.simulated_servers import Clock, FixedWindow, Queue, Server, TokenBucket
from tests.virtual_loop import VirtualLoop, run_virtually
from tests.wires import a_request

MakeServer = Callable[[Clock], Server]
OK = 200
MOST_TIME = 1.25
MOST_REFUSED = 0.02


@dataclass(frozen=True, kw_only=True)
class Story:
    """How a run went. ``idle_seconds`` is the longest time without any answer."""

    server: Server
    seconds: float
    errors: int
    limits: list[int]

    @property
    def refused(self) -> float:
        refused, answered = len(self.server.refused_at), len(self.server.answered_at)
        return refused / (refused + answered)

    @property
    def idle_seconds(self) -> float:
        times = sorted([0.0, *self.server.answered_at, *self.server.refused_at])
        return max(later - earlier for earlier, later in pairwise(times))


class Driver:
    """Keeps as many runs under way as the transport allows, as the scheduler does."""

    def __init__(self, transport: Transport, requests: int) -> None:
        self._transport = transport
        self._left = requests
        self._under_way: set[asyncio.Task[None]] = set()
        self._over = asyncio.Event()
        self.errors = 0
        self.limits: list[int] = []

    async def drive(self) -> None:
        self._launch()
        await self._over.wait()

    def _launch(self) -> None:
        while self._left and len(self._under_way) < max(START, self._transport.allowed):
            self._left -= 1
            task = asyncio.create_task(self._one())
            self._under_way.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self.limits.append(self._transport.allowed)
        self._launch()
        if not self._under_way:
            self._over.set()

    async def _one(self) -> None:
        request = a_request(timeout_seconds=300.0)
        outcome = await self._transport.send(request, retry=RetryPolicy(retries=3))
        self.errors += not (isinstance(outcome, HttpReply) and outcome.status == OK)


def run(make: MakeServer, requests: int, *, connections: int | None = None) -> Story:
    loop = VirtualLoop()
    server = make(loop.time)
    transport = Transport(
        connections=connections, effects=loop.effects(), http_transport_factory=lambda: server
    )
    driver = Driver(transport, requests)
    run_virtually(driver.drive(), loop=loop)
    return Story(
        server=server,
        seconds=max(server.answered_at + server.refused_at),
        errors=driver.errors,
        limits=driver.limits,
    )


def bucket(
    rate: float, burst: float, latency: float = 0.05, *, says_when: bool = True
) -> MakeServer:
    return lambda clock: TokenBucket(
        clock=clock,
        rate=lambda: rate,
        burst=burst,
        latency=lambda: latency,
        says_when=says_when,
    )


def uneven(clock: Clock) -> Server:
    random = Random(1)  # noqa: S311 - a simulation
    return Server(clock=clock, latency=lambda: random.lognormvariate(0.0, 0.6))


# --- so many requests a second and no more ------------------------------------------------


@pytest.mark.parametrize(
    ("make", "requests", "rate"),
    [
        pytest.param(bucket(50, burst=10), 2_000, 50, id="50 a second"),
        pytest.param(bucket(50, burst=10, latency=0.005), 2_000, 50, id="answers at once"),
        pytest.param(bucket(50, burst=10, latency=1.0), 4_000, 50, id="answers slowly"),
        pytest.param(bucket(50, burst=50), 2_000, 50, id="a large burst"),
        pytest.param(bucket(50, burst=10, says_when=False), 2_000, 50, id="does not say when"),
        pytest.param(bucket(200, burst=20), 8_000, 200, id="200 a second"),
        pytest.param(bucket(10, burst=5, latency=0.5), 1_000, 10, id="10 a second"),
        pytest.param(bucket(2, burst=2), 1_000, 2, id="2 a second"),
        pytest.param(
            lambda clock: FixedWindow(clock=clock, calls=60, seconds=10), 1_200, 6, id="60 in 10 s"
        ),
        pytest.param(
            lambda clock: FixedWindow(clock=clock, calls=50, seconds=1), 2_000, 50, id="50 in 1 s"
        ),
    ],
)
def test_a_rate_limit_is_used_well_and_seldom_hit(
    make: MakeServer, requests: int, rate: float
) -> None:
    story = run(make, requests)
    assert story.errors == 0
    assert story.seconds <= MOST_TIME * requests / rate
    assert story.refused < MOST_REFUSED


def test_an_origin_is_never_idle_for_long_while_work_waits() -> None:
    story = run(bucket(50, burst=10), 2_000)
    asked = 1.0
    assert story.idle_seconds <= asked + 0.2


# --- servers that have a bad time ---------------------------------------------------------


def test_a_brown_out_is_survived_and_what_comes_back_is_used_again() -> None:
    def make(clock: Clock) -> Server:
        def rate() -> float:
            return 10.0 if 10 < clock() < 20 else 100.0

        return TokenBucket(clock=clock, rate=rate, burst=10, status=503)

    story = run(make, 6_000)
    ideal = 60 + 9
    assert story.errors == 0
    assert story.seconds <= MOST_TIME * ideal
    assert story.refused < MOST_REFUSED


def test_a_server_that_is_gone_for_ten_seconds_is_asked_rarely_and_used_again() -> None:
    def make(clock: Clock) -> Server:
        def rate() -> float:
            return 0.0 if 10 < clock() < 20 else 100.0

        return TokenBucket(clock=clock, rate=rate, burst=10, status=529)

    story = run(make, 6_000)
    while_gone = [at for at in story.server.refused_at if 10 < at < 20]
    assert len(while_gone) <= 2 * START
    assert story.seconds <= MOST_TIME * (60 + 10)
    assert story.refused < MOST_REFUSED


# --- servers that refuse nothing ----------------------------------------------------------


def test_a_server_that_only_queues_is_kept_busy() -> None:
    story = run(lambda clock: Queue(clock=clock, workers=32, latency=lambda: 0.2), 2_000)
    assert story.seconds <= MOST_TIME * 2_000 * 0.2 / 32


def test_a_server_that_queues_early_is_not_flooded() -> None:
    """More in flight would only wait there: latency is what tells."""
    story = run(lambda clock: Queue(clock=clock, workers=32, latency=lambda: 0.2), 4_000)
    assert story.server.most_in_flight <= 4 * 32


def test_a_fast_server_is_used_fully() -> None:
    story = run(lambda clock: Server(clock=clock), 12_000)
    assert MOST * 0.8 <= story.server.most_in_flight <= MOST


def test_uneven_latency_is_no_reason_to_ask_less() -> None:
    story = run(uneven, 4_000)
    mean = math.exp(0.6**2 / 2)
    assert story.seconds <= 4_000 * mean / 64


def test_a_server_that_wakes_slowly_is_used_fully_in_the_end() -> None:
    def make(clock: Clock) -> Server:
        return Server(clock=clock, latency=lambda: 2.0 if clock() < 10 else 0.1)

    story = run(make, 10_000)
    assert story.server.most_in_flight >= MOST / 2


def test_a_server_that_becomes_slow_for_good_is_not_starved() -> None:
    def make(clock: Clock) -> Server:
        return Server(clock=clock, latency=lambda: 0.1 if clock() < 5 else 1.0)

    story = run(make, 6_000)
    assert min(story.limits) >= START
    assert story.limits[-1] > START


# --- a number is obeyed -------------------------------------------------------------------


@pytest.mark.parametrize("connections", [1, 7, 64])
def test_a_number_is_obeyed_exactly_whatever_the_server_says(connections: int) -> None:
    loop = VirtualLoop()
    server = TokenBucket(clock=loop.time, rate=lambda: 50.0, burst=10, says_when=False)
    transport = Transport(
        connections=connections, effects=loop.effects(), http_transport_factory=lambda: server
    )

    async def everything() -> None:
        policy = RetryPolicy(retries=10)
        await asyncio.gather(*(transport.send(a_request(), retry=policy) for _ in range(500)))

    run_virtually(everything(), loop=loop)
    assert server.most_in_flight == connections
    assert transport.allowed == connections


class _ByHost(httpx.AsyncBaseTransport):
    def __init__(self, servers: dict[str, Server]) -> None:
        self._servers = servers

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._servers[request.url.host].handle_async_request(request)


def test_two_origins_adapt_apart() -> None:
    loop = VirtualLoop()
    strict = TokenBucket(clock=loop.time, rate=lambda: 5.0, burst=1)
    free = Server(clock=loop.time)
    transport = Transport(
        connections=None,
        effects=loop.effects(),
        http_transport_factory=lambda: _ByHost({"strict.example": strict, "free.example": free}),
    )

    async def everything() -> None:
        policy = RetryPolicy(retries=5)
        requests = [a_request(f"https://strict.example/{number}") for number in range(20)]
        requests += [a_request(f"https://free.example/{number}") for number in range(3_000)]
        await asyncio.gather(*(transport.send(request, retry=policy) for request in requests))

    run_virtually(everything(), loop=loop)
    assert strict.most_in_flight <= START
    assert free.most_in_flight > 8 * START
    assert max(free.answered_at) < max(strict.answered_at)


def test_what_has_a_number_and_what_has_none_go_through_one_transport() -> None:
    loop = VirtualLoop()
    server = Server(clock=loop.time)
    transport = Transport(
        connections=3, effects=loop.effects(), http_transport_factory=lambda: server
    )
    view = transport.limited(None)

    async def everything() -> None:
        policy = RetryPolicy(retries=0)
        for each in (transport, view):
            await asyncio.gather(*(each.send(a_request(), retry=policy) for _ in range(20)))

    run_virtually(everything(), loop=loop)
    assert (transport.allowed, view.allowed) == (3, START)
    assert transport.requests_by_origin is view.requests_by_origin
    assert server.most_in_flight == START
