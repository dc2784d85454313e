"""What all gates together come to: status, exit code and the sentence on top of every report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ci_judge.errors import ExitCode
from ci_judge.model.document import Status
from ci_judge.model.results import TestOutcome, TestResult

FailOn: TypeAlias = Literal["error", "failure", "regression", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    status: Status
    exit_code: ExitCode
    headline: str


def settle(
    results: Sequence[TestResult], *, fail_on: FailOn, interrupted: ExitCode | None = None
) -> Settlement:
    """Add the gates up. Advisory tests are reported and never count here."""
    outcomes = [result.gate.outcome for result in results if not result.test.advisory]
    return settle_outcomes(outcomes, fail_on=fail_on, interrupted=interrupted)


def settle_outcomes(
    outcomes: Sequence[TestOutcome], *, fail_on: FailOn, interrupted: ExitCode | None = None
) -> Settlement:
    """Add up what the gates of all tests that are not advisory came to."""
    headline = _headline(outcomes)
    if interrupted is not None:
        return Settlement(
            status="interrupted", exit_code=interrupted, headline=f"Interrupted. {headline}"
        )
    verdict = _verdict(outcomes)
    if _forgiven(verdict.exit_code, fail_on):
        return Settlement(
            status="passed",
            exit_code=ExitCode.PASSED,
            headline=f"{headline} This does not fail the step: fail_on is {fail_on}.",
        )
    return Settlement(status=verdict.status, exit_code=verdict.exit_code, headline=headline)


def settle_regressions(
    outcomes: Sequence[TestOutcome], *, removed: int, headline: str
) -> Settlement:
    """Settle by what got worse: ``outcomes`` are what the gating tests count as then.

    ``removed`` counts tests of the baseline that are gone; ``headline`` tells of all gates.
    """
    gone: list[TestOutcome] = ["failed"] * removed
    verdict = _verdict([*outcomes, *gone])
    said = {
        ExitCode.FAILED: "This fails the step, for it was better in the baseline or is new.",
        ExitCode.UNDECIDED: "What could not be decided may be a regression.",
    }.get(verdict.exit_code, "Nothing got worse than the baseline (fail_on is regression).")
    missing = f" Of the baseline, {_tests(removed)} gone." if removed else ""
    return Settlement(
        status=verdict.status, exit_code=verdict.exit_code, headline=f"{headline}{missing} {said}"
    )


def _tests(removed: int) -> str:
    return "1 test is" if removed == 1 else f"{removed} tests are"


def _verdict(outcomes: Sequence[TestOutcome]) -> Settlement:
    """Failed wins over undecided: exit 1 stands whatever could not be decided beside it."""
    if "failed" in outcomes:
        return Settlement(status="failed", exit_code=ExitCode.FAILED, headline="")
    if "error" in outcomes:
        return Settlement(status="error", exit_code=ExitCode.UNDECIDED, headline="")
    status: Status = "skipped" if outcomes and set(outcomes) == {"skipped"} else "passed"
    return Settlement(status=status, exit_code=ExitCode.PASSED, headline="")


def _forgiven(exit_code: ExitCode, fail_on: FailOn) -> bool:
    match fail_on:
        case "error" | "regression":  # what was there before is let off by settle_regressions
            return False
        case "failure":
            return exit_code is ExitCode.UNDECIDED
        case "never":
            return exit_code in {ExitCode.FAILED, ExitCode.UNDECIDED}


def _headline(outcomes: Sequence[TestOutcome]) -> str:
    total = len(outcomes)
    counts = {name: outcomes.count(name) for name in ("failed", "error", "waived", "skipped")}
    parts = []
    if counts["failed"]:
        parts.append(f"{_gates(counts['failed'], total)} failed")
    if counts["error"]:
        parts.append(f"{counts['error']} of {total} could not be decided")
    if not parts:
        parts.append(_passed(total - counts["skipped"], waived=counts["waived"]))
    if counts["waived"]:
        parts.append(f"{counts['waived']} waived")
    if counts["skipped"]:
        parts.append(f"{counts['skipped']} skipped")
    return ", ".join(parts).replace("All 1 gates", "The one gate") + "."


def _passed(judged: int, *, waived: int) -> str:
    """Never call what is waived passed."""
    if waived:
        return f"{judged - waived} of {judged} gates passed"
    return f"All {judged} gates passed" if judged else "No gate was judged"


def _gates(count: int, total: int) -> str:
    return "The one gate" if total == 1 else f"{count} of {total} gates"
