"""A waiver: a test that is known to fail, and may for a while."""

from dataclasses import replace

from ci_judge.model.results import GateResult, TestOutcome
from ci_judge.model.suite import Waiver


def waived(gate: GateResult, waiver: Waiver | None) -> GateResult:
    """Give the gate of a test that has a waiver in force; it changes nothing but a failure."""
    return replace(gate, outcome=waived_outcome(gate.outcome, in_force=waiver is not None))


def waived_outcome(outcome: TestOutcome, *, in_force: bool) -> TestOutcome:
    """Say what an outcome is under a waiver. What could not be decided may be worse than known."""
    return "waived" if in_force and outcome == "failed" else outcome
