"""What a run may spend: requests are counted exactly, money and tokens are set aside in advance.

What something costs is known only when it is over. Until then the dearest of its kind so far
stands for it, so that what is in flight counts; of a kind that nothing is known of yet, only a few
are in flight at once.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

N = TypeVar("N", int, float)

FIRST_AT_ONCE = 2
"""Exchanges of a kind in flight before it is known what the first of them costs."""
_ROUNDING_USD = 1e-9
_MINUTE_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most that a run may spend; None is no limit."""

    usd: float | None = None
    requests: int | None = None
    tokens: int | None = None
    minutes: float | None = None

    @property
    def any(self) -> bool:
        return any(
            limit is not None for limit in (self.usd, self.requests, self.tokens, self.minutes)
        )

    @property
    def by_cost(self) -> bool:
        """Tell whether anything is limited that is known only afterwards."""
        return self.usd is not None or self.tokens is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one exchange came to; None is unknown. ``answered`` says that it brought an answer."""

    usd: float | None = 0.0
    tokens: int | None = 0
    answered: bool = True


class Budget:
    """The account of one run; its minutes begin with it. ``clock`` counts seconds, monotonically.

    Kinds tell apart what costs differently: each target, each judge.
    """

    def __init__(self, limits: Limits, *, clock: Callable[[], float]) -> None:
        self.limits = limits
        self.requests = 0
        self.usd = 0.0
        self.tokens = 0
        self.estimated = False
        """Whether what is limited is a guess in part: often nobody tells what a failure cost."""
        self._clock = clock
        self._begun = clock()
        self._dearest: dict[str, Cost] = {}
        self._exchanges: Counter[str] = Counter()
        self._runs: Counter[str] = Counter()
        self._runs_under_way = 0
        self._familiar: set[str] = set()
        self._spent: str | None = None
        self._changed = asyncio.Event()

    @property
    def minutes(self) -> float:
        return (self._clock() - self._begun) / _MINUTE_SECONDS

    @property
    def refused(self) -> str | None:
        """Say which limit has kept something from being done, None as long as none has."""
        return self._spent

    def refusal(self) -> str | None:
        """Say why nothing more may be sent, None where something may."""
        if self._spent is None:
            name = self._exhausted()
            return None if name is None else self._end(name)
        return self._spent

    def take_request(self) -> str | None:
        """Count one request that is sent now, or say why it may not be."""
        most = self.limits.requests
        if self.refusal() is None and most is not None and self.requests >= most:
            return self._end("requests")
        if self._spent is None:
            self.requests += 1
        return self._spent

    async def begin(self, kind: str, *, parts: int = 1) -> str | None:
        """Set aside what ``parts`` exchanges of a kind may cost, or say why there is no room.

        Waits where there may be room once something in flight has ended for less.
        """
        needs = Counter({kind: parts})
        while self.refusal() is None:
            lacking = self._lacking(self._exchanges + needs)
            if lacking is None and not self._is_crowded(kind):
                self._exchanges += needs
                return None
            if lacking is not None and not self._exchanges:
                return self._end(lacking)
            await self._changed.wait()
        return self._spent

    def end(self, kind: str, costs: Iterable[Cost], *, parts: int = 1) -> None:
        """Book what came of ``begin``, with the same ``parts``; nothing where it was dropped."""
        self._exchanges -= Counter({kind: parts})
        for cost in costs:
            self.book(kind, cost)
        self._wake()

    def book(self, kind: str, cost: Cost) -> None:
        """Add a cost. One that nobody tells counts as the dearest of its kind so far."""
        known = self._dearest.get(kind, Cost(usd=None, tokens=None))
        usd = known.usd if cost.usd is None else cost.usd
        tokens = known.tokens if cost.tokens is None else cost.tokens
        self.usd += usd or 0.0
        self.tokens += tokens or 0
        self.estimated = self.estimated or self._guesses(cost)
        if cost.answered:
            self._dearest[kind] = Cost(
                usd=_larger(known.usd, usd), tokens=_larger(known.tokens, tokens)
            )
            self._refuse_unknown(usd=usd, tokens=tokens)

    async def admit(self, needs: Counter[str]) -> str | None:
        """Wait with a run until there is room for all of it beside the runs under way.

        ``needs`` counts its exchanges by kind. Where no other run is under way it begins all the
        same: part of it may come from the cache, and what has no room is refused by itself.
        """
        while self.refusal() is None:
            if not self._runs_under_way or self._has_room(needs):
                self._runs += needs
                self._runs_under_way += 1
                return None
            await self._changed.wait()
        return self._spent

    def leave(self, needs: Counter[str]) -> None:
        """End a run that was admitted with these needs."""
        self._runs -= needs
        self._runs_under_way -= 1
        self._familiar.update(needs)
        self._wake()

    def _has_room(self, needs: Counter[str]) -> bool:
        """Tell whether a run fits beside the others; the first of its kinds are only a few."""
        planned, most = self._runs + needs, self.limits.requests
        if most is not None and self.requests + planned.total() > most:
            return False
        new = self.limits.by_cost and any(
            kind not in self._dearest and kind not in self._familiar for kind in needs
        )
        if new and self._runs_under_way >= FIRST_AT_ONCE:
            return False
        return self._lacking(planned) is None

    def _exhausted(self) -> str | None:
        limits = self.limits
        if limits.minutes is not None and self.minutes >= limits.minutes:
            return "minutes"
        if limits.usd is not None and self.usd >= limits.usd - _ROUNDING_USD:
            return "usd"
        if limits.tokens is not None and self.tokens >= limits.tokens:
            return "tokens"
        return None

    def _lacking(self, in_flight: Counter[str]) -> str | None:
        """Name the limit that would be passed if all of this cost as much as its dearest yet."""
        usd, tokens = self.usd, self.tokens
        for kind, count in in_flight.items():
            known = self._dearest.get(kind)
            if known is not None:
                usd += count * (known.usd or 0.0)
                tokens += count * (known.tokens or 0)
        if self.limits.usd is not None and usd > self.limits.usd + _ROUNDING_USD:
            return "usd"
        if self.limits.tokens is not None and tokens > self.limits.tokens:
            return "tokens"
        return None

    def _guesses(self, cost: Cost) -> bool:
        """Tell whether a cost that is limited is not told."""
        usd = self.limits.usd is not None and cost.usd is None
        return usd or (self.limits.tokens is not None and cost.tokens is None)

    def _is_crowded(self, kind: str) -> bool:
        unknown = self.limits.by_cost and kind not in self._dearest
        return unknown and self._exchanges[kind] >= FIRST_AT_ONCE

    def _refuse_unknown(self, *, usd: float | None, tokens: int | None) -> None:
        """End a run whose limit cannot be held: nobody says what its answers cost."""
        if self.limits.usd is not None and usd is None:
            self._end("usd", "what an answer costs is not told, so the budget cannot be held")
        elif self.limits.tokens is not None and tokens is None:
            self._end(
                "tokens", "how many tokens an answer took is not told, so the budget cannot be held"
            )

    def _end(self, name: str, why: str | None = None) -> str:
        if self._spent is None:
            self._spent = f"{why or f'the budget of {self._amount(name)} is spent'} (budget.{name})"
            self._wake()
        return self._spent

    def _amount(self, name: str) -> str:
        limits = self.limits
        match name:
            case "usd":
                return f"${limits.usd:g}"
            case "minutes":
                return f"{limits.minutes:g} minute{'' if limits.minutes == 1 else 's'}"
            case "tokens":
                return f"{limits.tokens:,} tokens"
            case _:
                return f"{limits.requests:,} request{'' if limits.requests == 1 else 's'}"

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _larger(known: N | None, new: N | None) -> N | None:
    if known is None or new is None:
        return known if new is None else new
    return max(known, new)
