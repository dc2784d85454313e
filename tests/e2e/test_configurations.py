"""Two shapes of configuration that people bring along load and run as they are."""

import json
from pathlib import Path
from typing import Any

from tests.brought_along import CHAT_TOML, SYSTEMONE_YAML
from tests.e2e.commands import ci_judge
from tests.loopback import serving
from tests.systemone_server import mock

TOKEN = "t0ken-t0ken"
SCENARIOS = """\
criterion: refunds
scenarios:
  - name: Asks
    message: How long?
    expected: States the window of 14 days.
"""
CASE = """\
from ci_judge import case

@case("The price is 80.")
def test_price():
    return {"actual": 80}
"""


def report_of(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "ci-judge-report/report.json").read_text())
    return report


def test_a_chat_endpoint_judged_by_a_model(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.toml").write_text(CHAT_TOML)
    (tmp_path / "acceptance.md").write_text("## Refunds\n\nWithin 14 days.\n")
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios/refunds.yaml").write_text(SCENARIOS)

    def answer(path: str, body: Any) -> tuple[int, Any]:
        del body
        if path == "/api/chat":
            return 200, {"choices": [{"message": {"content": "You have 14 days."}}]}
        verdict = {"pass": True, "reason": "It states 14 days."}
        return 200, {
            "model": "claude-sonnet-5-20260101",
            "stop_reason": "end_turn",
            "content": [{"type": "text", "text": json.dumps(verdict)}],
            "usage": {"input_tokens": 300, "output_tokens": 20},
        }

    with serving(answer) as served:
        result = ci_judge(
            "run",
            cwd=tmp_path,
            STAGING_TOKEN=TOKEN,
            ANTHROPIC_API_KEY="sk-ant-0123456789",
            CI_JUDGE_TARGET_URL=f"{served.url}/api/chat",
            CI_JUDGE_JUDGE_BASE_URL=served.url,
        )
    assert result.exit_code == 0, result.out + result.err
    chats, judgements = served.to("/api/chat"), served.to("/v1/messages")
    # The answers are the same ten times over, so there is one judgement to make.
    assert (len(chats), len(judgements)) == (10, 1)
    assert chats[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert chats[0].body == {"message": "How long?", "history": []}
    assert judgements[0].headers["x-api-key"] == "sk-ant-0123456789"
    assert judgements[0].body["model"] == "claude-sonnet-5"
    report = report_of(tmp_path)
    assert report["judge"]["models_answered"] == ["claude-sonnet-5-20260101"]
    assert report["summary"]["judge_cached"] == 9
    assert (report["summary"]["input_tokens"], report["summary"]["output_tokens"]) == (300, 20)
    for path in (tmp_path / "ci-judge-report").iterdir():
        text = path.read_text()
        assert TOKEN not in text, path.name
        assert "sk-ant-0123456789" not in text, path.name


def test_cases_judged_by_a_probability_model(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.yaml").write_text(SYSTEMONE_YAML)
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples/case_price.py").write_text(CASE)
    with mock(key="laya-0123456789") as base_url:
        result = ci_judge(
            "run",
            cwd=tmp_path,
            CI_JUDGE_JUDGE_BASE_URL=base_url,
            LAYA_API_KEY="laya-0123456789",
        )
    assert result.exit_code in {0, 1}, result.out + result.err
    (test,) = report_of(tmp_path)["groups"][0]["tests"]
    (run,) = test["runs"]
    (trial,) = run["trials"]
    (ruling,) = trial["rulings"]
    assert ruling["draw"] is None
    assert ruling["passed"] == (ruling["probability"] >= 0.8)
    assert (test["result"] == "passed") == ruling["passed"]
