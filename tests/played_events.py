"""Five events, played with the real entrypoint before a fake GitHub: what each of them leaves.

What differs from run to run (ports, folders, times) is replaced.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from tests.github_fake import (
    HEAD,
    REPOSITORY,
    TOKEN,
    Answered,
    Fault,
    GitHubState,
    StoredPull,
    github,
)
from tests.github_past import OWN_RUN, WORKFLOW, Past, github_past, zipped
from tests.loopback import serving
from tests.runner_double import RunnerFiles, read_outputs

ROOT = Path(__file__).resolve().parents[1]
LONGEST_SECONDS = 120
BEFORE, BASE = "a" * 40, "b" * 40
EARLIER = 4_700
ARTIFACT = "ci-judge-report-ci-judge"
AS_EVERYWHERE = {"CI_JUDGE_CHILDREN_RUN_AS": "same-user"}
"""Whether children could be another user is this machine's business; none is started here."""

FILES = {
    "acceptance.md": """\
## Refunds {#refunds}

Customers can send anything back within 14 days of delivery and get the full price back.
""",
    "scenarios/refunds.yaml": """\
criterion: refunds
scenarios:
  - name: Asks how to get money back
    message: I want my money back on a jumper that does not fit.
    expected: >-
      Names the "14 days" window.
  - name: Asks what it costs
    message: Does sending it back cost anything?
    expected: >-
      Says that the "full price" is paid back.
""",
    "ci-judge.yaml": """\
target:
  url: ${BOT_URL}/chat
  response_path: reply
run:
  runs: 30
  threshold: 0.8
  gate: exact
  concurrency: 1
  seed: 7
judge:
  provider: stub
""",
}
_VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.+]+Z?"), "<time>"),
    (re.compile(r"\b\d+\.\d+ s\b"), "<seconds> s"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:<port>"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "<trace>"),
    (re.compile(r"of the same minute|\d+ (?:minute|hour)s? old"), "<age>"),
    (re.compile(re.escape(TOKEN)), "<token>"),
)


@dataclass(slots=True, kw_only=True)
class Produced:
    """What one event left: exit code, log and outputs of the step, and the comment."""

    exit_code: int
    log: str
    outputs: str = ""
    comment: str = ""
    report: str = field(default="", repr=False)


def produced() -> dict[str, Produced]:
    """Play all five events, by name, and one of them again. The first leaves the baseline."""
    bot = Bot()
    with serving(bot.answer) as served:
        stage = Stage(bot_url=served.url)
        push = stage.on_the_main_branch()
        stage.baseline = push.report
        passed = stage.in_a_pull_request()
        bot.forgetful = True
        failed = stage.in_a_pull_request()
        again = stage.in_a_pull_request(after=failed.report)
        bot.asked = count(1)
        fork = stage.in_a_pull_request(from_a_fork=True)
        second = stage.in_the_second_workflow(fork.report)
    return {
        "push": push,
        "pass": passed,
        "fail": failed,
        "again": again,
        "fork": fork,
        "second": second,
    }


@dataclass(slots=True)
class Bot:
    """The endpoint under test. Once ``forgetful`` it leaves out the days in every fourth answer."""

    forgetful: bool = False
    asked: Iterator[int] = field(default_factory=lambda: count(1))

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        del path
        forgets = self.forgetful and "money" in body["message"] and next(self.asked) % 4 == 0
        days = "whenever you like" if forgets else "within 14 days"
        return 200, {"reply": f"Send it back {days}, you get the full price back."}


