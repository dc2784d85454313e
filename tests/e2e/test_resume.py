"""A command that was killed at any moment goes on: nothing is lost, and nothing counts twice."""

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.commands import LONGEST_SECONDS, REPOSITORY
from tests.loopback import Served, serving

TESTS, RUNS = 8, 10
# Other moments every time: KILL_SEED=$RANDOM pytest tests/e2e/test_resume.py
_CHANCE = random.Random(os.environ.get("KILL_SEED", "1"))  # noqa: S311 - no secret
MOMENTS = sorted(_CHANCE.sample(range(1, TESTS * RUNS), 4))
AT_ONCE = 4 + 1  # to the target, and to the judge
CONFIG = """\
suite: {criteria: acceptance.md, paths: [scenarios.yaml]}
target:
  url: "URL"
  response_path: reply
  body: {message: "{{message}}", command: "${COMMAND}"}
judge: {provider: stub, concurrency: 1}
run: {runs: 10, threshold: 0.5, concurrency: 4, cache: "off"}
"""
SCENARIOS = "criterion: refunds\nscenarios:\n" + "".join(
    f'  - {{name: Asks {n}, message: "question {n}", expected: Says "14 days".}}\n'
    for n in range(TESTS)
)
EXIT_CODES = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}


@dataclass(slots=True)
class Bot:
    """Answers every second question rightly, and kills whoever asks too often."""

    kill_at: int | None = None
    number: signal.Signals = signal.SIGKILL
    process: "subprocess.Popen[str] | None" = None
    asked_by: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def answer(self, _path: str, body: Any) -> tuple[int, Any]:
        """Requests of a command that was killed may still come in while the next one runs."""
        message, asked = body["message"], self.asked_by[body["command"]]
        asked[message] += 1
        if asked.total() == self.kill_at and self.process is not None:
            os.kill(self.process.pid, self.number)
        even = int(message.rsplit(" ", 1)[1]) % 2 == 0
        return 200, {"reply": "14 days" if even else "no idea"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    folder: Path
    bot: Bot

    def run(self, *arguments: str, name: str) -> tuple[int, str]:
        """Run the command; the bot knows whom to kill, and who asks."""
        self.bot.process = subprocess.Popen(
            [sys.executable, "-m", "ci_judge", "run", *arguments],
            cwd=self.folder,
            env={"PYTHONPATH": str(REPOSITORY), "PATH": os.environ["PATH"], "COMMAND": name},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        with self.bot.process as process:
            try:
                out, _ = process.communicate(timeout=LONGEST_SECONDS)
            finally:
                process.kill()
        return process.returncode, out

    def written_down(self) -> Counter[str]:
        """Count the finished runs of each test in the ledger."""
        lines = (self.folder / "ci-judge-report/attempts.jsonl").read_text().splitlines()
        runs = [json.loads(line) for line in lines if line.endswith("}")]
        finished = [run for run in runs if run.get("outcome") in {"pass", "fail"}]
        assert len({(run["test"], run["number"]) for run in finished}) == len(finished)
        return Counter(run["transcript"][0]["content"] for run in finished)

    def report(self) -> dict[str, Any]:
        text = (self.folder / "ci-judge-report/report.json").read_text()
        return dict(json.loads(text))


@contextmanager
def a_project(folder: Path) -> Iterator[Project]:
    bot = Bot()
    served: Served
    with serving(bot.answer) as served:
        (folder / "ci-judge.yaml").write_text(CONFIG.replace("URL", served.url))
        (folder / "acceptance.md").write_text("## Refunds\n")
        (folder / "scenarios.yaml").write_text(SCENARIOS)
        yield Project(folder=folder, bot=bot)


def assert_whole(report: dict[str, Any]) -> None:
    """See that the report is that of a run which nothing interrupted."""
    (group,) = report["groups"]
    counted = [(test["passes"], test["fails"], test["errors"]) for test in group["tests"]]
    assert counted == [(RUNS, 0, 0) if n % 2 == 0 else (0, RUNS, 0) for n in range(TESTS)]
    for test in group["tests"]:
        assert [run["number"] for run in test["runs"]] == list(range(1, RUNS + 1))
    assert report["run"]["interrupted"] is False
    assert report["exit_code"] == 1


@pytest.mark.parametrize("number", EXIT_CODES, ids=lambda number: number.name)
@pytest.mark.parametrize("kill_at", MOMENTS)
def test_a_killed_run_goes_on_where_it_was(
    tmp_path: Path, number: signal.Signals, kill_at: int
) -> None:
    with a_project(tmp_path) as project:
        project.bot.kill_at, project.bot.number = kill_at, number
        exit_code, out = project.run(name="first")
        assert exit_code == EXIT_CODES[number], out
        sent = project.bot.asked_by["first"].total()
        finished = project.written_down()
        assert sent - 4 * AT_ONCE <= finished.total() <= sent

        project.bot.kill_at = None
        exit_code, out = project.run("--resume", name="second")
        assert exit_code == 1, out
        planned = Counter({f"question {n}": RUNS for n in range(TESTS)})
        assert project.bot.asked_by["second"] == planned - finished
        report = project.report()
        assert_whole(report)
        assert report["summary"]["target_requests"] == TESTS * RUNS
