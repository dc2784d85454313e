"""Opens what a run needs, in the order in which it can fail cheaply, and closes it for certain."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass

from ci_judge.check_tools import check_tools
from ci_judge.engine.attempt import Bench, Slots
from ci_judge.judges.registry import build_judge
from ci_judge.processes import Children
from ci_judge.protocols import Judge, Target
from ci_judge.settings import Settings
from ci_judge.suites.cases import CaseHosts
from ci_judge.targets.http_api import HttpTarget
from ci_judge.targets.serve import ServedTarget
from ci_judge.targets.settings import TargetSettings
from ci_judge.transport import Transport
from ci_judge.workflows.planning import Plan, needs_judge
from ci_judge.workflows.surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBench:
    """Everybody who takes part, ready; ``workers`` runs at once keep all of them busy."""

    bench: Bench
    workers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Household:
    """The child processes of a command, and the cases that run in them."""

    children: Children
    hosts: CaseHosts


def open_household(
    settings: Settings, surroundings: Surroundings, stack: AsyncExitStack
) -> Household:
    """Make ready for child processes; ``stack`` ends whatever was started."""
    children = Children()
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
    """Connect targets and judge; start what ``serve`` names. Raises CannotStart."""
    transport = Transport(
        connections=max(settings.run.concurrency, _judge_concurrency(settings)),
        environment=surroundings.environment,
        in_container=surroundings.in_container,
        user_agent=surroundings.user_agent,
    )
    stack.push_async_callback(transport.aclose)
    opener = _TargetOpener(
        settings=settings,
        surroundings=surroundings,
        transport=transport,
        children=household.children,
        stack=stack,
    )
    names = dict.fromkeys(scenario.target for scenario in plan.suite.scenarios)
    targets = {name: await opener.open(name) for name in names}
    seed = settings.seed
    bench = Bench(
        targets=targets,
        cases=household.hosts,
        judge=_judge(settings, surroundings, plan, transport),
        policy=settings.vote_policy(),
        tools=check_tools(),
        seed=surroundings.fresh_seed() if seed is None else seed,
        slots=Slots(
            target=asyncio.Semaphore(settings.run.concurrency),
            judge=asyncio.Semaphore(_judge_concurrency(settings)),
        ),
        wall_clock=surroundings.wall_clock,
        clock=surroundings.clock,
    )
    return OpenBench(bench=bench, workers=settings.run.concurrency + _judge_concurrency(settings))


def _judge_concurrency(settings: Settings) -> int:
    return settings.judge.concurrency if settings.judge else 1


def _judge(
    settings: Settings, surroundings: Surroundings, plan: Plan, transport: Transport
) -> Judge | None:
    if settings.judge is None or not needs_judge(plan.suite):
        return None
    return build_judge(
        settings.judge,
        transport=transport,
        environment=surroundings.environment,
        nonce=surroundings.nonce,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _TargetOpener:
    settings: Settings
    surroundings: Surroundings
    transport: Transport
    children: Children
    stack: AsyncExitStack

    async def open(self, name: str | None) -> Target:
        """Open the target of this name, None for the section ``target``."""
        target = self.settings.target if name is None else self.settings.targets[name]
        if target is None:
            raise LookupError("planning refuses scenarios without a target")
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
            children=self.children,
        )
        await self.stack.enter_async_context(served)
        return served.port
