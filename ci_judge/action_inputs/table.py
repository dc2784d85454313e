"""The table of the action's inputs, from which action.yml is made."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSpec:
    """One input.

    ``setting`` is the configuration key that it overrides; such an input has no default, because
    a default would always win over the file. ``lines`` takes a value a line.
    """

    description: str
    default: str = ""
    setting: str | None = None
    lines: bool = False


INPUTS: Mapping[str, InputSpec] = MappingProxyType(
    {
        "config": InputSpec(
            description="Configuration file; otherwise ci-judge.yaml or ci-judge.toml is found"
        ),
        "paths": InputSpec(
            description="Scenario and case files, folders or globs, one a line",
            setting="suite.paths",
            lines=True,
        ),
        "select": InputSpec(description="Only tests whose id matches this expression (-k)"),
        "tags": InputSpec(description="Only tests whose tags match this expression (-m)"),
        "runs": InputSpec(description="Runs of each test", setting="run.runs"),
        "threshold": InputSpec(
            description="Pass rate that a gate asks for, from 0 to 1", setting="run.threshold"
        ),
        "early-stop": InputSpec(
            description="Leave out runs that cannot change the result of a gate (true or false)",
            setting="run.early_stop",
        ),
        "seed": InputSpec(description="Seed of the run's draws", setting="run.seed"),
        "shard": InputSpec(
            description="Part of the tests, such as 1/4; ci-judge merge puts the reports together",
            setting="run.shard",
        ),
        "concurrency": InputSpec(
            description="Requests in flight to the target: a number, or auto",
            setting="run.concurrency",
        ),
        "max-cost": InputSpec(
            description="The most that the run may spend, in USD", setting="budget.usd"
        ),
        "max-requests": InputSpec(
            description="The most requests, every retry counted", setting="budget.requests"
        ),
        "max-minutes": InputSpec(
            description="Minutes after which nothing more is sent", setting="budget.minutes"
        ),
        "judge-provider": InputSpec(
            description="stub, anthropic, openai, systemone or command", setting="judge.provider"
        ),
        "judge-model": InputSpec(description="Model that judges", setting="judge.model"),
        "baseline": InputSpec(
            description="What to compare with: auto (the newest complete report of this workflow at"
            " or before the merge base, from its artifacts), the path of a report.json, or none",
            setting="run.baseline",
        ),
        "fail-on": InputSpec(
            description="What fails the step: error (failed or undecided gates), failure,"
            " regression (only what got worse than the baseline) or never",
            setting="run.fail_on",
        ),
        "fresh": InputSpec(
            description="Judge everything anew in a re-run, instead of going on from the earlier"
            " attempt",
            default="false",
        ),
        "missing-secret": InputSpec(
            description="Where a pull request of a fork's or Dependabot's is given no secrets: fail"
            " or skip",
            default="fail",
        ),
        "comment": InputSpec(
            description="Pull request comment: auto (where there is a pull request), on-failure"
            " or never",
            default="auto",
        ),
        "comment-key": InputSpec(
            description="Which comment is this one's, by default workflow/job; set it for each leg"
            " of a matrix"
        ),
        "github-token": InputSpec(
            description="Token that writes the comment (pull-requests: write)",
            default="${{ github.token }}",
        ),
        "pr-number": InputSpec(
            description="Pull request to comment on when the event has none of its own"
        ),
        "report-dir": InputSpec(
            description="Folder of the report files, inside the workspace", setting="report.dir"
        ),
        "requirements": InputSpec(
            description="Requirements file or pip arguments (-e .), installed in an environment of"
            " their own for Python cases, commands and served targets"
        ),
        "changed-paths": InputSpec(
            description="Globs, one a line: where nothing that they mean was changed, the step is"
            " skipped",
            lines=True,
        ),
        "summary": InputSpec(description="Write the step summary", default="true"),
        "annotations": InputSpec(description="Annotate failed tests", default="true"),
        "working-directory": InputSpec(
            description="Where paths start, inside the workspace", default="."
        ),
        "allow-untrusted-code": InputSpec(
            description="Run even though a fork's code is checked out in a job that has secrets",
            default="false",
        ),
    }
)
