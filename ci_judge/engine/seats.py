"""Who judges in a run: one judge, or a panel of them, each with its own way of counting."""

import asyncio
from dataclasses import dataclass

from ci_judge.model.judging import PanelRule, VotePolicy
from ci_judge.protocols import Judge
from ci_judge.rules.panels import judge_names
from ci_judge.rules.pricing import UNPRICED, Tariff


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A judge and how its opinions count.

    ``slots`` limits its own requests at once, besides the limit on those of all judges; ``tariff``
    says what its tokens cost.
    """

    judge: Judge
    policy: VotePolicy
    slots: asyncio.Semaphore | None = None
    tariff: Tariff = UNPRICED


@dataclass(frozen=True, slots=True, kw_only=True)
class Seats:
    """The judges in their order; nobody sits there where no test needs a judge.

    ``rule`` is None for a single judge. ``names`` are those of the judges of a panel.
    """

    taken: tuple[Seat, ...] = ()
    rule: PanelRule | None = None
    names: tuple[str | None, ...] = ()


def single(seat: Seat) -> Seats:
    """Seat one judge, who judges alone."""
    return Seats(taken=(seat,), names=(None,))


def panel(seats: tuple[Seat, ...], rule: PanelRule) -> Seats:
    """Seat several judges, whose votes count by a rule."""
    return Seats(taken=seats, rule=rule, names=judge_names([seat.judge.identity for seat in seats]))
