"""What all gates together come to: status, exit code and the sentence on top of every report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ci_judge.errors import ExitCode
from ci_judge.model.document import Status
from ci_judge.model.results import TestOutcome, TestResult

FailOn: TypeAlias = Literal["error", "failure", "never"]


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
        case "error":
            return False
        case "failure":
            return exit_code is ExitCode.UNDECIDED
        case "never":
            return exit_code in {ExitCode.FAILED, ExitCode.UNDECIDED}


def _headline(outcomes: Sequence[TestOutcome]) -> str:
    total = len(outcomes)
    counts = {name: outcomes.count(name) for name in ("failed", "error", "skipped")}
    parts = []
    if counts["failed"]:
        parts.append(f"{_gates(counts['failed'], total)} failed")
    if counts["error"]:
        parts.append(f"{counts['error']} of {total} could not be decided")
    if not parts:
        judged = total - counts["skipped"]
        parts.append(f"All {judged} gates passed" if judged else "No gate was judged")
    if counts["skipped"]:
        parts.append(f"{counts['skipped']} skipped")
    return ", ".join(parts).replace("All 1 gates", "The one gate") + "."


def _gates(count: int, total: int) -> str:
    return "The one gate" if total == 1 else f"{count} of {total} gates"
