"""One of several processes that share a suite while they run: its tests come one by one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ci_judge.engine.intake import Intake
from ci_judge.model.results import TestResult
from ci_judge.rules.shards import Shard
from ci_judge.workflows.planning import Plan
from ci_judge.workflows.sharding import Part

ALONE = Shard(index=1, count=1)
"""What each says of itself: how many there were is known when all have ended."""

_ELSEWHERE = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Handout:
    """How the tests come, and the seed that all of the processes have in common."""

    intake: Intake
    seed: int

    def begin(self, plan: Plan) -> Plan:
        """Plan with all tests, as any of them may come."""
        return replace(plan, part=self._part(plan))

    def end(self, plan: Plan) -> Plan:
        """Give what was planned as the part that it came to."""
        part = self._part(plan)
        return replace(plan, part=part, suite=part.suite())

    def those_that_came(self, results: Sequence[TestResult]) -> list[TestResult]:
        return [result for result in results if self.intake.has(result.test.id)]

    def _part(self, plan: Plan) -> Part:
        dealt = {
            test.id: ALONE.index if self.intake.has(test.id) else _ELSEWHERE for test in plan.tests
        }
        return Part(shard=ALONE, whole=plan.suite, dealt=dealt, seed=self.seed)
