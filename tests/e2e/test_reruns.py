"""A run repeated on GitHub, attempt by attempt, with the entrypoint as the runner starts it."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ci_judge.sinks.outputs import OUTPUTS
from tests.e2e.commands import LONGEST_SECONDS, REPOSITORY, ci_judge
from tests.github_fake import TOKEN
from tests.github_past import OWN_RUN, Past, github_past, zipped
from tests.loopback import serving
from tests.runner_double import RunnerFiles, read_log, read_outputs, read_summary
from tests.small_suites import by_id

HEAD = "f" * 40
ARTIFACT = "ci-judge-report-ci-judge"
CONFIG: dict[str, Any] = {
    "suite": {"criteria": "acceptance.md", "paths": ["suite.yaml"]},
    "run": {"runs": 5, "threshold": 0.5, "gate": "rate", "concurrency": 1},
    "judge": {"provider": "stub"},
}
ADAPTIVE = {"gate": "adaptive", "runs": {"min": 2, "max": 10}}


@dataclass(slots=True)
class Bot:
    """Right but for messages in ``wrong``, no answer to those in ``down``; counts what it is asked.

    Of a message in ``weak`` the first few answers are wrong.
    """

    wrong: set[str] = field(default_factory=set)
    down: set[str] = field(default_factory=set)
    weak: dict[str, int] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        del path
        message = body["message"]
        self.asked[message] += 1
        if message in self.down:
            return 500, {"error": "out of order"}
        self.weak[message] = self.weak.get(message, 0) - 1
        wrong = message in self.wrong or self.weak[message] >= 0
        return 200, {"reply": "Some time." if wrong else "You have 14 days."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt that is over. ``asked`` counts the bot's requests by message."""

    exit_code: int
    report: Any
    outputs: dict[str, str]
    summary: str
    asked: dict[str, int]
    path: Path

    def result(self, name: str) -> str:
        return str(by_id(self.report)[f"refunds/{name}"]["result"])


class Run:
    """A workflow run on the fake GitHub: each attempt a fresh workspace, its report uploaded."""

    def __init__(self, folder: Path, past: Past, url: str, bot: Bot) -> None:
        self.past = past
        self.bot = bot
        self._folder = folder
        self._config = CONFIG | {"target": {"url": url, "response_path": "reply", "retries": 0}}
        self.number = 0
        self._jobs = 0

    def attempt(self, *scenarios: dict[str, Any], **inputs: str) -> Attempt:
        """Judge these scenarios in the next attempt, and upload what it leaves."""
        self.number += 1
        over = self.job(*scenarios, **inputs)
        self.upload(over.path)
        return over

    def upload(self, report: Path) -> None:
        self.past.add_artifact(
            int(OWN_RUN), zipped({"report.json": report.read_bytes()}), name=ARTIFACT
        )

    def job(self, *scenarios: dict[str, Any], **inputs: str) -> Attempt:
        """Judge these scenarios in a job of this attempt, and upload nothing."""
        self._jobs += 1
        files = RunnerFiles(self._folder / str(self._jobs))
        self._write(files.workspace, scenarios)
        self.bot.asked.clear()
        given = {"github_token": TOKEN, "comment": "never", "baseline": "none"} | inputs
        environment = files.environment(**given) | self.past.environment()
        environment |= {"GITHUB_RUN_ATTEMPT": str(self.number), "GITHUB_SHA": HEAD}
        code, log = _entrypoint(files.workspace, environment)
        outputs = read_outputs(files.output)
        assert outputs["json"], log
        report = files.workspace / outputs["json"]
        return Attempt(
            exit_code=code,
            report=json.loads(report.read_text("utf-8")),
            outputs=outputs,
            summary=read_summary(files.summary),
            asked=dict(self.bot.asked),
            path=report,
        )

    def _write(self, workspace: Path, scenarios: tuple[dict[str, Any], ...]) -> None:
        (workspace / "ci-judge.yaml").write_text(json.dumps(self._config), "utf-8")
        (workspace / "acceptance.md").write_text("## Refunds\n\nWithin 14 days.\n", "utf-8")
        suite = {"criterion": "refunds", "scenarios": list(scenarios)}
        (workspace / "suite.yaml").write_text(json.dumps(suite), "utf-8")


