"""The whole story of money and models: what a run cost, who was asked, and who answered."""

import asyncio
import itertools
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ci_judge.app import FrontDoor, RunOptions, execute
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import InvalidInput
from ci_judge.renderers.report_schema import validate_report
from ci_judge.workflows.surroundings import Surroundings
from tests.loopback import Served, serving

NOTHING_HANGS_SECONDS = 60.0
PRICE = {"input": 2, "output": 10}
JUDGED = 100 * 2e-6 + 10 * 10e-6
USAGE = {"output_path": "tokens", "output_price": 4, "per_request": 0.01}
ANSWERED = 0.01 + 500 * 4e-6


@dataclass(slots=True)
class Shop:
    """A suite of one scenario with a bot and a judge that tell of their tokens."""

    folder: Path
    served: Served = field(default_factory=lambda: Served(url=""))
    models: Iterator[str] = field(default_factory=lambda: itertools.repeat("m-1-2026"))
    usage: dict[str, Any] = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10}
    )

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        del body
        if path == "/chat":
            return 200, {"reply": "You have 14 days.", "tokens": 500}
        message = {"role": "assistant", "content": '{"pass": true, "reason": "so"}'}
        return 200, {
            "model": next(self.models),
            "choices": [{"message": message, "finish_reason": "stop"}],
            "usage": self.usage,
        }

    def write(self, *checks: dict[str, Any], **sections: dict[str, Any]) -> None:
        config: dict[str, dict[str, Any]] = {
            "suite": {"criteria": "acceptance.md", "paths": ["scenarios.yaml"]},
            "target": {"url": f"{self.served.url}/chat", "response_path": "reply", "retries": 0},
            "run": {"runs": 2, "threshold": "0.1", "gate": "rate", "seed": 7, "cache": "off"},
            "judge": {
                "provider": "openai",
                "model": "m-1",
                "base_url": f"{self.served.url}/v1",
                "preflight": False,
                "retries": 0,
            },
            "report": {"dir": "out"},
        }
        for name, changes in sections.items():
            config[name] = config[name] | changes
        scenario = {"name": "asks", "message": "How long?", "expected": "Says it."}
        scenarios = [scenario | {"checks": list(checks)}]
        self._put("ci-judge.yaml", config)
        self._put("scenarios.yaml", {"criterion": "refunds", "scenarios": scenarios})
        (self.folder / "acceptance.md").write_text("## Refunds\n\nWithin 14 days.\n")

    def _put(self, name: str, value: Any) -> None:
        (self.folder / name).write_text(json.dumps(value), encoding="utf-8")

    def run(self) -> dict[str, Any]:
        async def go() -> None:
            async with asyncio.timeout(NOTHING_HANGS_SECONDS):
                await execute(
                    RunOptions(),
                    Surroundings(
                        cwd=self.folder,
                        environment={"PATH": os.defpath},
                        wall_clock=lambda: 1_750_000_000.0,
                    ),
                    front=FrontDoor(),
                    stop_sign=StopSign(),
                )

        asyncio.run(go())
        report: dict[str, Any] = json.loads(self.read("report.json"))
        assert not validate_report(report)
        return report

    def read(self, name: str) -> str:
        return (self.folder / "out" / name).read_text(encoding="utf-8")


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(folder=tmp_path)
    with serving(made.answer) as made.served:
        yield made


