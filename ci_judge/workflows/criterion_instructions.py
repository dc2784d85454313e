"""Brings the section ``criteria`` of the configuration to the criteria that it names."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ci_judge.errors import Problem
from ci_judge.model.suite import Criterion
from ci_judge.settings import Settings
from ci_judge.suites.scenario_source import nearest


def unknown_criteria(settings: Settings, criteria: Iterable[Criterion]) -> Iterator[Problem]:
    """Yield a problem for each entry of the section that names no criterion."""
    known = {criterion.id for criterion in criteria}
    for name in settings.criteria:
        if name not in known:
            yield Problem(
                message=f'criteria names "{name}", which is no criterion',
                hint=nearest(name, sorted(known)),
                place=settings.criteria_places[name],
            )


def instructed(settings: Settings, criteria: Iterable[Criterion]) -> tuple[Criterion, ...]:
    """Give each criterion the instructions that the configuration has for its judge."""
    return tuple(
        replace(criterion, instructions=settings.criteria[criterion.id].instructions)
        if criterion.id in settings.criteria
        else criterion
        for criterion in criteria
    )
