"""SIGINT and SIGTERM: the partial report is written, marked, and nothing of ours lives on."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.commands import LONGEST_SECONDS, REPOSITORY

SERVER = """\
import http.server, socket, sys, threading
class Slow(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def do_POST(self):
        socket.create_connection(("127.0.0.1", int(sys.argv[2]))).close()
        threading.Event().wait(600)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Slow).serve_forever()
"""
CONFIG = """\
suite: {criteria: acceptance.md, paths: [scenarios.yaml]}
target:
  url: "http://127.0.0.1:{{port}}/chat"
  response_path: reply
  serve: {command: "python server.py {{port}} BELL", ready_url: "http://127.0.0.1:{{port}}/"}
judge: {provider: stub}
"""
SCENARIOS = """\
criterion: refunds
scenarios:
  - {name: Asks, message: How?, expected: Says more., checks: [{contains: x}]}
"""


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_in_a_partial_report(
    tmp_path: Path, number: signal.Signals, exit_code: int
) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    bell = socket.create_server(("127.0.0.1", 0))
    bell.settimeout(LONGEST_SECONDS)
    config = CONFIG.replace("BELL", str(bell.getsockname()[1]))
    (tmp_path / "ci-judge.yaml").write_text(config)
    (tmp_path / "acceptance.md").write_text("## Refunds\n")
    (tmp_path / "scenarios.yaml").write_text(SCENARIOS)
    running = subprocess.Popen(
        [sys.executable, "-m", "ci_judge", "run"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        bell.accept()[0].close()  # the server rings when the first request is under way
        running.send_signal(number)
        out, err = running.communicate(timeout=15)
    finally:
        bell.close()
        running.kill()
        running.communicate()
    assert running.returncode == exit_code, out + err
    report = json.loads((tmp_path / "ci-judge-report/report.json").read_text())
    assert report["status"] == "interrupted"
    assert report["run"]["interrupted"] is True
    (test,) = report["groups"][0]["tests"]
    assert (test["result"], test["not_run"]) == ("error", 10)
    assert {run["outcome"] for run in test["runs"]} == {"not_run"}
    assert number.name in test["runs"][0]["reason"]
