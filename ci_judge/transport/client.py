"""The one client: sends a request, tries again where that is right, and never raises for it."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ci_judge.model.evidence import FailureCode
from ci_judge.transport.cookies import Cookies
from ci_judge.transport.exchange import HttpReply, HttpRequest, RetryPolicy, TransportFailure
from ci_judge.transport.gate import AdaptiveGate, FixedGate, Gate, Outcome
from ci_judge.transport.guards import Guard
from ci_judge.transport.lean_import import without_command_line
from ci_judge.transport.places import origin_of
from ci_judge.transport.trust import check_bundle
from ci_judge.transport.waits import (
    MAX_TOTAL_WAIT_SECONDS,
    MAX_WAIT_FOR_NOBODY_SECONDS,
    Chance,
    wait_seconds,
)

if TYPE_CHECKING:
    import httpx

    from ci_judge.transport.wire import Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What a test replaces: sleeping, the clocks (``now`` is seconds since the epoch), chance."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    monotonic: Callable[[], float] = time.perf_counter
    now: Callable[[], float] = time.time
    random: Callable[[], float] = random.random


@dataclass(slots=True)
class _Shared:
    """What all views of one transport have in common.

    Wires are found by the authorities they trust, gates by origin and limit. ``answered`` are the
    origins that have answered anything, ``checked`` the files of certificates that can be used.
    """

    wires: "dict[str | None, Wire]" = field(default_factory=dict)
    gates: dict[tuple[str, int | None], Gate] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)
    checked: set[str | None] = field(default_factory=set)


@dataclass(slots=True, kw_only=True)
class Transport:
    """Sends requests to any number of origins, with at most ``connections`` under way to each.

    Without a number (None) it is as many as the origin bears, see ``rules/pacing.py``.

    ``environment`` is read for proxy variables and SSL_CERT_FILE. ``ca_bundle`` is the path of a
    PEM file of further authorities. ``in_container`` adds a hint to refused loopback connections.
    ``redact`` goes along with every reply, for whoever quotes it. ``http_transport_factory``
    replaces the network. ``guards`` are asked before each attempt, in their order, and may be added
    to at any time. ``requests_by_origin`` counts what was sent.

    Raises InvalidInput when a file of certificates cannot be used.
    """

    connections: int | None = 64
    environment: Mapping[str, str] = field(default_factory=dict)
    ca_bundle: str | None = None
    in_container: bool = False
    user_agent: str = "ci-judge"
    redact: Callable[[str], str] = str
    effects: Effects = field(default_factory=Effects)
    http_transport_factory: "Callable[[], httpx.AsyncBaseTransport] | None" = None
    guards: list[Guard] = field(default_factory=list)
    requests_by_origin: Counter[str] = field(default_factory=Counter)
    shared: _Shared = field(default_factory=_Shared, repr=False)
    gates: dict[str, Gate] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        files = {
            "SSL_CERT_FILE": self.environment.get("SSL_CERT_FILE"),
            "ca_bundle": self.ca_bundle,
        }
        for named, path in files.items():
            if path not in self.shared.checked:
                check_bundle(path, named=named)
                self.shared.checked.add(path)

    async def send(
        self, request: HttpRequest, *, retry: RetryPolicy, cookies: Cookies | None = None
    ) -> Outcome:
        """Send a request until it is answered for good or the attempts are spent.

        An answer of any status comes back as a reply, redirects included: they are not followed.
        """
        waited = 0.0
        outcome: Outcome | None = None
        for attempt in range(1, retry.retries + 2):
            tried, again = await self._attempt(request, retry, cookies)
            if outcome is not None and tried.attempts == 0 and _is_down(tried):
                return outcome  # what came of the attempt before says more
            outcome = replace(tried, attempts=attempt - 1 + tried.attempts)
            wait = self._wait(outcome, attempt, origin_of(request.url))
            waited += wait
            if not again or attempt > retry.retries or waited > MAX_TOTAL_WAIT_SECONDS:
                return outcome
            await self.effects.sleep(wait)
        raise AssertionError("the last attempt returns")

    def limited(self, connections: int | None) -> "Transport":
        """Return this transport with another limit; connections, guards and counts are shared."""
        return replace(self, connections=connections, gates={})

    @property
    def allowed(self) -> int:
        """How many requests may be under way just now, to all origins asked so far together."""
        return sum(gate.allowed for gate in self.gates.values())

    async def aclose(self) -> None:
        """Close every connection."""
        for wire in self.shared.wires.values():
            await wire.aclose()

    async def _attempt(
        self, request: HttpRequest, retry: RetryPolicy, cookies: Cookies | None
    ) -> tuple[Outcome, bool]:
        origin = origin_of(request.url)
        gate = self._gate(origin)
        await gate.enter()
        try:
            refusal = self._forbidden(origin)
            if refusal is not None:
                return replace(refusal, attempts=0), False
            sent_at = gate.begin()
            self.requests_by_origin[origin] += 1
            result = await self._connected().exchange(request, cookies)
            outcome = result if isinstance(result, HttpReply) else result.failure
            gate.end(outcome, sent_at=sent_at)
        finally:
            gate.leave()
        for guard in self.guards:
            guard.after(origin, outcome)
        if isinstance(result, HttpReply):
            self.shared.answered.add(origin)
            result = replace(result, redact=self.redact)
            return result, retry.repeats(result.status)
        return result.failure, result.worth_repeating(harmless=retry.retry_timeouts)

    def _gate(self, origin: str) -> Gate:
        if origin not in self.gates:
            gate = self.shared.gates.setdefault((origin, self.connections), self._new_gate())
            self.gates[origin] = gate
        return self.gates[origin]

    def _new_gate(self) -> Gate:
        if self.connections is not None:
            return FixedGate(self.connections)
        effects = self.effects
        return AdaptiveGate(monotonic=effects.monotonic, now=effects.now, sleep=effects.sleep)

    def _forbidden(self, origin: str) -> TransportFailure | None:
        verdicts = (guard.before(origin) for guard in self.guards)
        return next((verdict for verdict in verdicts if verdict is not None), None)

    def _wait(self, outcome: Outcome, attempt: int, origin: str) -> float:
        headers = outcome.headers if isinstance(outcome, HttpReply) else {}
        chance = Chance(now=self.effects.now(), jitter=self.effects.random())
        wait = wait_seconds(headers, attempt=attempt, chance=chance)
        return wait if origin in self.shared.answered else min(wait, MAX_WAIT_FOR_NOBODY_SECONDS)

    def _connected(self) -> "Wire":
        wire = self.shared.wires.get(self.ca_bundle)
        if wire is None:
            with without_command_line():
                from ci_judge.transport.wire import Wire  # noqa: PLC0415 - httpx loads when used

            wire = self.shared.wires[self.ca_bundle] = Wire(
                environment=self.environment,
                ca_bundle=self.ca_bundle,
                in_container=self.in_container,
                user_agent=self.user_agent,
                monotonic=self.effects.monotonic,
                factory=self.http_transport_factory,
            )
        return wire


def _is_down(outcome: Outcome) -> bool:
    return isinstance(outcome, TransportFailure) and outcome.code is FailureCode.ORIGIN_DOWN
