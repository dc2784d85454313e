"""The outputs of the action's step, for the steps after it."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from ci_judge.errors import ExitCode
from ci_judge.model.document import ReportDocument, Status
from ci_judge.sinks.failure import SinkFailed

OUTPUTS: Mapping[str, str] = MappingProxyType(
    {
        "status": "passed, failed, error (undecided), skipped, interrupted or invalid",
        "tests": "Number of tests",
        "passed": "Number of tests whose gate passed",
        "failed": "Number of tests whose gate failed",
        "errors": "Number of tests that could not be decided",
        "waived": "Number of tests that failed, and may for a while (waivers.yaml)",
        "skipped": "Number of skipped tests",
        "regressions": "What got worse than the baseline: tests that newly fail, got worse by more"
        " than chance or are gone, and weaker rules",
        "pass-rate": "Share of the judged runs that passed, from 0 to 1",
        "cost-usd": "What the run cost in USD, empty where any of it is unknown",
        "requests": "Requests sent to targets and judges",
        "report-dir": "Folder of the report files, relative to the workspace",
        "json": "Path of the JSON report, relative to the workspace",
        "junit": "Path of the JUnit report, relative to the workspace",
        "html": "Path of the HTML report, relative to the workspace",
        "markdown": "Path of the Markdown report, relative to the workspace",
        "comment-url": "Address of the pull request comment",
        "seed": "Seed of the run's draws",
    }
)
"""Every output with its description. All are set on every path, empty where there is nothing."""

_FORMATS = ("json", "junit", "html", "markdown")

_STATUS: Mapping[int, Status] = MappingProxyType(
    {
        ExitCode.PASSED: "passed",
        ExitCode.FAILED: "failed",
        ExitCode.INVALID: "invalid",
        ExitCode.NOTHING_TO_JUDGE: "invalid",
        ExitCode.UNDECIDED: "error",
        ExitCode.BUG: "error",
        ExitCode.INTERRUPTED: "interrupted",
        ExitCode.TERMINATED: "interrupted",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Where the report went. Paths are relative to the workspace; ``files`` is by format."""

    report_dir: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    comment_url: str = ""


def status_of(exit_code: int) -> Status:
    """Name what an exit code stands for; an unknown one is an error."""
    return _STATUS.get(exit_code, "error")


def outputs_without_report(exit_code: int) -> dict[str, str]:
    """Give every output of a run that ended before there was a report."""
    return dict.fromkeys(OUTPUTS, "") | {"status": status_of(exit_code)}


def outputs_of(document: ReportDocument, published: Published) -> dict[str, str]:
    """Give every output of a run, as the text that later steps read."""
    summary = document["summary"]
    files: dict[str, object] = {kind: published.files.get(kind) for kind in _FORMATS}
    values = files | {
        "status": document["status"],
        "tests": summary["tests"],
        "passed": summary["passed"],
        "failed": summary["failed"],
        "errors": summary["errors"],
        "waived": summary["waived"],
        "skipped": summary["skipped"],
        "regressions": summary["regressions"],
        "pass-rate": summary["pass_rate"],
        "cost-usd": summary["cost_usd"],
        "requests": summary["target_requests"] + summary["judge_requests"],
        "report-dir": published.report_dir,
        "comment-url": published.comment_url,
        "seed": document["run"]["seed"] if summary["tests"] else None,
    }
    return {name: "" if values[name] is None else str(values[name]) for name in OUTPUTS}


def write_outputs(
    path: Path,
    values: Mapping[str, str],
    *,
    new_token: Callable[[], str] = lambda: secrets.token_hex(16),
) -> None:
    """Append the values to the file that ``GITHUB_OUTPUT`` names. Raises SinkFailed.

    The runner reads ``name<<word``, lines, ``word``; the word is new each time and unguessable,
    so that no value can end early and set an output of its own.
    """
    try:
        with path.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
            for name, value in values.items():
                word = new_token()
                if word in value:
                    raise SinkFailed(f'The output "{name}" holds its own delimiter')
                file.write(f"{name}<<{word}\n{value}\n{word}\n")
    except OSError as error:
        raise SinkFailed(f"The outputs could not be written: {error.strerror}") from error
