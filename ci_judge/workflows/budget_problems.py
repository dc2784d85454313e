"""Budgets that cannot be held: said before anything is sent."""

from collections.abc import Iterator

from ci_judge.errors import Problem
from ci_judge.file_schema.showing import quoted
from ci_judge.judges.settings import COMMAND, JudgeSettings
from ci_judge.judges.tariffs import tariff_of
from ci_judge.model.suite import Suite
from ci_judge.settings import Settings
from ci_judge.targets.settings import TargetSettings

_STUB = "stub"
_INSTEAD = "or limit budget.requests instead"


def budget_problems(settings: Settings, suite: Suite, *, judged: bool) -> Iterator[Problem]:
    """Yield why a limit means nothing; ``judged`` says that judges will be asked."""
    asked = _asked(settings, judged=judged)
    if settings.budget.usd is not None:
        yield from _unpriced_judges(asked)
        if not asked and not any(target.usage for _, target in _targets(settings, suite)):
            yield Problem(
                message="budget.usd limits nothing: neither the judge nor the target has a price",
                hint=f"set target.usage, {_INSTEAD}",
            )
    if settings.budget.tokens is not None and any(judge.provider == COMMAND for judge in asked):
        yield Problem(
            message="budget.tokens cannot be held: a command does not tell its tokens",
            hint=f"leave it out, {_INSTEAD}",
        )


def budget_doubts(settings: Settings, suite: Suite, *, judged: bool) -> Iterator[Problem]:
    """Yield what a limit leaves out."""
    asked = _asked(settings, judged=judged)
    if settings.budget.usd is not None:
        unpriced = [name for name, target in _targets(settings, suite) if not target.usage]
        for name in unpriced if asked else ():
            yield Problem(
                message=f"budget.usd does not count what {name} costs",
                hint=f"set {name}.usage where it costs anything",
            )
    if settings.budget.tokens is not None and not asked:
        yield Problem(
            message="budget.tokens limits nothing: no judge that takes tokens is asked",
            hint="the tokens of targets are not counted; their cost is, by target.usage",
        )


def _asked(settings: Settings, *, judged: bool) -> list[JudgeSettings]:
    members = settings.judge.members if settings.judge and judged else ()
    return [member for member in members if member.provider != _STUB]


def _unpriced_judges(asked: list[JudgeSettings]) -> Iterator[Problem]:
    for judge in asked:
        model = judge.asked_model
        price = tariff_of(judge).of(model)
        told = judge.provider != COMMAND or (price and not (price.input or price.output))
        if price is not None and told:
            continue
        who = judge.provider if model is None else f"{judge.provider} model {quoted(model)}"
        yield Problem(
            message=f"budget.usd cannot be held: what the judge {who} costs is not known",
            hint="set judge.price, {input: 0, output: 0} where it costs nothing, " + _INSTEAD,
        )


def _targets(settings: Settings, suite: Suite) -> Iterator[tuple[str, TargetSettings]]:
    """Yield the sections of the targets that are asked, with their names."""
    for name in dict.fromkeys(scenario.target for scenario in suite.scenarios):
        target = settings.target if name is None else settings.targets[name]
        if target is not None:
            yield ("target" if name is None else f"targets.{name}"), target
