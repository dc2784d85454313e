"""The budget beside what a run is going to ask, in the words of ``ci-judge check``."""

from collections.abc import Iterator
from dataclasses import dataclass

from ci_judge.renderers.wording import counted
from ci_judge.settings import BudgetSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """All requests of a run: when all goes well, and with every retry that is allowed."""

    expected: int
    with_retries: int


def budget_lines(budget: BudgetSettings, planned: Planned) -> Iterator[str]:
    """Yield the limits, and a warning where they are below what is expected for certain."""
    limits = list(_limits(budget))
    if not limits:
        return
    yield f"budget: {', '.join(limits)}{_beside(budget, planned)}"
    if budget.requests is not None and budget.requests < planned.expected:
        yield (
            f"warning: budget.requests is {budget.requests:,}, below the {planned.expected:,} that "
            "are expected: unless verdicts are in the cache, tests will be left undecided"
        )


def _limits(budget: BudgetSettings) -> Iterator[str]:
    if budget.requests is not None:
        yield counted(budget.requests, "request")
    if budget.usd is not None:
        yield f"${budget.usd:g}"
    if budget.tokens is not None:
        yield counted(budget.tokens, "token")
    if budget.minutes is not None:
        yield f"{budget.minutes:g} minute{'' if budget.minutes == 1 else 's'}"


def _beside(budget: BudgetSettings, planned: Planned) -> str:
    if budget.requests is None:
        return ""
    worst = (
        f", {planned.with_retries:,} at worst" if planned.with_retries > planned.expected else ""
    )
    return f" ({planned.expected:,} requests expected{worst})"
