"""Whether the models that answered are those that were calibrated: known when all is judged."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ci_judge.model.document import JudgeEntry
from ci_judge.model.results import DecisionKind, TestResult
from ci_judge.model.suite import GateKind
from ci_judge.workflows.calibration.known import KnownCalibration


def other_models(known: KnownCalibration | None, judge: JudgeEntry | None) -> str | None:
    """Say it where models answered that are not those which were calibrated."""
    if known is None or judge is None or known.problem is not None:
        return None
    for then, now in zip(known.models, judge["panel"] or (judge,), strict=True):
        new = sorted(set(now["models_answered"]) - then)
        if new:
            were = " and ".join(sorted(then)) or "none that said its name"
            return f"not calibrated: {' and '.join(new)} answered, and then it was {were}"
    return None


def with_calibration(judge: JudgeEntry | None, known: KnownCalibration | None) -> JudgeEntry | None:
    """Tell in the entry of a judge of its calibration, and why it may not hold."""
    if judge is None or known is None:
        return judge
    problem = known.problem or other_models(known, judge)
    return {**judge, "calibration": {**known.entry(), "problem": problem}}


def model_warnings(judge: JudgeEntry | None, known: KnownCalibration | None) -> Iterator[str]:
    other = other_models(known, judge)
    if known is not None and other is not None:
        yield f"{known.file}: {other}"


def only_calibrated(results: Sequence[TestResult], other: str | None) -> list[TestResult]:
    """Leave every gate undecided that goes by a calibration of another model than answered."""
    if other is None:
        return list(results)
    return [_undecided(result, other) for result in results]


def _undecided(result: TestResult, other: str) -> TestResult:
    gate = result.gate
    if result.test.gate.kind is not GateKind.CORRECTED or gate.outcome == "skipped":
        return result
    sentence = f"Undecided: the gate corrected needs the judge that was calibrated ({other})."
    undecided = replace(
        gate, outcome="error", kind=DecisionKind.UNDECIDED, sentence=sentence, more_runs=None
    )
    return replace(result, gate=undecided)
