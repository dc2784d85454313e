"""Every order in which two writers can be answered by one GitHub, request by request."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ci_judge.transport import HttpReply, HttpRequest, RetryPolicy
from tests.github_fake import GitHubState, Hub

_MOST_TICKS = 1_000
_MOST_ORDERS = 20_000


@dataclass(slots=True, kw_only=True)
class Turnstile:
    """One writer's way to GitHub: each request waits until it is let through."""

    name: str
    hub: Hub
    waiting: dict[str, asyncio.Event]
    passed: list[str]
    told: list[bytes] = field(default_factory=list)

    async def send(self, request: HttpRequest, *, retry: RetryPolicy) -> HttpReply:
        turn = asyncio.Event()
        self.waiting[self.name] = turn
        await asyncio.wait_for(turn.wait(), timeout=30)
        kind = "read" if request.url.endswith("/graphql") else request.method
        self.passed.append(f"{self.name} {kind}")
        reply = await self.hub.send(request, retry=retry)
        self.told.append(reply.body)
        return reply


Writer: TypeAlias = Callable[[Turnstile], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class Order:
    """One order: who was let through at each step, and what was asked.

    ``situations`` are what GitHub held and each writer had been told before each step: nothing
    else can matter to what comes.
    """

    state: GitHubState
    chosen: list[str] = field(default_factory=list)
    options: list[Sequence[str]] = field(default_factory=list)
    situations: list[int] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)

    def at(self, what: str, *, last: bool = False) -> int:
        """Give when this was asked, as in "new PATCH"; -1 for never."""
        found = [number for number, asked in enumerate(self.passed) if asked.startswith(what)]
        return found[-1 if last else 0] if found else -1


def all_orders(
    new_state: Callable[[], GitHubState], writers: Mapping[str, Writer]
) -> Iterator[Order]:
    """Play every order of the writers' requests, each on a state of its own.

    Orders that lead into one and the same situation go on from there only once.
    """
    prefixes: list[list[str]] = [[]]
    known: set[int] = set()
    for _ in range(_MOST_ORDERS):
        if not prefixes:
            return
        prefix = prefixes.pop()
        order = asyncio.run(_play(new_state(), writers, prefix))
        for step in range(len(prefix), len(order.chosen)):
            if order.situations[step] in known:
                break
            known.add(order.situations[step])
            others = [name for name in order.options[step] if name != order.chosen[step]]
            prefixes.extend([*order.chosen[:step], name] for name in others)
        yield order
    raise AssertionError(f"more than {_MOST_ORDERS} orders")


async def _play(state: GitHubState, writers: Mapping[str, Writer], prefix: list[str]) -> Order:
    order = Order(state=state)
    waiting: dict[str, asyncio.Event] = {}
    hub = Hub(state)
    ways = {
        name: Turnstile(name=name, hub=hub, waiting=waiting, passed=order.passed)
        for name in writers
    }
    tasks = {name: asyncio.ensure_future(write(ways[name])) for name, write in writers.items()}
    while True:
        await _until(lambda: all(name in waiting or tasks[name].done() for name in tasks))
        options = sorted(waiting)
        if not options:
            break
        step = len(order.chosen)
        name = prefix[step] if step < len(prefix) else options[0]
        order.chosen.append(name)
        order.options.append(options)
        told = tuple(tuple(way.told) for way in ways.values())
        order.situations.append(hash((repr(state.comments), state.next_id, told)))
        waiting.pop(name).set()
    await asyncio.gather(*tasks.values())
    return order


async def _until(settled: Callable[[], bool]) -> None:
    for _ in range(_MOST_TICKS):
        if settled():
            return
        await asyncio.sleep(0)
    raise AssertionError("a writer neither asks nor ends")
