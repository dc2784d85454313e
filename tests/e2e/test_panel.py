"""A panel of a stub and two models, as a command over the loopback."""

import json
from pathlib import Path
from typing import Any

import pytest

from ci_judge.renderers.report_schema import validate_report
from tests.e2e.commands import ci_judge
from tests.loopback import Served, serving

CASES = """\
from ci_judge import case

@case('The reply says "14 days".', runs=4, threshold=0.1)
def test_settled():
    return {"actual": "You have 14 days."}

@case('The reply says "30 days".', runs=4, threshold=0.1)
def test_open():
    return {"actual": "You have 14 days."}
"""
CONFIG = """\
suite: {{paths: [.]}}
run: {{cache: off}}
judge:
  retries: 0
  preflight: false
  panel:
    - provider: stub
    - {{provider: openai, model: gpt-x, base_url: {url}, temperature: 0}}
    - {{provider: anthropic, model: claude-x, base_url: {url}}}
"""
KEYS = {"OPENAI_API_KEY": "sk-0123456789", "ANTHROPIC_API_KEY": "sk-ant-0123456789"}


def answer(path: str, body: Any) -> tuple[int, Any]:
    """Both models pass everything, but Anthropic's is down."""
    del body
    if path == "/v1/messages":
        return 401, {"error": {"type": "authentication_error", "message": "no such key"}}
    verdict = json.dumps({"pass": True, "reason": "It says so."})
    return 200, {
        "model": "gpt-x-2026",
        "choices": [{"finish_reason": "stop", "message": {"content": verdict}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    }


def a_project(folder: Path, served: Served) -> None:
    (folder / "case_reply.py").write_text(CASES)
    (folder / "ci-judge.yaml").write_text(CONFIG.format(url=served.url))


def test_the_member_that_is_down_decides_nothing_and_its_silence_is_no_verdict(
    tmp_path: Path,
) -> None:
    with serving(answer) as served:
        a_project(tmp_path, served)
        result = ci_judge("run", cwd=tmp_path, **KEYS)
    assert result.exit_code == 3, result.out + result.err
    report = json.loads((tmp_path / "ci-judge-report/report.json").read_text())
    assert not validate_report(report)
    tests = {test["name"]: test for test in report["groups"][0]["tests"]}
    assert tests["test_settled"]["result"] == "passed"
    assert (tests["test_open"]["result"], tests["test_open"]["errors"]) == ("error", 4)
    (vote,) = tests["test_settled"]["runs"][0]["votes"]
    assert [(each["judge"], each["passed"]) for each in vote["members"]] == [
        ("stub", True),
        ("openai gpt-x", True),
        ("anthropic claude-x", None),
    ]
    judge = report["judge"]
    assert (judge["provider"], judge["panel_rule"], judge["panel_needed"]) == (
        "panel",
        "majority",
        2,
    )
    assert [(each["passes"], each["fails"], each["errors"]) for each in judge["panel"]] == [
        (4, 4, 0),
        (8, 0, 0),
        (0, 0, 8),
    ]
    assert judge["models_answered"] == ["gpt-x-2026"]
    assert judge["agreement"]["votes"] == 0  # there was no vote in which all took part
    assert "votes: stub fail, openai gpt-x pass, anthropic claude-x error" in result.out
    assert "anthropic claude-x: 0 pass, 0 fail, 8 errors" in result.out
    assert len(served.to("/v1/chat/completions")) == 8


@pytest.mark.parametrize("missing", KEYS)
def test_the_key_of_any_member_is_missed_before_any_request(tmp_path: Path, missing: str) -> None:
    with serving(answer) as served:
        a_project(tmp_path, served)
        given = {name: key for name, key in KEYS.items() if name != missing}
        # a judge on this machine needs no key, one elsewhere does
        given["CI_JUDGE_JUDGE_PANEL"] = json.dumps(
            [
                {"provider": "openai", "model": "m", "base_url": served.url, "api_key": "sk-1"},
                {"provider": "openai", "model": "m", "base_url": "https://judge.invalid"},
                {"provider": "anthropic", "model": "m", "base_url": "https://judge.invalid"},
            ]
        )
        result = ci_judge("run", cwd=tmp_path, **given)
    assert result.exit_code == 2
    assert f"{missing} is empty" in result.out + result.err
    assert served.requests == []
