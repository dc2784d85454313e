"""How much goes on at once: what ``concurrency`` asks for, or as much as each origin bears."""

import asyncio
from dataclasses import dataclass

from ci_judge.engine.attempt import Slots
from ci_judge.file_schema import fixed_number
from ci_judge.judges.settings import JudgeSettings
from ci_judge.rules.pacing import MOST, START
from ci_judge.settings import Settings
from ci_judge.targets.settings import TargetSettings
from ci_judge.transport import Transport

CHILDREN = 8
"""Commands and cases at once where ``auto`` has no server to listen to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One side of a run: the targets or the judges. ``fixed`` is None for ``auto``."""

    fixed: int | None
    transport: Transport

    def capacity(self) -> int:
        """Return how many runs keep this side busy just now."""
        if self.fixed is not None:
            return self.fixed
        return max(START, self.transport.allowed)

    def slots(self) -> asyncio.Semaphore:
        """Limit all of this side together; with ``auto`` the transport limits each origin."""
        return asyncio.Semaphore(MOST if self.fixed is None else self.fixed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """Both sides of a run. They adapt apart, but for a server that is asked by both."""

    target: Lane
    judge: Lane

    def capacity(self) -> int:
        """Return how many runs may be under way so that neither side is idle."""
        return self.target.capacity() + self.judge.capacity()

    def slots(self, settings: Settings) -> Slots:
        """Return the limits on what is collected and what is judged."""
        return Slots(
            target=self.target.slots(),
            judge=self.judge.slots(),
            children=asyncio.Semaphore(CHILDREN) if self.target.fixed is None else None,
            commands=frozenset(_commands(settings)),
        )


def lanes_of(settings: Settings, transport: Transport) -> Lanes:
    """Return two views of one transport, limited as the settings say."""
    judge = fixed_number(settings.judge.concurrency) if settings.judge else 1
    return Lanes(
        target=_lane(fixed_number(settings.run.concurrency), transport),
        judge=_lane(judge, transport),
    )


def own_slots(member: JudgeSettings, *, in_panel: bool) -> asyncio.Semaphore | None:
    """Limit a judge by itself: one of a panel as its own section says, and any command."""
    own = fixed_number(member.concurrency)
    if own is not None:
        limited = in_panel and "concurrency" in member.model_fields_set
        return asyncio.Semaphore(own) if limited else None
    return asyncio.Semaphore(CHILDREN) if member.provider == "command" else None


def _lane(fixed: int | None, transport: Transport) -> Lane:
    return Lane(fixed=fixed, transport=transport.limited(fixed))


def _commands(settings: Settings) -> list[str | None]:
    named: list[tuple[str | None, TargetSettings | None]] = [(None, settings.target)]
    named += settings.targets.items()
    return [name for name, target in named if target and target.command is not None]
