"""Opens what a run needs, in the order in which it can fail cheaply, and closes it for certain."""

import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ci_judge.check_tools import check_tools
from ci_judge.engine.attempt import Bench
from ci_judge.engine.breaker import Breaker
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
from ci_judge.targets.settings import TargetSettings
from ci_judge.transport import Transport
from ci_judge.workflows.at_once import lanes_of, own_slots
from ci_judge.workflows.planning import Plan, needs_judge
from ci_judge.workflows.safeguards import Safeguards
from ci_judge.workflows.surroundings import Surroundings

if TYPE_CHECKING:
    from ci_judge.targets.serve import ServedTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBench:
    """Everybody who takes part, ready; ``capacity()`` runs at once keep all of them busy.

    ``looked`` is what it cost to see that the judges are there; ``origins`` are where the targets
    are, by name.
    """

    bench: Bench
    capacity: Callable[[], int]
    looked: Looked
    origins: Mapping[str | None, str | None]
    safeguards: Safeguards


@dataclass(frozen=True, slots=True, kw_only=True)
class Household:
    """The child processes of a command, and the cases that run in them."""

    children: Children
    hosts: CaseHosts


def open_household(
    settings: Settings,
    surroundings: Surroundings,
    stack: AsyncExitStack,
    *,
    children: Children,
    python: str = sys.executable,
) -> Household:
    """Make ready for cases, which run under ``python``; ``stack`` ends what was started."""
    hosts = CaseHosts(
        children=children,
        root=settings.root,
        timeout_seconds=settings.suite.case_timeout,
        environment=surroundings.environment,
        names=settings.suite.env,
    )
    hosts.python = python
    stack.push_async_callback(hosts.close)
    return Household(children=children, hosts=hosts)


async def open_bench(
    settings: Settings,
    surroundings: Surroundings,
    plan: Plan,
    *,
    household: Household,
    safeguards: Safeguards,
    stack: AsyncExitStack,
) -> OpenBench:
    """Look for the judge, connect targets, start what ``serve`` names.

    Where the plan has recorded evidence, that is there instead of targets and cases.

    Raises CannotStart for what is not there, InvalidInput for a key or model that is refused.
    """
    transport = _transport(surroundings, household)
    stack.push_async_callback(transport.aclose)
    transport.guards.extend(safeguards.guards())
    workshop = Workshop(
        children=household.children,
        root=settings.root,
        environment=surroundings.environment,
        permit=safeguards.permit,
    )
    lanes = lanes_of(settings, transport)
    tools = _Tools(transport=lanes.judge.transport, workshop=workshop)
    seats = _seats(settings, surroundings, plan, tools)
    looked = await _look_at_judges(settings, surroundings, plan, transport)
    opener = _TargetOpener(
        settings=settings,
        surroundings=surroundings,
        transport=lanes.target.transport,
        workshop=workshop,
        breaker=safeguards.breaker,
        stack=stack,
    )
    bench = Bench(
        targets=await _targets(plan, opener),
        cases=household.hosts if plan.evidence is None else plan.evidence.cases,
        seats=seats,
        tools=check_tools(redact=household.children.redact),
        seed=_seed(settings, surroundings, plan),
        slots=lanes.slots(settings),
        wall_clock=surroundings.wall_clock,
        clock=surroundings.clock,
    )
    return OpenBench(
        bench=bench,
        capacity=lanes.capacity,
        looked=looked,
        origins=opener.origins,
        safeguards=safeguards,
    )


async def _targets(plan: Plan, opener: "_TargetOpener") -> Mapping[str | None, Target]:
    """Open every target that a scenario names, by its name."""
    names = dict.fromkeys(scenario.target for scenario in plan.to_ask.scenarios)
    if plan.evidence is not None:
        return plan.evidence.targets(names)
    return {name: await opener.open(name) for name in names}


def _seed(settings: Settings, surroundings: Surroundings, plan: Plan) -> int:
    """Take the seed asked for, else that of all shards of a suite, else a fresh one."""
    shared = plan.part.seed if plan.part else None
    given = shared if settings.seed is None else settings.seed
    return surroundings.fresh_seed() if given is None else given


def _transport(surroundings: Surroundings, household: Household) -> Transport:
    return Transport(
        environment=surroundings.environment,
        in_container=surroundings.in_container,
        user_agent=surroundings.user_agent,
        redact=household.children.redact,
    )


async def _look_at_judges(
    settings: Settings, surroundings: Surroundings, plan: Plan, transport: Transport
) -> Looked:
    if settings.judge is None or not needs_judge(plan.to_ask):
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
            slots=own_slots(member, in_panel=bool(settings.judge.panel)),
            tariff=tariff_of(member),
        )
        for member in settings.judge.members
    )
    return panel(seats, settings.judge.panel_rule) if settings.judge.panel else single(*seats)


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
    breaker: Breaker
    stack: AsyncExitStack
    origins: dict[str | None, str | None] = field(default_factory=dict)
    by_bundle: dict[str, Transport] = field(default_factory=dict)

    async def open(self, name: str | None) -> Target:
        """Open the target of this name, None for the section ``target``."""
        target = self.settings.target if name is None else self.settings.targets[name]
        if target is None:
            raise LookupError("planning refuses scenarios without a target")
        if target.command is not None:
            from ci_judge.targets.command import CommandTarget  # noqa: PLC0415 - loads when used

            section = "target" if name is None else f"targets.{name}"
            return CommandTarget(target, workshop=self.workshop, section=f"{section}.command")
        from ci_judge.targets.http_api import HttpTarget  # noqa: PLC0415 - likewise

        transport = self._trusting(target)
        served = await self._served(target, transport)
        self._watch(name, target, served)
        return HttpTarget(
            target,
            transport=transport,
            fresh_uuid=self.surroundings.fresh_uuid,
            port=served.port if served else None,
            hex_id=self.surroundings.hex_id,
        )

    def _trusting(self, target: TargetSettings) -> Transport:
        """Share the transport of all but where the target has authorities of its own."""
        if target.ca_bundle is None:
            return self.transport
        path = str(self.settings.root / target.ca_bundle)
        if path not in self.by_bundle:
            self.by_bundle[path] = replace(self.transport, ca_bundle=path)
            self.stack.push_async_callback(self.by_bundle[path].aclose)
        return self.by_bundle[path]

    def _watch(
        self, name: str | None, target: TargetSettings, served: "ServedTarget | None"
    ) -> None:
        """Remember where a target is, and who knows how it ended."""
        from ci_judge.targets.origins import target_origin  # noqa: PLC0415 - likewise

        origin = target_origin(target, port=served.port if served else None)
        self.origins[name] = origin
        if served is not None and origin is not None:
            self.breaker.watch(origin, served.how_it_ended)

    async def _served(self, target: TargetSettings, transport: Transport) -> "ServedTarget | None":
        if target.serve is None:
            return None
        from ci_judge.targets.serve import ServedTarget  # noqa: PLC0415 - likewise

        # To ask whether it is up is no request of the run, nor a reason to ask it less later.
        prober = replace(transport.limited(1), guards=[])
        served = ServedTarget(
            settings=target.serve,
            root=self.settings.root,
            environment=self.surroundings.environment,
            transport=prober,
            children=self.workshop.children,
        )
        await self.stack.enter_async_context(served)
        return served
