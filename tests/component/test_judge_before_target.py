"""A judge that cannot be used is found before the target hears of anything."""

import asyncio
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ci_judge.app import FrontDoor, RunOptions, execute
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import CannotStart, CiJudgeError, InvalidInput
from ci_judge.model.document import ReportDocument
from ci_judge.workflows.surroundings import Surroundings
from tests.loopback import Served, serving

RUNS = 3
DECISION = {
    "model": "jev-1.13.0",
    "answers": {"passes": {"type": "noul", "noul": 0.9}},
    "usage": {"input_tokens": 100, "output_tokens": 1},
}


def ran(folder: Path, target: Served, judge: dict[str, Any], **environment: str) -> ReportDocument:
    (folder / "acceptance.md").write_text("## Refunds\n\nWithin 14 days.\n")
    scenario = {"name": "Asks", "message": "Refund?", "expected": "Names the window."}
    (folder / "s.yaml").write_text(json.dumps({"criterion": "refunds", "scenarios": [scenario]}))
    config = {
        "suite": {"criteria": "acceptance.md", "paths": ["s.yaml"]},
        "target": {"url": f"{target.url}/chat", "response_path": "reply"},
        "run": {"runs": RUNS, "threshold": "0.1", "cache": "off"},
        "judge": {"provider": "systemone", "model": "jev-1.13.0", "retries": 0} | judge,
    }
    (folder / "ci-judge.yaml").write_text(json.dumps(config))

    async def run() -> ReportDocument:
        finished = await execute(
            RunOptions(),
            Surroundings(cwd=folder, environment={"PATH": os.defpath} | environment),
            front=FrontDoor(),
            stop_sign=StopSign(),
        )
        return finished.document

    return asyncio.run(run())


def says(status: int, value: Any) -> Callable[[str, Any], tuple[int, Any]]:
    return lambda _path, _body: (status, value)


def test_a_refused_key_is_found_before_the_target_is_asked(tmp_path: Path) -> None:
    refusal = {"detail": {"error_type": "authentication_error", "message": "Who are you?"}}
    with serving(says(200, {"reply": "14"})) as target, serving(says(403, refusal)) as judge:
        with pytest.raises(InvalidInput, match="does not take the key in TYPESAFE_API_KEY: ") as e:
            ran(tmp_path, target, {"base_url": judge.url}, TYPESAFE_API_KEY="a-secret-key")
        assert len(e.value.problems) == 1
        assert "a-secret-key" not in str(e.value)
        assert len(judge.requests) == 1
        assert target.requests == []


def test_a_judge_out_of_reach_is_found_before_the_target_is_asked(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        closed = f"http://127.0.0.1:{free.getsockname()[1]}"
    with serving(says(200, {"reply": "14"})) as target:
        with pytest.raises(CannotStart, match=r"the judge was not reached: .* is it running"):
            ran(tmp_path, target, {"base_url": closed})
        assert target.requests == []


def test_the_look_is_counted_and_can_be_left_out(tmp_path: Path) -> None:
    with serving(says(200, {"reply": "14"})) as target, serving(says(200, DECISION)) as judge:
        summary = ran(tmp_path, target, {"base_url": judge.url})["summary"]
        assert summary["judge_requests"] == len(judge.requests) == RUNS + 1
        assert summary["input_tokens"] == (RUNS + 1) * 100
        judge.requests.clear()
        off = {"base_url": judge.url, "preflight": False}
        summary = ran(tmp_path, target, off)["summary"]
        assert summary["judge_requests"] == len(judge.requests) == RUNS


def test_the_judge_is_asked_through_the_proxy_of_the_environment(tmp_path: Path) -> None:
    away = {"base_url": "http://judge.example", "api_key": "a-secret-key"}
    with serving(says(200, {"reply": "14"})) as target, serving(says(200, DECISION)) as proxy:
        ran(tmp_path, target, away, HTTP_PROXY=proxy.url)
        assert [each.path for each in proxy.requests] == ["http://judge.example/v1/systemone"] * 4
        assert len(target.requests) == RUNS


def test_on_a_pull_request_from_a_fork_the_missing_key_says_why(tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    head = {"repo": {"full_name": "stranger/shop"}}
    event.write_text(json.dumps({"pull_request": {"number": 7, "head": head}}))
    variables = {
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REPOSITORY": "octo/shop",
    }
    with serving(says(200, {"reply": "14"})) as target:
        with pytest.raises(CiJudgeError, match="not given to pull requests from forks"):
            ran(tmp_path, target, {}, **variables)
        with pytest.raises(CiJudgeError, match="set TYPESAFE_API_KEY, or name another"):
            ran(tmp_path, target, {}, **variables | {"GITHUB_REPOSITORY": "stranger/shop"})
        assert target.requests == []
