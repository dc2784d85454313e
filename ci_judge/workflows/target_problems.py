"""What keeps scenarios from being sent to their targets as they are meant."""

from ci_judge.errors import Problem
from ci_judge.model.suite import CheckKind, Suite
from ci_judge.settings import Settings
from ci_judge.targets.http_api import template_problems
from ci_judge.targets.settings import TargetSettings


def target_problems(settings: Settings, suite: Suite) -> list[Problem]:
    """Return what is wrong between the scenarios and the targets that they are sent to."""
    problems: list[Problem] = []
    used = dict.fromkeys(scenario.target for scenario in suite.scenarios)
    for name in used:
        target = settings.target if name is None else settings.targets[name]
        if target is None:
            problems.append(
                Problem(
                    message="scenarios need a target and none is configured",
                    hint="add a section target with a url",
                )
            )
        else:
            section = "target" if name is None else f"targets.{name}"
            problems.extend(template_problems(target, section=section))
            problems.extend(_unpriced_checks(suite, name, section, target))
            if not target.sends_history:
                problems.extend(_unsent_history(suite, name, section))
    return problems


def _unpriced_checks(
    suite: Suite, name: str | None, section: str, target: TargetSettings
) -> list[Problem]:
    """Refuse to look at costs that nothing tells."""
    if target.usage is not None:
        return []
    return [
        Problem(
            message=f'"{scenario.id}" has the check max_cost, but {section} says no prices',
            hint=f"set {section}.usage, or leave the check out",
            place=scenario.place,
        )
        for scenario in suite.scenarios
        if scenario.target == name
        and scenario.skip is None
        and any(check.kind is CheckKind.MAX_COST for check in scenario.checks)
    ]


def _unsent_history(suite: Suite, name: str | None, section: str) -> list[Problem]:
    """Refuse a history that would stand in the report and never reach the target."""
    return [
        Problem(
            message=f'"{scenario.id}" has a history, but {section} sends none',
            hint=f'put "{{{{history}}}}" into {section}.body, or leave the history out',
            place=scenario.place,
        )
        for scenario in suite.scenarios
        if scenario.target == name and scenario.history and scenario.skip is None
    ]
