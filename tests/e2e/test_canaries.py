"""A whole run of the action with secrets in it: no output holds one, in no encoding."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.canaries import spellings, traces
from tests.e2e.commands import LONGEST_SECONDS, REPOSITORY
from tests.github_fake import github
from tests.runner_double import RunnerFiles, read_log

SECRETS = {
    "APP_TOKEN": 'sk-app/"+<é>&\\canary-1',
    "CASE_PASSWORD": "case canary: 2 of ten",
    "JUDGE_API_KEY": "judge=canary-3/+==",
    "SERVED_SECRET": "served-canary-4",
    "DATABASE_CREDENTIALS": "postgres://robot:db-canary-5@db.example/x",
    "github-token": "ghs_canary6canary6canary6",
}
CONFIG = """\
suite:
  criteria: acceptance.md
  paths: [scenarios.yaml, case_leaks.py]
  env: [CASE_PASSWORD, DATABASE_CREDENTIALS, SHORT_TOKEN]
run: {cache: all}
target:
  url: "http://127.0.0.1:{{port}}/chat"
  response_path: reply
  headers: {Authorization: "Bearer ${APP_TOKEN}"}
  serve:
    command: "python server.py {{port}}"
    ready_url: "http://127.0.0.1:{{port}}/"
    env: [SERVED_SECRET, SPELLINGS]
judge: {provider: command, command: "python judge.py", env: [JUDGE_API_KEY, SPELLINGS]}
"""
SCENARIOS = """\
criterion: leaks
scenarios:
  - {name: Echoes, message: "echo", expected: Says nothing., runs: 2, gate: rate, threshold: 0.9}
  - {name: Breaks, message: "break", expected: Says nothing., runs: 1, gate: rate}
  - {name: Misjudged, message: "misjudge", expected: Says nothing., runs: 1, gate: rate}
"""
SERVER = """\
import http.server, json, os, sys
SPELLINGS = json.loads(os.environ["SPELLINGS"])
class Leaky(http.server.BaseHTTPRequestHandler):
    def do_GET(self): self.answer(200, {})
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        print(SPELLINGS, os.environ["SERVED_SECRET"], self.headers["Authorization"], flush=True)
        leak = " ; ".join([self.headers["Authorization"], *SPELLINGS])
        status = 500 if "break" in str(body) else 200
        self.answer(status, {"reply": str(body) + leak, "x": SPELLINGS})
    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status); self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Type", "application/json")
        self.end_headers(); self.wfile.write(data)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Leaky).serve_forever()
"""
JUDGE = """\
import json, os, sys
asked = sys.stdin.read()
leak = " ; ".join([os.environ["JUDGE_API_KEY"], *json.loads(os.environ["SPELLINGS"])])
print(leak, file=sys.stderr)
if "misjudge" in asked:
    sys.exit("no verdict: " + leak)
print(json.dumps({"pass": False, "reason": leak}))
"""
CASE = """\
import base64, json, os, sys
from urllib.parse import quote
from ci_judge import case

SECRETS = [os.environ["CASE_PASSWORD"], os.environ["DATABASE_CREDENTIALS"]]

@case('says "nothing"')
def test_returns():
    print(SECRETS)
    coded = [base64.b64encode(secret.encode()).decode() for secret in SECRETS]
    return {"text": SECRETS, quote(SECRETS[0]): coded, "short": os.environ["SHORT_TOKEN"]}

@case('says "nothing"')
def test_raises():
    print(json.dumps(SECRETS), file=sys.stderr)
    raise RuntimeError(f"::error::{SECRETS} {quote(SECRETS[0])}")
