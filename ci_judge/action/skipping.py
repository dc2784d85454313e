"""A step that judges nothing, on purpose: said in the log, the summary and the comment."""

from pathlib import Path

from ci_judge.action.order import Judged
from ci_judge.action_inputs import ActionInputs
from ci_judge.ci_context import CiContext
from ci_judge.document.report import Header, build_document
from ci_judge.errors import CiJudgeError, ExitCode, InvalidInput, Problem
from ci_judge.model.suite import Suite
from ci_judge.version import __version__
from ci_judge.workflows.render import RecordedRuns

_REPORT_DIR = "ci-judge-report"


def skipped(
    why: str, *, inputs: ActionInputs, context: CiContext, now: float, quiet: bool
) -> Judged:
    """Give what a finished run would give: no test, no file, status skipped, exit code 0.

    ``why`` holds nothing that a stranger wrote; ``now`` is in seconds since the epoch.
    """
    headline = f"Skipped: {why}."

    def told(limit: int) -> str:
        return f"### ⏭️ CI Judge: skipped\n\nNothing was judged: {why}.\n"[:limit]

    header = Header(
        version=__version__,
        status="skipped",
        exit_code=int(ExitCode.PASSED),
        headline=headline,
        context=context.entry(),
        seed=0,
        started=now,
        finished=now,
        interrupted=False,
        complete=False,
        settings={},
        judge=None,
        warnings=(),
        target_requests=0,
        judge_requests=0,
        judge_cached=0,
        input_tokens=None,
        output_tokens=None,
        cost_usd=None,
        known_cost_usd=0.0,
        target_cost_usd=None,
        budget=None,
    )
    return Judged(
        document=build_document(header, Suite(), ()),
        runs=RecordedRuns({}),
        root=inputs.working_directory,
        report_dir=_report_folder(inputs),
        files={},
        summary_markdown=told,
        comment_markdown=told,
        quiet=quiet,
    )


def withheld(error: CiJudgeError, context: CiContext) -> str | None:
    """Say whose pull request lacks its secrets, None where anything else is wrong."""
    whose = "a fork's" if context.from_fork else "Dependabot's" if context.by_dependabot else None
    if whose is None or not all(problem.unset for problem in error.problems):
        return None
    names = ", ".join(dict.fromkeys(str(problem.unset) for problem in error.problems))
    return f"a pull request of {whose} is given no secrets, and {names} is needed"


def refusal(why: str) -> InvalidInput:
    """Give the one line that tells what to do about secrets that are not given."""
    hint = (
        "set the input missing-secret to skip, and judge it where secrets are: on the branch that"
        " it is merged to, or after it was pushed to a branch of this repository"
    )
    return InvalidInput(Problem(message=why, hint=hint))


def _report_folder(inputs: ActionInputs) -> Path:
    given = inputs.overrides.get("report.dir", _REPORT_DIR)
    return inputs.working_directory / (given if isinstance(given, str) else _REPORT_DIR)