def _entrypoint(workspace: Path, environment: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-u", str(REPOSITORY / "entrypoint.py")],
        cwd=workspace,
        env={"PATH": os.environ["PATH"]} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    text = done.stdout.decode()
    commands = {command.name for command in read_log(text).commands}
    assert commands <= {"add-mask", "group", "endgroup", "error", "warning", "notice"}
    return done.returncode, text


def merge(*parts: Attempt, folder: Path) -> Path:
    """Merge the reports of shards as the last job does, and give the merged one's path."""
    folder.mkdir()
    reports = [str(part.path) for part in parts]
    result = ci_judge("merge", *reports, "--report-dir", "merged", cwd=folder)
    assert result.err == "", result.err
    return folder / "merged/report.json"


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    bot = Bot()
    with github_past() as past, serving(bot.answer) as served:
        yield Run(tmp_path, past, f"{served.url}/chat", bot)


def asks(name: str, **changes: Any) -> dict[str, Any]:
    return {"name": name, "message": name, "expected": 'Says "14 days".'} | changes


def test_a_failed_test_stays_failed_and_nothing_is_sent_again(run: Run) -> None:
    run.bot.wrong = {"haggles"}
    first = run.attempt(asks("asks"), asks("haggles"))
    assert (first.exit_code, first.asked) == (1, {"asks": 5, "haggles": 5})
    assert first.report["run"]["rerun"] is None
    run.bot.wrong.clear()  # a lucky hour, in which it would pass
    for number in (2, 3):
        again = run.attempt(asks("asks"), asks("haggles"))
        assert (again.exit_code, again.asked) == (1, {})
        assert (again.result("asks"), again.result("haggles")) == ("passed", "failed")
        assert list(again.outputs) == list(OUTPUTS)
        assert (again.outputs["status"], again.outputs["failed"]) == ("failed", "1")
        rerun = again.report["run"]["rerun"]
        assert (rerun["attempt"], rerun["carried_runs"], rerun["anew"]) == (number, 10, None)
        assert [each["attempt"] for each in rerun["earlier"]] == list(range(1, number))
        assert again.report["run"]["seed"] == first.report["run"]["seed"]


def test_what_was_not_answered_is_asked_again_and_nothing_else(run: Run) -> None:
    run.bot.down = {"waits"}
    first = run.attempt(asks("asks"), asks("waits", runs=2))
    assert (first.exit_code, first.result("waits")) == (3, "error")
    run.bot.down.clear()
    second = run.attempt(asks("asks"), asks("waits", runs=2))
    assert (second.exit_code, second.asked) == (0, {"waits": 2})
    assert second.outputs["status"] == "passed"
    assert second.report["run"]["rerun"]["carried_runs"] == 5
    third = run.attempt(asks("asks"), asks("waits", runs=2))
    assert (third.exit_code, third.asked) == (0, {})
    statuses = [each["status"] for each in third.report["run"]["rerun"]["earlier"]]
    assert statuses == ["error", "passed"]


def test_an_adaptive_test_goes_on_where_it_stood_and_may_pass(run: Run) -> None:
    run.bot.weak = {"asks": 3}
    first = run.attempt(asks("asks", **ADAPTIVE))
    assert (first.exit_code, first.result("asks")) == (1, "failed")
    made = first.asked["asks"]
    assert made <= 10
    second = run.attempt(asks("asks", **ADAPTIVE))
    assert (second.exit_code, second.result("asks")) == (0, "passed")
    test = by_id(second.report)["refunds/asks"]
    assert test["fails"] == 3, "what failed in the first attempt counts still"
    assert test["carried_runs"] == made
    assert test["judged"] == made + second.asked["asks"]
    third = run.attempt(asks("asks", **ADAPTIVE))
    assert (third.exit_code, third.asked) == (0, {})


def test_fresh_asks_for_everything_and_tells_what_was_before(run: Run) -> None:
    run.bot.wrong = {"asks"}
    run.attempt(asks("asks"))
    run.bot.wrong.clear()
    again = run.attempt(asks("asks"), fresh="true")
    assert (again.exit_code, again.asked) == (0, {"asks": 5})
    rerun = again.report["run"]["rerun"]
    assert rerun["carried_runs"] == 0
    assert "fresh" in rerun["anew"]
    assert [(each["attempt"], each["status"]) for each in rerun["earlier"]] == [(1, "failed")]
    assert "fresh" in again.summary


def test_a_changed_test_is_judged_anew_beside_one_that_is_not(run: Run) -> None:
    run.bot.wrong = {"asks", "haggles"}
    run.attempt(asks("asks"), asks("haggles"))
    again = run.attempt(asks("asks"), asks("haggles", expected='Says "Some time".'))
    assert (again.exit_code, again.asked) == (1, {"haggles": 5})
    assert (again.result("asks"), again.result("haggles")) == ("failed", "passed")
    assert "1 test is not as in attempt 1" in again.report["run"]["rerun"]["anew"]


@pytest.mark.parametrize("refused", ["/artifacts", "/zip"])
def test_a_job_that_may_not_read_artifacts_judges_anew_and_says_so(run: Run, refused: str) -> None:
    run.bot.wrong = {"asks"}
    run.attempt(asks("asks"))
    run.past.refuse[refused] = 403
    again = run.attempt(asks("asks"))
    assert (again.exit_code, again.asked) == (1, {"asks": 5})
    rerun = again.report["run"]["rerun"]
    assert (rerun["attempt"], rerun["carried_runs"], rerun["earlier"]) == (2, 0, [])
    assert "`permissions: actions: read`" in rerun["anew"]


def test_after_all_jobs_ran_again_the_repositorys_list_still_has_it(run: Run) -> None:
    run.bot.wrong = {"asks"}
    run.attempt(asks("asks"))
    run.past.unlisted.add(int(OWN_RUN))
    again = run.attempt(asks("asks"))
    assert (again.exit_code, again.asked) == (1, {})


def test_a_report_by_another_version_is_told_of_and_not_gone_on_from(run: Run) -> None:
    run.attempt(asks("asks"))
    (left,) = run.past.artifacts
    report = run.attempt(asks("asks")).report
    report["tool"]["version"] = "0.0.9"
    run.past.artifacts[:] = [left]
    left.content = zipped({"report.json": json.dumps(report).encode()})
    again = run.attempt(asks("asks"))
    assert again.asked == {"asks": 5}
    assert "judged by CI Judge 0.0.9" in again.report["run"]["rerun"]["anew"]


def test_one_shard_of_a_matrix_runs_again_and_is_merged_with_the_others(
    run: Run, tmp_path: Path
) -> None:
    suite = [asks(f"asks {number}", runs=2) for number in range(6)]
    run.number = 1
    first = run.job(*suite, shard="1/2")
    wrong, *down = [test["message"] for test in suite if test["message"] not in first.asked]
    run.bot.wrong, run.bot.down = {wrong}, set(down)
    second = run.job(*suite, shard="2/2")
    assert (first.exit_code, second.exit_code) == (0, 1)
    run.upload(merge(first, second, folder=tmp_path / "gate 1"))

    run.number = 2
    run.bot.wrong, run.bot.down = set(), set()
    again = run.job(*suite, shard="2/2")
    assert again.asked == dict.fromkeys(down, 2)
    merged = json.loads(merge(first, again, folder=tmp_path / "gate 2").read_text("utf-8"))
    assert (merged["run"]["attempt"], merged["run"]["complete"]) == (2, True)
    assert merged["run"]["url"].endswith("/attempts/2")
    results = Counter(test["result"] for test in by_id(merged).values())
    assert results == {"passed": len(suite) - 1, "failed": 1}
    rerun = merged["run"]["rerun"]
    kept = first.report["summary"]["runs_made"] + 2
    assert (rerun["attempt"], rerun["carried_runs"], rerun["anew"]) == (2, kept, None)
    assert f"{kept} runs with a verdict were kept from attempt 1" in rerun["sentence"]
