"""Looks at a suite without running it: every file is read and checked, nothing is sent."""

from contextlib import AsyncExitStack
from dataclasses import dataclass

from ci_judge.redaction import Redactor
from ci_judge.settings import Settings
from ci_judge.workflows.children import open_children
from ci_judge.workflows.opening import open_household
from ci_judge.workflows.planning import Plan, Selection, Strictness, make_plan
from ci_judge.workflows.surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A suite as it stands, and what no output about it may show."""

    settings: Settings
    plan: Plan
    redactor: Redactor


async def survey(
    settings: Settings,
    surroundings: Surroundings,
    selection: Selection,
    *,
    redactor: Redactor,
    strictness: Strictness,
) -> Survey:
    """Plan what a run would do. Cases are imported, in their own processes, which end with this.

    Raises InvalidInput with every problem, or NothingToJudge.
    """
    async with AsyncExitStack() as stack:
        children = open_children(settings, surroundings, stack, redact=redactor.text)
        household = open_household(settings, surroundings, stack, children=children)
        plan = await make_plan(
            settings, surroundings, selection, hosts=household.hosts, strictness=strictness
        )
    return Survey(settings=settings, plan=plan, redactor=redactor)
