"""What tokens cost, in USD. Unknown is None and makes every sum that holds it unknown."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ci_judge.model.evidence import Conversation
from ci_judge.model.judging import Run, Usage

_PER = 1_000_000
# A version that a name is resolved to, as in gpt-4.1-2025-04-14 or claude-sonnet-4-5-20250929.
_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """USD per million tokens; ``source`` says whose word that is, and of when."""

    input: float
    output: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariff:
    """The prices of one judge: its own (``fixed``), or those listed by the names of models."""

    fixed: Price | None = None
    listed: tuple[tuple[str, Price], ...] = ()

    def of(self, *models: str | None) -> Price | None:
        """Return the price of the first of the models that has one.

        A listed name stands for itself and for its dated versions, never for a longer name.
        """
        if self.fixed is not None:
            return self.fixed
        found = (self._listed(model) for model in models if model is not None)
        return next((price for price in found if price is not None), None)

    def _listed(self, model: str) -> Price | None:
        for name, price in self.listed:
            if model == name or (
                model.startswith(name) and _DATED.fullmatch(model, len(name)) is not None
            ):
                return price
        return None


UNPRICED = Tariff()


def tokens_cost(usage: Usage, price: Price | None) -> float | None:
    """Price what was counted; None where a price or a count that matters is unknown."""
    if price is None:
        return None
    parts = ((usage.input_tokens, price.input), (usage.output_tokens, price.output))
    return total(_part(tokens, per_million) for tokens, per_million in parts)


def requests_cost(requests: int, usage: Usage, price: Price | None) -> float | None:
    """Price some requests to a judge; none cost nothing, whoever would have been asked."""
    spent_nothing = usage == Usage(input_tokens=0, output_tokens=0)
    return 0.0 if not requests or spent_nothing else tokens_cost(usage, price)


def total(costs: Iterable[float | None]) -> float | None:
    """Add up; one unknown cost makes the sum unknown."""
    known = 0.0
    for cost in costs:
        if cost is None:
            return None
        known += cost
    return known


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCost:
    """What a run cost. ``target`` counts where the target is ``priced`` (``target.usage``)."""

    judge: float | None
    target: float | None
    priced: bool

    @property
    def usd(self) -> float | None:
        """What the judge cost, and the target where it is priced."""
        return total((self.judge, self.target)) if self.priced else self.judge


def run_cost(run: Run) -> RunCost:
    """Add up a run. A conversation that was replayed cost nothing; a failed one is unknown."""
    judge = total(trial.cost_usd for trial in run.trials)
    if isinstance(run.evidence, Conversation):
        priced = any(reply.priced for reply in run.evidence.replies)
        return RunCost(judge=judge, target=_spent(run.evidence, priced=priced), priced=priced)
    priced = run.failure is not None and run.failure.priced
    return RunCost(judge=judge, target=None, priced=priced)


def _spent(conversation: Conversation, *, priced: bool) -> float | None:
    if conversation.replayed and priced:
        return 0.0
    return total(reply.cost_usd for reply in conversation.replies)


def _part(tokens: int | None, per_million: float) -> float | None:
    if not per_million:
        return 0.0
    return None if tokens is None else tokens * per_million / _PER
