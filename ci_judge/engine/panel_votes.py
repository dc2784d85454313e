"""Counts how the judges of a panel voted over all runs; what it keeps does not grow with them."""

from collections import Counter
from dataclasses import dataclass, field

from ci_judge.model.judging import ItemVote, MemberVote, Run
from ci_judge.rules.agreement import Agreement, agreement


@dataclass(slots=True)
class MemberCount:
    """How one judge voted, an expectation of a run at a time, and which models answered."""

    passes: int = 0
    fails: int = 0
    errors: int = 0
    models: set[str] = field(default_factory=set)

    def add(self, vote: MemberVote) -> None:
        if vote.passed is None:
            self.errors += 1
        elif vote.passed:
            self.passes += 1
        else:
            self.fails += 1


class PanelVotes:
    """Adds up over all runs as they end. ``members`` are the judges in the panel's order."""

    def __init__(self, judges: int) -> None:
        self.members = [MemberCount() for _ in range(judges)]
        self._table: Counter[tuple[int, ...]] = Counter()

    def knows(self, run: Run) -> bool:
        """Tell whether all that was judged was judged by one of these judges."""
        places = range(1, len(self.members) + 1)
        heard = [trial.judge_index for trial in run.trials]
        voted = [member.judge_index for vote in run.votes for member in vote.members]
        return all(place in places for place in (*heard, *voted))

    def add(self, run: Run) -> None:
        for trial in run.trials:
            if trial.model is not None:
                self.members[trial.judge_index - 1].models.add(trial.model)
        for vote in run.votes:
            self._add_vote(vote)

    def _add_vote(self, vote: ItemVote) -> None:
        for member in vote.members:
            self.members[member.judge_index - 1].add(member)
        if vote.members and all(member.passed is not None for member in vote.members):
            self._table[vote.passes, vote.trials - vote.passes] += 1

    @property
    def agreement(self) -> Agreement:
        """Measure the agreement over what every judge voted on."""
        return agreement(self._table)
