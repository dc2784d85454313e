"""What keeps scenarios from being sent to their targets as they are meant."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ci_judge.errors import Problem
from ci_judge.model.suite import CheckKind, Scenario, Suite
from ci_judge.settings import Settings
from ci_judge.targets.settings import CaptureSettings, TargetSettings
from ci_judge.targets.template_problems import template_problems


def target_problems(settings: Settings, suite: Suite) -> list[Problem]:
    """Return what is wrong between the scenarios and the targets that they are sent to."""
    problems: list[Problem] = []
    suite = replace(suite, scenarios=tuple(_one_a_template(suite)))
    used = dict.fromkeys(scenario.target for scenario in suite.scenarios)
    for name in used:
        target = settings.target if name is None else settings.targets[name]
        if target is None:
            problems.append(
                Problem(
                    message="scenarios need a target and none is configured",
                    hint="add a section target with a url",
                    place=settings.place("targets"),
                )
            )
        else:
            section = "target" if name is None else f"targets.{name}"
            problems.extend(template_problems(target, section=section, place=settings.place))
            problems.extend(_unpriced_checks(suite, name, section, target))
            problems.extend(_uncaptured(suite, name, section, target))
            problems.extend(_absent_bundle(settings, section, target))
            if not target.sends_history:
                problems.extend(_unsent_history(suite, name, section))
    return problems


def _one_a_template(suite: Suite) -> Iterable[Scenario]:
    """Give one row for each dataset: its rows have the same keys, so the same mistakes."""
    first: dict[str, Scenario] = {}
    for each in suite.scenarios:
        first.setdefault(each.row.template if each.row else each.id, each)
    return first.values()


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


def _uncaptured(
    suite: Suite, name: str | None, section: str, target: TargetSettings
) -> Iterable[Problem]:
    """Refuse to look into what nobody captures; a check of a file's defaults is told once."""
    capture = target.capture or CaptureSettings.model_construct()
    places = {"tools": capture.tools, "context": capture.context}
    found = {
        check.place or scenario.place: Problem(
            message=f"the check {check.kind.value} looks at the {check.needs}, "
            f"but {section} captures none",
            hint=f"set {section}.capture.{check.needs} to where they stand in the JSON reply",
            place=check.place or scenario.place,
        )
        for scenario in suite.scenarios
        if scenario.target == name and scenario.skip is None
        for check in scenario.checks
        if check.needs is not None and places[check.needs] is None
    }
    return found.values()


def _absent_bundle(settings: Settings, section: str, target: TargetSettings) -> Iterator[Problem]:
    if target.ca_bundle is None:
        return
    path = settings.root / target.ca_bundle
    if not path.is_file():
        yield Problem(
            message=f'{section}.ca_bundle names "{target.ca_bundle}", which is no file',
            hint=f'the path starts in the folder of the configuration, "{settings.root}"',
        )


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
