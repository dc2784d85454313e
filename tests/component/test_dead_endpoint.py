"""Targets and judges where nobody answers: a run ends soon, asks little, and says why once."""

import asyncio
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from ci_judge.engine.breaker import FAILURES_IN_A_ROW
from ci_judge.model.document import ReportDocument
from ci_judge.renderers import console
from ci_judge.transport import RetryPolicy
from tests.loopback import serving
from tests.projects import Project, a_project, knows_refunds, scenario
from tests.wires import Script, Step, a_request

SOON_SECONDS = 30.0
IN_FLIGHT = 8


@contextmanager
def a_closed_port() -> Iterator[str]:
    """Give the URL of a port that is taken and on which nobody listens: it refuses."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@contextmanager
def a_silent_server() -> Iterator[tuple[str, list[socket.socket]]]:
    """Accept every connection and never answer; gives the URL and the connections so far."""
    accepted: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:

        def accept() -> None:
            while True:
                try:
                    accepted.append(listener.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", accepted
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(timeout=10)
            for connection in accepted:
                connection.close()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with a_project(tmp_path, knows_refunds) as made:
        yield made


def asks(number: int, **changes: Any) -> dict[str, Any]:
    return scenario(f"Asks {number}", f"How {number}?", **changes)


def reasons(report: dict[str, Any]) -> dict[str, int]:
    return {reason["code"]: reason["runs"] for reason in report["summary"]["reasons"]}


def outcomes(report: dict[str, Any]) -> Counter[tuple[str, str | None]]:
    return Counter(
        (run["outcome"], run["reason_code"])
        for group in report["groups"]
        for test in group["tests"]
        for run in test["runs"]
    )


def told_once(project: Project, report: dict[str, Any], words: str) -> None:
    """Expect one warning of it, one line on the console, and not one a run in the log."""
    shown = list(console.result_lines(cast("ReportDocument", report)))
    for lines in (report["warnings"], shown):
        assert sum(words in line for line in lines) == 1, lines
    assert not [line for line in project.log if words in line]


def test_two_thousand_runs_against_a_closed_port_end_soon(project: Project) -> None:
    with a_closed_port() as url:
        project.write(
            *map(asks, range(100)),
            target={"url": f"{url}/chat", "retries": 2},
            run={"runs": 20, "concurrency": IN_FLIGHT},
        )
        begun = time.monotonic()
        project.run()
        took = time.monotonic() - begun
    report = project.report()
    assert took < SOON_SECONDS
    # Those under way when the tenth fails have been sent already.
    asked = report["summary"]["target_requests"]
    assert FAILURES_IN_A_ROW <= asked < FAILURES_IN_A_ROW + IN_FLIGHT
    assert sum(reasons(report).values()) == 2_000
    assert set(outcomes(report)) == {
        ("target_error", "connection_refused"),
        ("not_run", "origin_down"),
    }
    assert (report["status"], report["exit_code"]) == ("error", 3)
    told_once(project, report, f"{url} is down: 10 requests in a row failed")


def test_one_run_at_a_time_does_not_wait_for_every_retry_of_every_run(project: Project) -> None:
    with a_closed_port() as url:
        project.write(
            *map(asks, range(20)),
            target={"url": f"{url}/chat", "retries": 2},
            run={"runs": 10, "concurrency": 1},
            judge={"concurrency": 1},
        )
        project.run()
    assert project.report()["summary"]["target_requests"] == FAILURES_IN_A_ROW


def test_an_endpoint_that_hangs_ends_the_run_after_ten_timeouts(project: Project) -> None:
    with a_silent_server() as (url, accepted):
        project.write(
            *map(asks, range(20)),
            target={"url": f"{url}/chat", "timeout": "200ms", "retries": 5},
            run={"runs": 20, "concurrency": IN_FLIGHT},
        )
        project.run()
        assert FAILURES_IN_A_ROW <= len(accepted) < FAILURES_IN_A_ROW + 2 * IN_FLIGHT
    report = project.report()
    assert outcomes(report)["target_error", "timeout"] >= FAILURES_IN_A_ROW
    told_once(project, report, "(the last one: no answer in time)")


def test_a_target_that_only_errs_is_down_after_ten_runs_and_their_retries(tmp_path: Path) -> None:
    with a_project(tmp_path, lambda _path, _body: (503, {"error": "starting"})) as project:
        project.write(
            *map(asks, range(20)),
            target={"url": f"{project.bot.url}/chat", "retries": 1},
            run={"runs": 10, "concurrency": IN_FLIGHT},
        )
        project.run()
        report = project.report()
        assert outcomes(report)["target_error", "http_status"] >= FAILURES_IN_A_ROW
        assert len(project.bot.requests) < 2 * (FAILURES_IN_A_ROW + 2 * IN_FLIGHT)
        told_once(project, report, "(the last one: HTTP 503)")


def test_a_target_that_answered_once_goes_on_being_asked(tmp_path: Path) -> None:
    def flaky(path: str, body: Any) -> tuple[int, Any]:
        return (500, {}) if "0" not in body["message"] else knows_refunds(path, body)

    with a_project(tmp_path, flaky) as project:
        project.write(
            *map(asks, range(30)), run={"runs": 2, "concurrency": 1}, judge={"concurrency": 1}
        )
        project.run()
        report = project.report()
        assert len(project.bot.requests) == 60
        assert "origin_down" not in reasons(report)


def test_tests_of_another_target_go_on(project: Project) -> None:
    with a_closed_port() as url:
        project.write(
            *map(asks, range(10)),
            asks(99, target="fine"),
            target={"url": f"{url}/chat", "retries": 0},
            targets={"fine": {"url": f"{project.bot.url}/chat", "response_path": "reply"}},
            run={"runs": 5, "concurrency": 2},
        )
        project.run()
    report = project.report()
    results = {test["name"]: test["result"] for test in report["groups"][0]["tests"]}
    assert results.pop("Asks 99") == "passed"
    assert set(results.values()) == {"error"}


def waits(*steps: Step) -> list[float]:
    """Send one request with ten retries and give the waits before them."""
    script = Script(steps)
    asyncio.run(script.transport().send(a_request(), retry=RetryPolicy(retries=10)))
    return script.time.slept


def test_many_retries_are_no_long_wait_where_nobody_ever_answered() -> None:
    nobody = httpx.ConnectError("no")
    assert max(waits(nobody)) == 2.0
    assert max(waits(httpx.Response(503), nobody)) > 10.0, "it was there, and may come back"


# --- judges -------------------------------------------------------------------------------


def a_judge_at(url: str, **changes: Any) -> dict[str, Any]:
    base = {"provider": "openai", "model": "m-1", "base_url": url, "api_key": "k", "retries": 0}
    return base | {"preflight": False} | changes


def test_without_a_judge_the_target_is_soon_left_alone(project: Project) -> None:
    with a_closed_port() as url:
        project.write(
            *map(asks, range(20)),
            asks(99, expected=None, checks=[{"contains": "14"}]),
            run={"runs": 10, "concurrency": 4},
            judge=a_judge_at(url, concurrency=4),
        )
        project.run()
    report = project.report()
    assert report["summary"]["judge_requests"] < 2 * FAILURES_IN_A_ROW
    assert report["summary"]["target_requests"] < 60
    assert outcomes(report)["judge_error", "connection_refused"] >= FAILURES_IN_A_ROW
    told_once(project, report, f"{url} is down")
    (checked,) = (test for test in report["groups"][0]["tests"] if test["name"] == "Asks 99")
    assert checked["result"] == "passed", "it needs no judge"


def test_the_other_judges_of_a_panel_decide_without_the_one_that_is_down(
    project: Project,
) -> None:
    message = {"role": "assistant", "content": '{"pass": true, "reason": "so"}'}
    says_yes = {"model": "m-1", "choices": [{"message": message, "finish_reason": "stop"}]}
    with a_closed_port() as dead, serving(lambda _path, _body: (200, says_yes)) as live:
        panel = [a_judge_at(live.url), a_judge_at(live.url, model="m-2"), a_judge_at(dead)]
        project.write(*map(asks, range(5)), run={"runs": 10, "cache": "off"}, judge={})
        project.run(overrides={"judge.panel": panel})
    report = project.report()
    assert report["status"] == "passed"
    assert report["summary"]["judge_requests"] < 2 * 50 + 2 * FAILURES_IN_A_ROW
    told_once(project, report, f"{dead} is down")


# --- a served target ----------------------------------------------------------------------

DIES = """
import http.server, sys

class Bot(http.server.BaseHTTPRequestHandler):
    answered = 0

    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"reply": "14 days."}'
        self.send_response(200); self.send_header("Content-Length", str(len(body)))
        self.end_headers(); self.wfile.write(body)
        Bot.answered += 1

    def log_message(self, *_): pass

server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Bot)
while Bot.answered < 3:
    server.handle_request()
print("out of paper", flush=True)
sys.exit(4)
"""


def test_a_served_target_that_dies_is_named_with_its_last_words(project: Project) -> None:
    (project.folder / "bot.py").write_text(DIES)
    project.write(
        *map(asks, range(20)),
        target={
            "url": "http://127.0.0.1:{{port}}/chat",
            "serve": {
                "command": [sys.executable, "bot.py", "{{port}}"],
                "ready_url": "http://127.0.0.1:{{port}}/",
            },
        },
        run={"runs": 10, "concurrency": 2},
    )
    project.run()
    report = project.report()
    said = "is down: target.serve ended with exit code 4; its last output: out of paper"
    told_once(project, report, said)
    # Some are refused while the program is still on its way out.
    assert report["summary"]["target_requests"] < 100
