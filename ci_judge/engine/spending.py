"""Counts what a run cost: requests and tokens. Unknown is None, never 0."""

from ci_judge.model.evidence import Conversation
from ci_judge.model.judging import Run, Trial


class Spending:
    """Adds up over all runs as they end."""

    def __init__(self) -> None:
        self.target_requests = 0
        self.judge_requests = 0
        self.models: set[str] = set()
        self._input_tokens = 0
        self._output_tokens = 0
        self._unknown_tokens = False

    def add(self, run: Run) -> None:
        if isinstance(run.evidence, Conversation):
            self.target_requests += sum(reply.attempts for reply in run.evidence.replies)
        elif run.failure is not None and run.outcome == "target_error":
            self.target_requests += run.failure.attempts
        for trial in run.trials:
            self._add_trial(trial)

    def _add_trial(self, trial: Trial) -> None:
        self.judge_requests += trial.requests
        if trial.model is not None:
            self.models.add(trial.model)
        if not trial.requests:
            return
        counted = (trial.usage.input_tokens, trial.usage.output_tokens)
        if None in counted:
            self._unknown_tokens = True
        self._input_tokens += counted[0] or 0
        self._output_tokens += counted[1] or 0

    @property
    def input_tokens(self) -> int | None:
        return None if self._unknown_tokens else self._input_tokens

    @property
    def output_tokens(self) -> int | None:
        return None if self._unknown_tokens else self._output_tokens