@dataclass(slots=True, kw_only=True)
class Stage:
    """Where the events are played. ``baseline`` is the main branch's report, once there is one."""

    bot_url: str
    baseline: str | None = None

    def in_a_pull_request(self, *, from_a_fork: bool = False, after: str | None = None) -> Produced:
        """Play the event; ``after`` is what its first attempt reported, if this is the second."""
        home = "stranger/example" if from_a_fork else REPOSITORY
        head = {"sha": HEAD, "ref": "feature", "repo": {"full_name": home, "fork": from_a_fork}}
        base = {"ref": "main", "sha": BASE, "repo": {"full_name": REPOSITORY}}
        event = {"number": 7, "pull_request": {"number": 7, "head": head, "base": base}}
        refused = 403 if from_a_fork else None
        return self._step("pull_request", event, refuse_writes=refused, after=after)

    def on_the_main_branch(self) -> Produced:
        event = {"ref": "refs/heads/main", "before": BEFORE, "after": BASE}
        return self._step("push", event, commit=BASE)

    def in_the_second_workflow(self, report: str) -> Produced:
        run = {
            "id": 4711,
            "run_attempt": 1,
            "head_sha": HEAD,
            "head_branch": "feature",
            "head_repository": {"full_name": "stranger/example", "owner": {"login": "stranger"}},
            "html_url": f"https://github.example/{REPOSITORY}/actions/runs/4711",
        }
        with self._github() as hub, _folder() as folder:
            hub.pulls = [StoredPull(number=7, sha=HEAD, owner="stranger")]
            files = RunnerFiles(folder)
            files.event.write_text(json.dumps({"workflow_run": run}), encoding="utf-8")
            (files.workspace / "report.json").write_text(report, encoding="utf-8")
            environment = files.environment() | hub.environment()
            environment |= {"GITHUB_EVENT_NAME": "workflow_run", "GITHUB_TOKEN": TOKEN}
            code, log = _entrypoint(files, environment, "comment", "report.json")
            return Produced(exit_code=code, log=masked(log, folder), comment=_comment(hub, folder))

    def _step(
        self,
        name: str,
        event: Mapping[str, Any],
        *,
        commit: str = HEAD,
        refuse_writes: int | None = None,
        after: str | None = None,
    ) -> Produced:
        with self._github(after) as hub, _folder() as folder:
            hub.refuse_writes = refuse_writes
            files = RunnerFiles(folder)
            for path, text in FILES.items():
                (files.workspace / path).parent.mkdir(exist_ok=True)
                (files.workspace / path).write_text(text, encoding="utf-8")
            files.event.write_text(json.dumps(event), encoding="utf-8")
            environment = files.environment(github_token=TOKEN, baseline="auto") | hub.environment()
            environment |= {
                "GITHUB_EVENT_NAME": name,
                "GITHUB_SHA": commit,
                "GITHUB_RUN_ATTEMPT": "1" if after is None else "2",
                "BOT_URL": self.bot_url,
            }
            code, log = _entrypoint(files, environment)
            outputs = read_outputs(files.output)
            lines = "\n".join(f"{key}={value}" for key, value in outputs.items())
            return Produced(
                exit_code=code,
                log=masked(log, folder),
                outputs=masked(lines, folder),
                comment=_comment(hub, folder),
                report=(files.workspace / outputs["json"]).read_text(encoding="utf-8"),
            )

    @contextmanager
    def _github(self, after: str | None = None) -> Iterator[GitHubState]:
        """Serve a GitHub whose main branch has one run, with the baseline, or none.

        ``after`` is what the first attempt of the run itself has left.
        """
        with github() as hub, github_past() as past:
            if self.baseline is not None:
                past.add_run(EARLIER, BASE)
                pushed = self.baseline.replace(HEAD, BASE)  # what the queue let in is main's now
                content = zipped({"report.json": pushed.encode()})
                past.add_artifact(EARLIER, content, name=ARTIFACT)
            if after is not None:
                content = zipped({"report.json": after.encode()})
                past.add_artifact(int(OWN_RUN), content, name=ARTIFACT)
            hub.faults = [
                Fault(method="GET", path=path, answer=answer) for path, answer in _past(past)
            ]
            yield hub


def _past(past: Past) -> Iterator[tuple[str, Answered]]:
    """Give what GitHub answers about earlier runs: part of the path, answer."""
    tip = BASE if past.runs else BEFORE
    bodies: dict[str, Any] = {
        f"/actions/runs/{OWN_RUN}/artifacts": _listed(past, int(OWN_RUN)),
        f"/actions/runs/{OWN_RUN}": {"workflow_id": WORKFLOW},
        "/compare/": {"merge_base_commit": {"sha": tip}, "files": []},
        f"/commits/{BASE}/pulls": [],
        "/commits": [{"sha": tip}],
        f"/actions/workflows/{WORKFLOW}/runs": {"workflow_runs": past.runs},
        f"/actions/runs/{EARLIER}/artifacts": _listed(past, EARLIER),
    }
    for path, body in bodies.items():
        yield path, Answered(status=200, body=body)
    for one in past.artifacts:
        place = {"Location": f"{past.storage}/blob/{one.id}"}
        yield f"/actions/artifacts/{one.id}/zip", Answered(status=302, headers=place)


def _listed(past: Past, run: int) -> dict[str, Any]:
    found = [
        {"id": one.id, "name": one.name, "expired": False, "size_in_bytes": len(one.content)}
        for one in past.artifacts
        if one.run == run
    ]
    return {"artifacts": found}


def _entrypoint(
    files: RunnerFiles, environment: Mapping[str, str], *arguments: str
) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-u", str(ROOT / "entrypoint.py"), *arguments],
        cwd=files.workspace,
        env={"PATH": os.environ["PATH"], **AS_EVERYWHERE, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout.decode()


def _comment(hub: GitHubState, folder: Path) -> str:
    return masked("".join(comment.body or "" for comment in hub.comments), folder)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name).resolve()


def masked(text: str, *folders: Path) -> str:
    """Replace what no two runs have in common."""
    for folder in folders:
        text = text.replace(str(folder), "<folder>")
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.split("\n"))