def parts_of(report: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    (test,) = report["groups"][0]["tests"]
    run = test["runs"][0]
    return test, run, run["trials"][0]


def test_every_level_says_what_it_cost(shop: Shop) -> None:
    shop.write(judge={"price": PRICE}, target={"usage": USAGE})
    report = shop.run()
    test, run, trial = parts_of(report)
    assert trial["cost_usd"] == pytest.approx(JUDGED)
    assert run["target_cost_usd"] == pytest.approx(ANSWERED)
    assert run["cost_usd"] == pytest.approx(JUDGED + ANSWERED)
    assert test["cost_usd"] == pytest.approx(2 * (JUDGED + ANSWERED))
    summary = report["summary"]
    assert summary["cost_usd"] == summary["known_cost_usd"] == test["cost_usd"]
    assert summary["target_cost_usd"] == pytest.approx(2 * ANSWERED)
    assert report["judge"]["price"] == {"input": 2.0, "output": 10.0, "source": "judge.price"}
    for name in ("summary.md", "report.html"):
        assert "0.0246 USD (target 0.0240 USD)" in shop.read(name)
    assert 'name="cost_usd" value="0.0246"' in shop.read("junit.xml")


def test_without_a_price_the_cost_is_unknown_and_never_nothing(shop: Shop) -> None:
    shop.write()
    report = shop.run()
    test, run, trial = parts_of(report)
    assert [each["cost_usd"] for each in (trial, run, test, report["summary"])] == [None] * 4
    assert report["judge"]["price"] is None
    assert "cost unknown (judge)" in shop.read("summary.md")
    assert "unknown (judge)" in shop.read("report.html")
    assert 'name="cost_usd" value="unknown"' in shop.read("junit.xml")


def test_what_is_known_is_said_where_a_part_is_unknown(shop: Shop) -> None:
    shop.usage = {}
    shop.write(judge={"price": PRICE}, target={"usage": USAGE})
    summary = shop.run()["summary"]
    assert summary["cost_usd"] is None
    assert summary["known_cost_usd"] == pytest.approx(2 * ANSWERED)
    assert "at least 0.0240 USD, the rest is unknown" in shop.read("summary.md")


def test_the_stub_costs_nothing_and_a_warm_cache_costs_nothing_again(shop: Shop) -> None:
    shop.write(judge={"price": PRICE}, run={"cache": "verdicts", "runs": 1})
    assert shop.run()["summary"]["cost_usd"] == pytest.approx(JUDGED)
    again = shop.run()["summary"]
    assert (again["judge_cached"], again["cost_usd"]) == (1, 0.0)
    shop.write({"contains": "14 days"}, judge={"provider": "stub", "model": None, "base_url": None})
    assert shop.run()["summary"]["cost_usd"] == 0.0


def test_an_answer_that_costs_too_much_fails_without_a_judge(shop: Shop) -> None:
    shop.write({"max_cost": 0.011}, target={"usage": USAGE})
    test, run = without_a_judge(shop.run())
    assert (test["fails"], run["outcome"], run["certain"]) == (2, "fail", True)
    assert run["reason"] == "wanted answers for at most 0.011 USD; found: 0.012 USD"


def without_a_judge(report: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    (test,) = report["groups"][0]["tests"]
    assert test["runs"][0]["trials"] == []
    return test, test["runs"][0]


def test_a_limit_without_prices_is_refused_before_anything_is_sent(shop: Shop) -> None:
    shop.write({"max_cost": 0.011})
    with pytest.raises(InvalidInput, match="max_cost, but target says no prices"):
        shop.run()
    assert shop.served.requests == []


def test_a_model_that_changes_within_a_run_is_said_in_every_report(shop: Shop) -> None:
    shop.models = itertools.cycle(["m-1-2025", "m-1-2026"])
    shop.write()
    report = shop.run()
    warning = "m-1 was asked, and m-1-2025 and m-1-2026 answered"
    assert any(warning in each for each in report["warnings"])
    for name in ("report.json", "report.html", "summary.md"):
        assert warning in shop.read(name)
    assert 'name="judge_changed" value="m-1-2025, m-1-2026"' in shop.read("junit.xml")
    trials = [run["trials"][0] for run in parts_of(report)[0]["runs"]]
    assert {trial["model"] for trial in trials} == {"m-1-2025", "m-1-2026"}
    assert {trial["model_asked"] for trial in trials} == {"m-1"}
    assert {trial["prompt_version"] for trial in trials} == {report["judge"]["prompt_version"]}


def test_a_model_that_stays_is_no_news(shop: Shop) -> None:
    shop.write()
    assert shop.run()["warnings"] == []


def test_two_programs_are_a_target_and_a_judge(shop: Shop) -> None:
    bot = "import json, sys; q = json.load(sys.stdin); print(q['message'], 'run', q['run'])"
    judge = (
        "import json, sys; q = json.load(sys.stdin);"
        "print(json.dumps({'pass': q['response'] == 'How long? run 1', 'reason': 'as told'}))"
    )
    shop.write(
        target={"url": None, "response_path": None, "retries": 2}
        | {"command": [sys.executable, "-c", bot]},
        judge={"provider": "command", "command": [sys.executable, "-c", judge]}
        | {"base_url": None},
    )
    report = shop.run()
    (test,) = report["groups"][0]["tests"]
    assert [run["outcome"] for run in test["runs"]] == ["pass", "fail"]
    assert test["runs"][1]["reason"] == "as told"
    assert shop.served.requests == []
    assert report["summary"]["cost_usd"] is None
