"""Where the runs of a test decide its gate while they come in, looked at by run number.

One table serves every kind of gate: after how many runs it is passed with so many misses. Runs
without a verdict count as misses where the question is whether a gate is passed, and as passes
where it is whether it is failed, so that what is decided stands whatever they had been.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What runs came to; ``errors`` counts those that gave no verdict."""

    passes: int = 0
    fails: int = 0
    errors: int = 0

    @property
    def total(self) -> int:
        return self.passes + self.fails + self.errors

    @property
    def misses(self) -> int:
        """How many did not pass."""
        return self.fails + self.errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Where a test of at most ``runs`` runs may stop, from run ``looks_from`` on.

    ``needed[m]`` is the least number of runs with which m misses pass the gate, and it grows with
    m; more misses than it has places for cannot pass.
    """

    runs: int
    looks_from: int
    needed: Sequence[int]

    @property
    def most_misses(self) -> int:
        """How many misses can still pass, -1 where nothing does."""
        return len(self.needed) - 1

    def met(self, runs: int, *, misses: int) -> bool:
        """Tell whether so many runs with so many misses pass the gate."""
        if misses > self.most_misses or runs < self.looks_from:
            return False
        return runs >= self.needed[misses]

    def can_pass(self, seen: Seen) -> bool:
        """Tell whether further runs could still lead to a pass."""
        return seen.misses <= self.most_misses

    def is_decided(self, seen: Seen, *, passable: bool = False) -> bool:
        """Tell whether no further run can change the gate's result.

        ``passable`` says that the gate would have been passed on the way here, had the runs
        without a verdict been passes: then it is not failed any more, whatever comes.
        """
        if seen.total < self.looks_from:
            return False
        left = self.runs - seen.total
        if left <= 0 or self.met(seen.total, misses=seen.misses):
            return True
        if seen.fails > self.most_misses:
            return True
        cannot_fail = passable or seen.fails + left <= self.most_misses
        return cannot_fail and not self.can_pass(seen)

    def will_be_decided(self, ended: Seen, *, in_flight: int) -> bool:
        """Tell whether runs launched so far decide the gate, whatever those in flight bring."""
        launched = ended.total + in_flight
        if launched < self.looks_from:
            return False
        if launched >= self.runs or ended.fails > self.most_misses:
            return True
        if self.met(launched, misses=ended.misses + in_flight):
            return True
        left = self.runs - launched
        return not self.can_pass(ended) and ended.fails + in_flight + left <= self.most_misses

    def soonest(self, ended: Seen) -> int:
        """Count the further runs that are needed at the least, whatever they come to."""
        to_fail = self.most_misses + 1 - ended.fails
        ways = [max(to_fail, self.looks_from - ended.total)]
        if self.can_pass(ended):
            ways.append(max(self.needed[ended.misses], self.looks_from) - ended.total)
        return min(self.runs - ended.total, *ways)

    def chance_of_need(self, ended: Seen, *, in_flight: int) -> float:
        """Estimate how likely one more run is needed: that those in flight do not decide.

        Any pass rate is as likely as any other before the first run (Laplace). A win is looked
        for without a miss on the way, which makes the estimate a little too high.
        """
        ahead = _Ahead(passes=ended.passes, fails=ended.fails, runs=in_flight)
        if ended.total + in_flight < self.looks_from:
            return 1.0
        lost = ahead.fails_at_least(self.most_misses + 1 - ended.fails)
        if not self.can_pass(ended):
            return 1 - lost
        to_win = max(self.needed[ended.misses], self.looks_from) - ended.total
        return 1 - lost - ahead.first_pass(to_win)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ahead:
    """Runs in flight, foretold from those that have ended: a beta-binomial distribution."""

    passes: int
    fails: int
    runs: int

    def fails_at_least(self, count: int) -> float:
        """Return the chance that so many of them fail."""
        chance = self.first_pass(self.runs)
        fewer = 0.0
        for fails in range(min(count, self.runs + 1)):
            fewer += chance
            left = self.runs - fails
            chance *= left * (self.fails + 1 + fails)
            chance /= (fails + 1) * max(1, self.passes + left)
        return 1.0 - fewer

    def first_pass(self, count: int) -> float:
        """Return the chance that the first so many all pass; 0 where there are not so many."""
        if count > self.runs:
            return 0.0
        judged = self.passes + self.fails
        return math.prod((self.passes + 1 + n) / (judged + 2 + n) for n in range(count))
