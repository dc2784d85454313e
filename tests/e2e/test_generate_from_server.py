"""``ci-judge generate`` against a model's server on the loopback: keys, files, exit codes."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.commands import LONGEST_SECONDS, REPOSITORY, ci_judge
from tests.loopback import serving

KEY = "sk-only-for-this-test-4711"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "acceptance.md").write_text(
        "## Refunds\nWithin 14 days.\n\n## Delivery\nTakes 3 to 5 working days.\n",
        encoding="utf-8",
    )
    return tmp_path


def configure(folder: Path, url: str) -> None:
    (folder / "ci-judge.yaml").write_text(
        "target: {url: http://127.0.0.1:1/}\njudge: {provider: stub}\n"
        f"generate: {{provider: openai, model: writer, base_url: '{url}', "
        "api_key_env: WRITER_KEY, scenarios_per_criterion: 2}\n",
        encoding="utf-8",
    )


def completion(path: str, body: Any) -> tuple[int, Any]:
    """Answer like a model that repeats its key, and knows nothing of delivery."""
    assert path == "/v1/chat/completions"
    if "working days" in json.dumps(body):
        return 422, {"error": {"message": "no opinion on delivery"}}
    scenario = {
        "name": "Wants to know: how long?",
        "kind": "happy_path",
        "history": [],
        "message": f"How long # have I got? My key: {KEY}",
        "expected": 'Names "14 days".',
    }
    words = json.dumps({"scenarios": [scenario, scenario]})
    choice = {"message": {"content": words}, "finish_reason": "stop"}
    return 200, {"model": "writer-1", "choices": [choice]}


def test_what_could_be_written_is_kept_and_the_rest_is_named(folder: Path) -> None:
    with serving(completion) as server:
        configure(folder, f"{server.url}/v1")
        result = ci_judge("generate", cwd=folder, WRITER_KEY=KEY)
        asked = server.to("/v1/chat/completions")
    assert result.exit_code == 3, result.err
    assert result.out == (
        "written  scenarios/generated/refunds.yaml (1 scenario)\n"
        "failed   scenarios/generated/delivery.yaml\n"
    )
    assert result.err == (
        "warning: scenarios/generated/refunds.yaml: scenario 2 of the reply is left out: its"
        " message is one that is there already\n"
        'error: acceptance.md:4: no scenarios for "delivery": '
        f"{server.url}/v1/chat/completions answered 422: no opinion on delivery\n"
    )
    assert {request.headers["authorization"] for request in asked} == {f"Bearer {KEY}"}
    text = (folder / "scenarios/generated/refunds.yaml").read_text(encoding="utf-8")
    assert KEY not in text + result.out + result.err
    assert "model asked: writer; model that answered: writer-1" in text
    checked = ci_judge("check", cwd=folder)
    assert checked.exit_code == 0, checked.err
    assert "refunds/wants-to-know-how-long" in checked.out


def test_without_a_key_nothing_is_sent(folder: Path) -> None:
    configure(folder, "https://writer.example/v1")
    result = ci_judge("generate", cwd=folder)
    assert (result.exit_code, result.out) == (2, "")
    assert result.err == (
        "error: generate.provider 'openai' needs a key, but WRITER_KEY is empty"
        " (set WRITER_KEY, or name another variable in generate.api_key_env)\n"
    )


def test_an_interrupted_command_keeps_what_is_written(folder: Path) -> None:
    waiting, ended = threading.Event(), threading.Event()

    def slow(path: str, body: Any) -> tuple[int, Any]:
        if "working days" not in json.dumps(body):
            return completion(path, body)
        waiting.set()
        ended.wait(LONGEST_SECONDS)
        return 500, {}

    with serving(slow) as server:
        configure(folder, f"{server.url}/v1")
        process = subprocess.Popen(
            [sys.executable, "-m", "ci_judge", "generate"],
            cwd=folder,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "WRITER_KEY": KEY},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        try:
            assert process.stdout.readline().startswith("written  scenarios/generated/refunds")
            assert waiting.wait(LONGEST_SECONDS)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=LONGEST_SECONDS)
        finally:
            process.kill()
            ended.set()
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted"
    assert [each.name for each in (folder / "scenarios/generated").iterdir()] == ["refunds.yaml"]
