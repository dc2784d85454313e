"""Counts what a run cost, and what it saved: requests, tokens, money. Unknown is None, never 0."""

from ci_judge.model.evidence import Conversation
from ci_judge.model.judging import Run, Trial, Usage
from ci_judge.rules.pricing import RunCost, run_cost, total


class Spending:
    """Adds up over all runs as they end."""

    def __init__(self) -> None:
        self.target_requests = 0
        self.judge_requests = 0
        self.judge_cached = 0
        self.models: set[str] = set()
        self._input_tokens = 0
        self._output_tokens = 0
        self._unknown_tokens = False
        self.known_cost_usd = 0.0
        self._unknown_cost = False
        self._target_cost: float | None = 0.0
        self._target_priced = False

    def add(self, run: Run) -> None:
        if isinstance(run.evidence, Conversation):
            self.target_requests += sum(reply.attempts for reply in run.evidence.replies)
        elif run.failure is not None and run.outcome == "target_error":
            self.target_requests += run.failure.attempts
        for trial in run.trials:
            self._add_trial(trial)
        self._add_target_cost(run_cost(run))

    def _add_trial(self, trial: Trial) -> None:
        self.judge_cached += trial.cached
        if trial.model is not None:
            self.models.add(trial.model)
        self.add_judge_requests(trial.requests, trial.usage, cost_usd=trial.cost_usd)

    def add_judge_requests(self, requests: int, usage: Usage, *, cost_usd: float | None) -> None:
        """Add requests to a judge, whatever they were for."""
        self.judge_requests += requests
        self._add_cost(cost_usd)
        if not requests:
            return
        counted = (usage.input_tokens, usage.output_tokens)
        if None in counted:
            self._unknown_tokens = True
        self._input_tokens += counted[0] or 0
        self._output_tokens += counted[1] or 0

    def _add_target_cost(self, cost: RunCost) -> None:
        if cost.priced:
            self._target_priced = True
            self._target_cost = total((self._target_cost, cost.target))
            self._add_cost(cost.target)

    def _add_cost(self, cost_usd: float | None) -> None:
        self.known_cost_usd += cost_usd or 0.0
        self._unknown_cost = self._unknown_cost or cost_usd is None

    @property
    def cost_usd(self) -> float | None:
        """What the judge cost, and the target where it is priced."""
        return None if self._unknown_cost else self.known_cost_usd

    @property
    def target_cost_usd(self) -> float | None:
        """What the target cost; None where it is not priced, too."""
        return self._target_cost if self._target_priced else None

    @property
    def input_tokens(self) -> int | None:
        return None if self._unknown_tokens else self._input_tokens

    @property
    def output_tokens(self) -> int | None:
        return None if self._unknown_tokens else self._output_tokens
