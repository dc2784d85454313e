"""One step of a workflow: the action's door with a judge of the test's own."""

import json
from pathlib import Path
from typing import Any

from ci_judge.action.comment_desk import Connect
from ci_judge.action.door import COMMENT_TIME, run_action
from ci_judge.action.order import Judge, Judged, Order
from ci_judge.engine.stopping import StopSign
from ci_judge.sinks.log import LogWriter
from tests.builders import a_group, a_report
from tests.github_fake import HEAD, GitHubState
from tests.runner_double import RunnerFiles, SeenLog, read_log, read_outputs


class Step:
    """Give it inputs, and see what the runner sees."""

    def __init__(self, folder: Path) -> None:
        self.files = RunnerFiles(folder)
        self.extra: dict[str, str] = {}
        self.orders: list[Order] = []
        self.written: list[str] = []
        self.connect: Connect | None = None
        self.comment_time = COMMENT_TIME

    def run(self, judge: Judge, **inputs: str) -> int:
        environment = self.files.environment(**inputs) | self.extra
        return run_action(
            environment,
            write=self.written.append,
            judge=judge,
            connect=self.connect,
            comment_time=self.comment_time,
        )

    def judges(self, *tests: Any, **changes: Any) -> Judge:
        """Make a judge that ends with a report of these tests."""
        document, runs = a_report(a_group(*tests), **changes)

        async def judge(order: Order, log: LogWriter, stop_sign: StopSign) -> Judged:
            del log, stop_sign
            self.orders.append(order)
            report_dir = order.working_directory / "ci-judge-report"
            return Judged(
                document=document,
                runs=runs,
                root=order.working_directory / "examples",
                report_dir=report_dir,
                files={"json": report_dir / "report.json"},
                summary_markdown=lambda limit: "# summary\n"[:limit],
                comment_markdown=lambda limit: "# comment\n"[:limit],
            )

        return judge

    @property
    def log(self) -> SeenLog:
        return read_log("".join(self.written))

    @property
    def outputs(self) -> dict[str, str]:
        return read_outputs(self.files.output)

    def errors(self) -> list[str]:
        return [one.message for one in self.log.annotations("error")]

    def notices(self) -> list[str]:
        return [one.message for one in self.log.annotations("notice")]


def on_pull_request(step: Step, hub: GitHubState) -> None:
    """Let the step be of pull request 7, whose head the fake knows."""
    event = {"pull_request": {"number": 7, "head": {"sha": HEAD, "ref": "feature"}}}
    on_event(step, hub, "pull_request", event)


def on_event(step: Step, hub: GitHubState, name: str, event: Any) -> None:
    """Let the step be started by an event, before the fake."""
    step.files.event.write_text(json.dumps(event))
    step.extra |= {"GITHUB_EVENT_NAME": name} | hub.environment()