"""


def a_run(files: RunnerFiles, changes: dict[str, str]) -> tuple[str, list[str]]:
    """Run it, and give its log and the comments that it left on the pull request."""
    all_spellings = [one for secret in SECRETS.values() for one in spellings(secret).values()]
    event = {"pull_request": {"number": 7, "head": {"sha": "a" * 40, "ref": "topic"}}}
    files.event.write_text(json.dumps(event))
    named = {name: text for name, text in SECRETS.items() if name != "github-token"}
    with github() as hub:
        done = subprocess.run(
            [sys.executable, "-I", "-B", "-u", str(REPOSITORY / "entrypoint.py")],
            cwd=files.workspace,
            env={
                "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
                "SPELLINGS": json.dumps(all_spellings),
                "SHORT_TOKEN": "west",
                **named,
                **files.environment(github_token=SECRETS["github-token"]),
                **hub.environment(),
                "GITHUB_EVENT_NAME": "pull_request",
                **changes,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        bodies = [comment.body or "" for comment in hub.comments]
    return done.stdout.decode(), bodies


@pytest.fixture
def files(tmp_path: Path) -> RunnerFiles:
    files = RunnerFiles(tmp_path)
    written = {
        "acceptance.md": "## Leaks\n",
        "case_leaks.py": CASE,
        "ci-judge.yaml": CONFIG,
        "judge.py": JUDGE,
        "scenarios.yaml": SCENARIOS,
        "server.py": SERVER,
    }
    for name, text in written.items():
        (files.workspace / name).write_text(text)
    return files


def outputs_of(files: RunnerFiles) -> Iterator[tuple[str, str]]:
    """Give everything that a run writes, as text, by name."""
    for path in (files.output, files.summary):
        yield path.name, path.read_text()
    for folder in ("ci-judge-report", ".ci-judge"):
        for path in sorted((files.workspace / folder).rglob("*")):
            if path.is_file():
                yield str(path.relative_to(files.workspace)), path.read_text("utf-8", "replace")


def without_masks(log: str) -> str:
    return "\n".join(line for line in log.split("\n") if not line.startswith("::add-mask::"))


def test_no_secret_comes_out_anywhere_in_any_encoding(files: RunnerFiles) -> None:
    log, comments = a_run(files, {})
    written = dict(outputs_of(files))
    kinds = {"report.json", "junit.xml", "report.html", "summary.md", "attempts.jsonl"}
    assert kinds <= {Path(name).name for name in written}, log
    assert any(name.startswith(".ci-judge/cache") for name in written)
    assert ".ci-judge/verdicts.jsonl" in written
    for kind in ("report.html", "junit.xml", "report.json"):
        assert written[f"ci-judge-report/{kind}"].count("***") > 10, "something was there to hide"
    outputs = {**written, "log": without_masks(log)}
    outputs |= {f"comment {number}": body for number, body in enumerate(comments)}
    found = [
        f"{variable} {spelling} in {name}"
        for name, text in outputs.items()
        for variable, secret in SECRETS.items()
        for spelling in traces(text, secret)
    ]
    assert found == []


def test_the_masks_come_first_and_a_short_secret_is_named_not_masked(files: RunnerFiles) -> None:
    log, _ = a_run(files, {})
    commands = read_log(log).commands
    names = [command.name for command in commands]
    masks = names.count("add-mask")
    assert names[:masks] == ["add-mask"] * masks
    assert log.startswith("::add-mask::")
    for variable in ("APP_TOKEN", "CASE_PASSWORD", "JUDGE_API_KEY", "github-token"):
        assert SECRETS[variable] in read_log(log).masks, variable
    assert "west" not in read_log(log).masks
    report = json.loads((files.workspace / "ci-judge-report/report.json").read_text())
    (warning,) = [text for text in report["warnings"] if "SHORT_TOKEN" in text]
    assert "west" not in warning


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("response_path: reply", 'response_path: "${APP_TOKEN}["'),
        ('ready_url: "http://127.0.0.1:{{port}}/"', 'ready_url: "x-${APP_TOKEN}"'),
        ("criteria: acceptance.md", 'criteria: "${APP_TOKEN}.md"'),
        ('"python server.py {{port}}"', '"python -c import\\ os,sys;sys.exit(str(os.environ))"'),
    ],
)
def test_what_stops_a_run_does_not_give_a_secret_away(
    files: RunnerFiles, old: str, new: str
) -> None:
    config = files.workspace / "ci-judge.yaml"
    assert old in CONFIG
    config.write_text(CONFIG.replace(old, new))
    log, _ = a_run(files, {})
    assert read_log(log).annotations("error"), log
    for variable, secret in SECRETS.items():
        assert list(traces(without_masks(log), secret)) == [], variable
