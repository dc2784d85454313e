"""The container's entrypoint as the runner starts it, seen through the runner's eyes."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ci_judge import __version__
from ci_judge.sinks.outputs import OUTPUTS
from tests.github_fake import TOKEN, GitHubState, github
from tests.runner_double import RunnerFiles, SeenLog, read_log, read_outputs, read_summary

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 60
SECRET = "canary-0123456789"

BOT = """\
import http.server, json, sys


class Bot(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer({})

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.answer({"reply": "14 days\\r::error::pwned\\n##[error]pwned " + sys.argv[2]})

    def answer(self, value):
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


print("::set-output name=status::hacked", flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Bot).serve_forever()
"""
HANGING_BOT = BOT.replace(
    "    def do_POST(self):\n",
    """\
    def do_POST(self):
        import socket, threading
        socket.create_connection(("127.0.0.1", %d)).close()
        threading.Event().wait(600)
""",
)
CONFIG = """\
suite: {criteria: acceptance.md, paths: [scenarios.yaml]}
target:
  serve:
    command: %(python)s app/bot.py {{port}} %(secret)s
    ready_url: http://127.0.0.1:{{port}}/
  url: http://127.0.0.1:{{port}}/
  headers: {Authorization: "Bearer ${BOT_TOKEN}"}
  body: {message: "{{message}}"}
  response_path: reply
judge: {provider: stub}
run: {runs: 2, gate: rate}
"""
SCENARIOS = """\
criterion: refunds
scenarios:
  - name: "Asks ::error::name"
    message: I want my money back.
    expected: >-
      Names "%s".
"""


class Runner:
    """Runs the entrypoint in a workspace of its own."""

    def __init__(self, folder: Path) -> None:
        self.files = RunnerFiles(folder)
        self.extra: dict[str, str] = {"BOT_TOKEN": SECRET, "PATH": os.environ["PATH"]}

    def suite(self, *, phrase: str = "14 days", bot: str = BOT) -> None:
        (self.files.workspace / "app").mkdir()
        config = CONFIG % {"python": sys.executable, "secret": SECRET}
        for name, text in {
            "acceptance.md": "## Refunds\n\nWithin 14 days.\n",
            "app/bot.py": bot,
            "ci-judge.yaml": config,
            "scenarios.yaml": SCENARIOS % phrase,
        }.items():
            (self.files.workspace / name).write_text(text)

    def start(self, *arguments: str, **inputs: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-I", "-B", "-u", str(ROOT / "entrypoint.py"), *arguments],
            cwd=self.files.workspace,
            env=self.files.environment(**inputs) | self.extra,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )

    def run(self, *arguments: str, **inputs: str) -> tuple[int, SeenLog, str]:
        with self.start(*arguments, **inputs) as process:
            try:
                output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
            finally:
                process.kill()
        return process.returncode, read_log(output), output

    @property
    def outputs(self) -> dict[str, str]:
        return read_outputs(self.files.output)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


@pytest.fixture
def hub() -> Iterator[GitHubState]:
    with github() as state:
        yield state


def test_a_hostile_bot_passes_and_nothing_of_it_comes_alive(
    runner: Runner, hub: GitHubState
) -> None:
    runner.suite()
    event = {"pull_request": {"number": 7, "head": {"sha": "f" * 40, "ref": "feature"}}}
    runner.files.event.write_text(json.dumps(event))
    runner.extra |= {"GITHUB_EVENT_NAME": "pull_request"} | hub.environment()
    code, log, output = runner.run(github_token=TOKEN, report_dir="out/reports")
    assert code == 0, output
    assert {one.name for one in log.commands} <= {"add-mask", "group", "endgroup", "notice"}
    assert set(log.masks) == {TOKEN, SECRET}
    outputs = runner.outputs
    assert (outputs["status"], outputs["passed"], outputs["tests"]) == ("passed", "1", "1")
    reports = [outputs[kind] for kind in ("json", "junit", "html", "markdown")]
    shown = [(runner.files.workspace / report).read_text("utf-8") for report in reports]
    (comment,) = hub.comments
    assert outputs["comment-url"] == hub.url_of(comment)
    told = [*shown, read_summary(runner.files.summary), comment.body or ""]
    assert all(text and SECRET not in text and TOKEN not in text for text in told)
    after_masks = "".join(log.shown)
    assert SECRET not in after_masks


def test_a_failed_gate_says_why(runner: Runner) -> None:
    runner.suite(phrase="30 days")
    code, log, output = runner.run()
    assert code == 1, output
    result, test = log.annotations("error")
    assert "1 of 1" in result.message
    assert (test.properties["file"], test.properties["line"]) == ("scenarios.yaml", "3")
    assert "pwned" not in {one.message for one in log.commands}
    assert (runner.outputs["status"], runner.outputs["failed"]) == ("failed", "1")
    assert "30 days" in read_summary(runner.files.summary)


def test_a_mistake_in_the_configuration_sets_every_output(runner: Runner) -> None:
    runner.suite()
    path = runner.files.workspace / "ci-judge.yaml"
    path.write_text(path.read_text() + "rnu: {}\n")
    code, log, output = runner.run()
    assert code == 2, output
    (error,) = log.annotations("error")
    assert "rnu" in error.message
    assert error.properties["file"] == "ci-judge.yaml"
    assert error.properties["line"] == "12"
    assert runner.outputs == dict.fromkeys(OUTPUTS, "") | {"status": "invalid"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_step_writes_what_it_has(runner: Runner, number: signal.Signals) -> None:
    with socket.create_server(("127.0.0.1", 0)) as asked:
        asked.settimeout(TIMEOUT_SECONDS)
        runner.suite(bot=HANGING_BOT % asked.getsockname()[1])
        with runner.start() as process:
            try:
                asked.accept()[0].close()
                process.send_signal(number)
                output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
            finally:
                process.kill()
    assert process.returncode == 128 + number, output
    assert runner.outputs["status"] == "interrupted"
    assert set(runner.outputs) == set(OUTPUTS)
    assert (runner.files.workspace / runner.outputs["json"]).is_file()


def test_modules_of_the_workspace_do_not_reach_us(runner: Runner) -> None:
    runner.suite()
    for name in ("json", "sitecustomize", "ci_judge", "httpx"):
        (runner.files.workspace / f"{name}.py").write_text('raise SystemExit("hijacked")\n')
    runner.extra["PYTHONPATH"] = str(runner.files.workspace)
    code, _, output = runner.run()
    assert code == 0, output
    assert "hijacked" not in output


def test_with_arguments_it_is_the_command_line(runner: Runner) -> None:
    code, _, output = runner.run("--version")
    assert (code, output) == (0, f"ci-judge {__version__}\n")
    assert runner.files.output.read_text() == ""


def test_it_works_beside_the_package_wherever_that_is(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(
        ROOT / "ci_judge", copy / "ci_judge", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(ROOT / "entrypoint.py", copy)
    done = subprocess.run(
        [sys.executable, "-I", "-B", str(copy / "entrypoint.py"), "--version"],
        cwd="/",
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.stdout == f"ci-judge {__version__}\n", done.stderr
