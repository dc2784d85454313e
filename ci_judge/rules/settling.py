"""What all gates together come to: status, exit code and the sentence on top of every report."""

from collections.abc import Iterator, Sequence
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


@dataclass(frozen=True, slots=True, kw_only=True)
class GotWorse:
    """What got worse than the baseline, in numbers; none of them is counted twice.

    ``by_more_than_chance`` are tests whose gates did not newly fail, and ``suite`` says that all
    compared tests together got worse by more than chance. ``removed`` tests are gone, ``weaker``
    rules ask for less; those that are allowed are not counted.
    """

    newly_failing: int = 0
    by_more_than_chance: int = 0
    suite: bool = False
    removed: int = 0
    weaker: int = 0

    @property
    def regressions(self) -> int:
        """Count them; a suite that got worse is one where no test of it can be named."""
        named = self.newly_failing + self.by_more_than_chance
        return self.removed + self.weaker + (named or int(self.suite))


def settle_regressions(
    outcomes: Sequence[TestOutcome], worse: GotWorse, *, headline: str
) -> Settlement:
    """Settle by what got worse: ``outcomes`` are what the gating tests count as then.

    ``headline`` tells of all gates.
    """
    besides = worse.removed + worse.weaker + worse.suite
    more: list[TestOutcome] = ["failed"] * besides
    verdict = _verdict([*outcomes, *more])
    said = {
        ExitCode.FAILED: "This fails the step.",
        ExitCode.UNDECIDED: "What could not be decided may be a regression.",
    }.get(
        verdict.exit_code,
        "Nothing got worse than the baseline, which is all that fail_on regression asks.",
    )
    return Settlement(
        status=verdict.status,
        exit_code=verdict.exit_code,
        headline=" ".join([headline, *_of_the_gates(outcomes), *_besides(worse), said]),
    )


def _of_the_gates(held: Sequence[TestOutcome]) -> Iterator[str]:
    """Say how many of the failed gates fail the step: the others had failed before, too."""
    if failed := held.count("failed"):
        were = "was better in the baseline, is new or cannot be compared"
        plural = were.replace("was", "were").replace(" is new", " are new")
        yield f"{failed} of them {were if failed == 1 else plural}."


def _besides(worse: GotWorse) -> Iterator[str]:
    """Say what fails the step beside gates."""
    if worse.weaker:
        yield (
            "1 rule asks for less than in the baseline."
            if worse.weaker == 1
            else f"{worse.weaker} rules ask for less than in the baseline."
        )
    if worse.suite:
        yield "All compared tests together got worse than in the baseline, by more than chance."
    if worse.removed:
        gone = "1 test is" if worse.removed == 1 else f"{worse.removed} tests are"
        yield f"Of the baseline, {gone} gone."


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
