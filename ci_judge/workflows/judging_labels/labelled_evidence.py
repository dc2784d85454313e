"""Labelled responses in the place of a target: only judges are asked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ci_judge.model.evidence import CaseValue, Conversation, EvidenceFailure, FailureCode
from ci_judge.model.judging import Run
from ci_judge.model.suite import Case, Scenario
from ci_judge.protocols import CaseRunner, Target
from ci_judge.suites.labels import Label


class LabelledEvidence:
    """What was said, by the label's id. Satisfies ``EvidenceSource``."""

    def __init__(self, labels: Sequence[Label]) -> None:
        self._talks = {label.scenario.id: label.conversation for label in labels}

    @property
    def cases(self) -> CaseRunner:
        return _NoCases()

    def targets(self, names: Iterable[str | None]) -> dict[str | None, Target]:
        return {name: _LabelledTarget(self) for name in names}

    def unjudgeable(self) -> Iterator[Run]:
        """Yield nothing: whatever is labelled can be judged."""
        return iter(())

    def of(self, test_id: str) -> Conversation:
        return self._talks[test_id]


@dataclass(frozen=True, slots=True)
class _LabelledTarget:
    """Says what was labelled. Satisfies ``protocols.Target``."""

    evidence: LabelledEvidence

    async def converse(
        self, scenario: Scenario, *, run_number: int
    ) -> Conversation | EvidenceFailure:
        del run_number
        return self.evidence.of(scenario.id)

    def key(self, scenario: Scenario) -> bytes | None:
        """Keep responses out of the cache: the labels are the one source."""
        del scenario
        return None


@dataclass(frozen=True, slots=True)
class _NoCases:
    """Labels are of responses alone. Satisfies ``protocols.CaseRunner``."""

    async def call(self, case: Case, *, run_number: int) -> CaseValue | EvidenceFailure:
        del case, run_number
        return EvidenceFailure(
            code=FailureCode.NOT_RECORDED, message="labels hold no cases", attempts=0
        )
