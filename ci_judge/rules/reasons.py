"""Which reason of the closed lists stands behind a run without a verdict, and what it explains."""

from collections.abc import Sequence
from dataclasses import replace

from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import Run
from ci_judge.model.reasons import NotRunCode, ReasonCode, ReasonCount
from ci_judge.model.results import DecisionKind, GateResult

_EXPLAINED: dict[str, str] = {
    NotRunCode.BUDGET: "The budget was spent before it was decided.",
    NotRunCode.ORIGIN_DOWN: "Nobody answered, so no more was sent.",
    NotRunCode.SHARD_MISSING: "The report of its shard was missing.",
}


def reason_code(run: Run) -> ReasonCode | None:
    """Return why a run has no verdict, None where it has one."""
    if run.outcome in {"pass", "fail"}:
        return None
    if run.outcome == "not_run":
        return run.not_run_code
    if run.failure is not None:
        return run.failure.code
    failures = (trial.failure.code for trial in run.trials if trial.failure is not None)
    return next(failures, FailureCode.INTERNAL)


def made_only(reasons: Sequence[ReasonCount]) -> tuple[ReasonCount, ...]:
    """Leave out why runs were not made, for a test that was decided without them."""
    return tuple(reason for reason in reasons if not isinstance(reason.code, NotRunCode))


def explained(gate: GateResult, reasons: Sequence[ReasonCount]) -> GateResult:
    """Say in the sentence of a gate that is not decided what kept it from being so."""
    if gate.kind is not DecisionKind.UNDECIDED:
        return gate
    codes = {reason.code.value for reason in reasons}
    said = [sentence for code, sentence in _EXPLAINED.items() if code in codes]
    return replace(gate, sentence=" ".join((gate.sentence, *said))) if said else gate
