"""Opens what a run needs, in the order in which it can fail cheaply, and closes it for certain."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TypeAlias

from ci_judge.check_tools import check_tools
from ci_judge.engine.attempt import Bench, Slots
from ci_judge.engine.seats import Seat, Seats, panel, single
from ci_judge.judges.habits import Habits
from ci_judge.judges.preflight import Looked, preflight
from ci_judge.judges.registry import build_judge
from ci_judge.judges.settings import JudgeSettings
from ci_judge.judges.tariffs import tariff_of
from ci_judge.processes import Children, Workshop
from ci_judge.protocols import Judge, Target
from ci_judge.settings import Settings
from ci_judge.suites.cases import CaseHosts
from ci_judge.targets.command import CommandTarget
from ci_judge.targets.http_api import HttpTarget
from ci_judge.targets.serve import ServedTarget
from ci_judge.targets.settings import TargetSettings
from ci_judge.transport import Transport
from ci_judge.workflows.planning import Plan, needs_judge
from ci_judge.workflows.surroundings import Surroundings

Redact: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBench:
    """Everybody who takes part, ready; ``workers`` runs at once keep all of them busy.

    ``looked`` is what it cost to see that the judges are there.
    """

    bench: Bench
    workers: int
    looked: Looked


@dataclass(frozen=True, slots=True, kw_only=True)
class Household:
    """The child processes of a command, and the cases that run in them."""

    children: Children
    hosts: CaseHosts


def open_household(
    settings: Settings, surroundings: Surroundings, stack: AsyncExitStack, *, redact: Redact
) -> Household:
    """Make ready for child processes; ``stack`` ends whatever was started.

    ``redact`` takes the secrets out of what is quoted from them, before that is cut.
    """
    children = Children(redact=redact)
    stack.push_async_callback(children.close)
    hosts = CaseHosts(
        children=children,
        root=settings.root,
        timeout_seconds=settings.suite.case_timeout,
        environment=surroundings.environment,
        names=settings.suite.env,
    )
    stack.push_async_callback(hosts.close)
    return Household(children=children, hosts=hosts)


async def open_bench(
    settings: Settings,
    surroundings: Surroundings,
    plan: Plan,
    *,
    household: Household,
    stack: AsyncExitStack,
) -> OpenBench:
    """Look for the judge, connect targets, start what ``serve`` names.

    Raises CannotStart for what is not there, InvalidInput for a key or model that is refused.
    """
    transport = _transport(settings, surroundings, household)
    stack.push_async_callback(transport.aclose)
    workshop = Workshop(
        children=household.children,
        root=settings.root,
        environment=surroundings.environment,
    )
    seats = _seats(settings, surroundings, plan, _Tools(transport=transport, workshop=workshop))
    looked = await _look_at_judges(settings, surroundings, plan, transport)
    opener = _TargetOpener(
        settings=settings,
        surroundings=surroundings,
        transport=transport,
        workshop=workshop,
        stack=stack,
    )
    names = dict.fromkeys(scenario.target for scenario in plan.suite.scenarios)
    targets = {name: await opener.open(name) for name in names}
    seed = settings.seed
    bench = Bench(
        targets=targets,
        cases=household.hosts,
        seats=seats,
        tools=check_tools(redact=household.children.redact),
        seed=surroundings.fresh_seed() if seed is None else seed,
        slots=_slots(settings),
        wall_clock=surroundings.wall_clock,
        clock=surroundings.clock,
    )
    workers = settings.run.concurrency + _judge_concurrency(settings)
    return OpenBench(bench=bench, workers=workers, looked=looked)


def _transport(settings: Settings, surroundings: Surroundings, household: Household) -> Transport:
    return Transport(
        connections=max(settings.run.concurrency, _judge_concurrency(settings)),
        environment=surroundings.environment,
        in_container=surroundings.in_container,
        user_agent=surroundings.user_agent,
        redact=household.children.redact,
    )


def _slots(settings: Settings) -> Slots:
    return Slots(
        target=asyncio.Semaphore(settings.run.concurrency),
        judge=asyncio.Semaphore(_judge_concurrency(settings)),
    )


def _judge_concurrency(settings: Settings) -> int:
    return settings.judge.concurrency if settings.judge else 1


async def _look_at_judges(
    settings: Settings, surroundings: Surroundings, plan: Plan, transport: Transport
) -> Looked:
    if settings.judge is None or not needs_judge(plan.suite):
        return Looked()
    return await preflight(
        settings.judge.members, transport=transport, environment=surroundings.environment
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tools:
    """What judges work with; ``habits`` are those of their servers, known to all of them."""

    transport: Transport
    workshop: Workshop
    habits: Habits = field(default_factory=Habits)


def _seats(settings: Settings, surroundings: Surroundings, plan: Plan, tools: _Tools) -> Seats:
    """Seat the judge, or every judge of the panel; nobody where no test needs one."""
    if settings.judge is None or not needs_judge(plan.suite):
        return Seats()
    seats = tuple(
        Seat(
            judge=_judge(member, surroundings, tools),
            policy=member.vote_policy(),
            slots=_own_slots(member) if settings.judge.panel else None,
            tariff=tariff_of(member),
        )
        for member in settings.judge.members
    )
    return panel(seats, settings.judge.panel_rule) if settings.judge.panel else single(*seats)


def _own_slots(member: JudgeSettings) -> asyncio.Semaphore | None:
    """Limit a judge of a panel by itself where its own section does."""
    limited = "concurrency" in member.model_fields_set
    return asyncio.Semaphore(member.concurrency) if limited else None


def _judge(judge: JudgeSettings, surroundings: Surroundings, tools: _Tools) -> Judge:
    return build_judge(
        judge,
        transport=tools.transport,
        environment=surroundings.environment,
        nonce=surroundings.nonce,
        habits=tools.habits,
        workshop=tools.workshop,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _TargetOpener:
    settings: Settings
    surroundings: Surroundings
    transport: Transport
    workshop: Workshop
    stack: AsyncExitStack

    async def open(self, name: str | None) -> Target:
        """Open the target of this name, None for the section ``target``."""
        target = self.settings.target if name is None else self.settings.targets[name]
        if target is None:
            raise LookupError("planning refuses scenarios without a target")
        if target.command is not None:
            section = "target" if name is None else f"targets.{name}"
            return CommandTarget(target, workshop=self.workshop, section=f"{section}.command")
        return HttpTarget(
            target,
            transport=self.transport,
            fresh_uuid=self.surroundings.fresh_uuid,
            port=await self._served_port(target),
        )

    async def _served_port(self, target: TargetSettings) -> int | None:
        if target.serve is None:
            return None
        served = ServedTarget(
            settings=target.serve,
            root=self.settings.root,
            environment=self.surroundings.environment,
            transport=self.transport,
            children=self.workshop.children,
        )
        await self.stack.enter_async_context(served)
        return served.port
