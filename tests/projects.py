"""Suites that run in this process: real files, a scripted target on the loopback, real reports."""

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ci_judge.action.suite_run import ActionFront
from ci_judge.app import Finished, RunOptions, execute
from ci_judge.engine.stopping import StopSign
from ci_judge.model.judging import Run
from ci_judge.model.results import TestResult
from ci_judge.protocols import Progress
from ci_judge.renderers.report_schema import validate_report
from ci_judge.sinks.log import LogWriter
from ci_judge.workflows.planning import Plan
from ci_judge.workflows.surroundings import Surroundings
from tests.loopback import Answer, Served, serving

FILES = {"report.json", "junit.xml", "report.html", "summary.md", "attempts.jsonl"}
CRITERIA = "## Refunds\n\nWithin 14 days.\n\n## Delivery\n\nIn 3 days.\n"
NOTHING_HANGS_SECONDS = 60.0


@dataclass(slots=True, kw_only=True)
class Project:
    """A folder with a suite whose target answers what the test says."""

    folder: Path
    bot: Served
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": os.defpath})
    log: list[str] = field(default_factory=list)
    stop_sign: StopSign = field(default_factory=StopSign)

    def write(
        self, *scenarios: Mapping[str, Any], cases: str = "", **sections: Mapping[str, Any]
    ) -> None:
        """Write a suite; ``sections`` of the configuration are laid over a working one."""
        config: dict[str, dict[str, Any]] = {
            "suite": {"criteria": "acceptance.md", "paths": ["."]},
            "target": {"url": f"{self.bot.url}/chat", "response_path": "reply", "retries": 0},
            "run": {"runs": 2, "threshold": "0.1", "seed": 7},
            "judge": {"provider": "stub"},
            "report": {"dir": "out"},
        }
        for name, changes in sections.items():
            config[name] = config.get(name, {}) | dict(changes)
        self._put("ci-judge.yaml", json.dumps(config))
        self._put("acceptance.md", CRITERIA)
        if scenarios:
            text = json.dumps({"criterion": "refunds", "scenarios": list(scenarios)})
            self._put("scenarios.yaml", text)
        if cases:
            self._put("case_shop.py", cases)

    def _put(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    async def execute(self, front: "Front | None" = None, **options: Any) -> Finished:
        async with asyncio.timeout(NOTHING_HANGS_SECONDS):
            return await execute(
                RunOptions(**options),
                Surroundings(
                    cwd=self.folder,
                    environment=self.environment,
                    wall_clock=lambda: 1_750_000_000.0,
                    fresh_uuid=lambda: "00000000-0000-4000-8000-000000000000",
                    nonce=lambda: "0123456789abcdef",
                ),
                front=front or self.front(),
                stop_sign=self.stop_sign,
            )

    def front(self) -> "Front":
        return Front(self.log)

    def run(self, **options: Any) -> Finished:
        self.stop_sign = StopSign()  # it belongs to one event loop
        return asyncio.run(self.execute(**options))

    def report(self) -> Any:
        report = json.loads((self.folder / "out/report.json").read_text("utf-8"))
        assert not validate_report(report)
        return report

    def written(self) -> set[str]:
        return {path.name for path in (self.folder / "out").iterdir()}

    def everything_said(self) -> str:
        files = [path.read_text("utf-8") for path in (self.folder / "out").iterdir()]
        return "\n".join([*files, *self.log])


class Front(ActionFront):
    """The action's own front over a log in memory; ``after_run`` sees each run."""

    def __init__(self, lines: list[str], after_run: Callable[[Run], None] | None = None) -> None:
        super().__init__(LogWriter(lines.append, commands=False))
        self._after_run = after_run

    def planned(self, plan: Plan) -> Progress:
        return Watching(super().planned(plan), self._after_run or (lambda _: None))


@dataclass(frozen=True, slots=True)
class Watching:
    progress: Progress
    after_run: Callable[[Run], None]

    def run_finished(self, run: Run) -> None:
        self.progress.run_finished(run)
        self.after_run(run)

    def test_finished(self, result: TestResult) -> None:
        self.progress.test_finished(result)


@contextmanager
def a_project(folder: Path, answer: Answer) -> Iterator[Project]:
    folder.mkdir(exist_ok=True)
    with serving(answer) as bot:
        yield Project(folder=folder, bot=bot)


def knows_refunds(path: str, body: Any) -> tuple[int, Any]:
    """Answer right, but wrong to whom says "wrong" and not at all to whom says "broken"."""
    del path
    if "broken" in body["message"]:
        return 400, {"error": "no"}
    return 200, {"reply": "no idea" if "wrong" in body["message"] else "Within 14 days."}


def scenario(name: str, message: str = "How?", **changes: Any) -> dict[str, Any]:
    return {"name": name, "message": message, "expected": 'Says "14 days".'} | changes
