"""The whole story with a cache: real files, a bot and a judge on the loopback, real reports."""

import asyncio
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ci_judge.app import FrontDoor, RunOptions, execute
from ci_judge.cache import Cache
from ci_judge.engine.stopping import StopSign
from ci_judge.engine.verdict_log import VerdictLog
from ci_judge.renderers.report_schema import validate_report
from ci_judge.workflows.memory import Memory
from ci_judge.workflows.surroundings import Surroundings
from tests.loopback import Asked, Served, serving

SECRET = "held-by-the-bot-1"
PASS = {"pass": True, "reason": "Says so."}
NOTHING_HANGS_SECONDS = 60.0
REPORTS = ("report.json", "junit.xml", "report.html", "summary.md")


@dataclass(slots=True, kw_only=True)
class Shop:
    """A suite whose bot and judge answer what a test puts here; ``served`` counts requests."""

    folder: Path
    served: Served = field(default_factory=lambda: Served(url=""))
    words: Any = field(default_factory=lambda: json.dumps(PASS))
    reply: str = "You have 14 days."

    def chat(self) -> list[Asked]:
        return self.served.to("/chat")

    def judged(self) -> list[Asked]:
        return self.served.to("/v1/chat/completions")

    def write(
        self, *expected: str, text: str = "Within 14 days.", **sections: dict[str, Any]
    ) -> None:
        config: dict[str, dict[str, Any]] = {
            "suite": {"criteria": "acceptance.md", "paths": ["scenarios.yaml"]},
            "target": {
                "url": f"{self.served.url}/chat",
                "response_path": "reply",
                "headers": {"Authorization": "Bearer ${BOT_TOKEN}"},
                "retries": 0,
            },
            "run": {"runs": 3, "threshold": "0.1", "gate": "rate", "seed": 7},
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
        scenarios = [{"name": each, "message": "How long?", "expected": each} for each in expected]
        self._put("ci-judge.yaml", config)
        self._put("scenarios.yaml", {"criterion": "refunds", "scenarios": scenarios})
        (self.folder / "acceptance.md").write_text(f"## Refunds\n\n{text}\n")

    def _put(self, name: str, value: Any) -> None:
        (self.folder / name).write_text(json.dumps(value), encoding="utf-8")

    def run(self, **overrides: str) -> dict[str, Any]:
        """Run the suite; the requests of earlier runs are forgotten before."""
        self.served.requests.clear()

        async def go() -> dict[str, Any]:
            async with asyncio.timeout(NOTHING_HANGS_SECONDS):
                finished = await execute(
                    RunOptions(overrides={f"run.{key}": text for key, text in overrides.items()}),
                    Surroundings(
                        cwd=self.folder,
                        environment={"PATH": os.defpath, "BOT_TOKEN": SECRET},
                        wall_clock=lambda: 1_750_000_000.0,
                    ),
                    front=FrontDoor(),
                    stop_sign=StopSign(),
                )
                assert finished.document["exit_code"] in {0, 1, 3}
            report: dict[str, Any] = json.loads((self.folder / "out/report.json").read_text())
            assert not validate_report(report)
            return report

        return asyncio.run(go())

    def verdicts(self) -> list[dict[str, Any]]:
        text = (self.folder / ".ci-judge/verdicts.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        del body
        if path == "/chat":
            return (500, {"error": "down"}) if not self.reply else (200, {"reply": self.reply})
        message = {"role": "assistant", "content": self.words}
        return 200, {
            "model": "m-1-2026",
            "choices": [{"message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        }


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(folder=tmp_path)
    with serving(made.answer) as made.served:
        yield made


def runs_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [run for group in report["groups"] for test in group["tests"] for run in test["runs"]]


def results_of(report: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Give what a run came to, without what it cost and how long it took."""
    return [
        (run["test"], run["number"], run["outcome"], run["reason"], run["response"], run["votes"])
        for run in runs_of(report)
    ]


def test_identical_judgements_are_one_request_and_a_warm_cache_makes_none(shop: Shop) -> None:
    shop.write("Says it.", "Says the window.")
    cold = shop.run()
    assert (len(shop.chat()), len(shop.judged())) == (6, 2)
    assert (cold["summary"]["judge_requests"], cold["summary"]["judge_cached"]) == (2, 4)
    warm = shop.run()
    assert (len(shop.chat()), len(shop.judged())) == (6, 0)
    assert (warm["summary"]["judge_requests"], warm["summary"]["judge_cached"]) == (0, 6)
    assert (warm["summary"]["input_tokens"], warm["judge"]["models_answered"]) == (0, ["m-1-2026"])
    assert results_of(warm) == results_of(cold)
    assert all(trial["cached"] for run in runs_of(warm) for trial in run["trials"])
    assert not any("replayed" in warning for warning in warm["warnings"])
    for name in ("report.html", "summary.md"):
        assert "6 judgements" in (shop.folder / "out" / name).read_text(encoding="utf-8")


def test_without_the_cache_everything_is_asked_and_nothing_is_kept(shop: Shop) -> None:
    shop.write("Says it.")
    shop.run(cache="off")
    assert len(shop.judged()) == 3
    shop.run()
    shop.run(cache="off")
    assert len(shop.judged()) == 3
    assert len(shop.verdicts()) == 9


def test_no_cache_leaves_the_log_alone_in_its_folder(shop: Shop) -> None:
    shop.write("Says it.")
    shop.run(cache="off")
    names = sorted(path.name for path in (shop.folder / ".ci-judge").iterdir())
    assert names == [".gitignore", "verdicts.jsonl"]


@pytest.mark.parametrize(
    "change",
    [
        {"text": "Within 15 days."},
        {"judge": {"model": "m-2"}},
        {"judge": {"temperature": 0}},
        {"judge": {"max_tokens": 99}},
        {"judge": {"instructions": "Be kind."}},
    ],
)
def test_what_a_verdict_depends_on_is_judged_again(shop: Shop, change: dict[str, Any]) -> None:
    shop.write("Says it.")
    shop.run()
    base = {"provider": "openai", "model": "m-1", "base_url": f"{shop.served.url}/v1"}
    changed = {key: base | value if key == "judge" else value for key, value in change.items()}
    shop.write("Says it.", **changed)
    shop.run()
    assert len(shop.judged()) == 1
    shop.write("Says it again.", **changed)
    shop.run()
    assert len(shop.judged()) == 1


def test_errors_of_target_and_judge_are_asked_about_again(shop: Shop) -> None:
    shop.write("Says it.")
    shop.reply = ""
    assert shop.run(cache="all")["summary"]["runs_errors"] == 3
    shop.reply, shop.words = "You have 14 days.", "I would rather not say."
    unread = shop.run(cache="all")
    assert (len(shop.chat()), len(shop.judged())) == (3, 3)
    assert unread["summary"]["runs_errors"] == 3
    shop.words = json.dumps(PASS)
    good = shop.run(cache="all")
    assert (len(shop.chat()), len(shop.judged())) == (0, 1)
    assert good["summary"]["runs_passed"] == 3
    errors = [line for line in shop.verdicts() if line["error"]]
    assert len(errors) == 3
    for line in errors:
        assert (line["verdict"], line["raw"]) == (None, "I would rather not say.")


def test_half_an_entry_is_asked_for_again(shop: Shop) -> None:
    shop.write("Says it.")
    shop.run()
    with closing(sqlite3.connect(shop.folder / ".ci-judge/cache.sqlite3")) as db, db:
        db.execute("UPDATE entries SET value = substr(value, 1, length(value) / 2)")
    report = shop.run()
    assert (len(shop.judged()), report["summary"]["runs_passed"]) == (1, 3)


def test_a_damaged_cache_is_told_in_the_report_and_stops_nobody(shop: Shop) -> None:
    shop.write("Says it.")
    shop.run()
    path = shop.folder / ".ci-judge/cache.sqlite3"
    path.write_bytes(path.read_bytes()[:2000])
    report = shop.run()
    assert report["summary"]["runs_passed"] == 3
    assert any("set aside" in warning for warning in report["warnings"])
    assert not any("set aside" in warning for warning in shop.run()["warnings"])
    assert shop.judged() == []


def test_a_cache_folder_that_cannot_be_is_told_and_stops_nobody(shop: Shop) -> None:
    shop.write("Says it.", run={"cache_dir": "taken", "runs": 3, "threshold": "0.1"})
    (shop.folder / "taken").write_text("a file")
    report = shop.run()
    assert report["summary"]["runs_made"] == 3
    assert sum("goes on without it" in warning for warning in report["warnings"]) == 1
    assert sum("lacks verdicts" in warning for warning in report["warnings"]) == 1


def test_everything_is_on_the_disk_before_the_report_says_how_it_went(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    log = VerdictLog(tmp_path / "verdicts.jsonl", clean=lambda entry: entry)
    with closing(Cache(path, storable=lambda _: True)) as cache:
        cache.keep(b"k" * 32, {"pass": True})
        memory = Memory(cache=cache, responses=False, log=log)
        assert list(memory.warnings(replayed=0)) == []
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("SELECT count(*) FROM entries").fetchone() == (1,)


def test_replays_give_the_same_report_and_say_so_in_every_one(shop: Shop) -> None:
    shop.write("Says it.")
    live = shop.run(cache="all")
    assert not any("replayed" in warning for warning in live["warnings"])
    shop.reply = "Now it answers something else."
    replay = shop.run(cache="all")
    assert shop.served.requests == []
    assert results_of(replay) == results_of(live)
    assert (replay["summary"]["target_requests"], replay["summary"]["runs_replayed"]) == (0, 3)
    assert [run["replayed"] for run in runs_of(replay)] == [True] * 3
    assert [run["latency_seconds"] for run in runs_of(replay)] == [
        run["latency_seconds"] for run in runs_of(live)
    ]
    for name in REPORTS:
        text = (shop.folder / "out" / name).read_text(encoding="utf-8")
        assert "replayed" in text, name
    more = shop.run(cache="all", runs="4")
    assert len(shop.chat()) == 1
    assert more["summary"]["runs_replayed"] == 3


def test_another_header_asks_the_target_again(shop: Shop) -> None:
    shop.write("Says it.")
    shop.run(cache="all")
    target = {
        "url": f"{shop.served.url}/chat",
        "response_path": "reply",
        "headers": {"Authorization": "Bearer ${BOT_TOKEN}!"},
    }
    shop.write("Says it.", target=target)
    shop.run(cache="all")
    assert (len(shop.chat()), len(shop.judged())) == (3, 0)


def test_no_secret_is_kept_anywhere(shop: Shop) -> None:
    shop.write("Says it.")
    shop.reply = f"My token is {SECRET}, you have 14 days."
    shop.words = json.dumps({"pass": True, "reason": f"Says {SECRET} and more."})
    shop.run(cache="all")
    report = shop.run(cache="all")
    assert len(shop.chat()) == 3
    assert report["summary"]["judge_requests"] >= 1
    for path in shop.folder.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path.name


def test_the_log_says_who_judged_what(shop: Shop) -> None:
    shop.write("Says it.")
    shop.run(seed="7")
    first, *others = sorted(shop.verdicts(), key=lambda line: bool(line["cached"]))
    assert first["time"].startswith("2025-06-15T15:06:4")
    assert first == {
        "time": first["time"],
        "test": "refunds/says-it",
        "run": first["run"],
        "trial": 1,
        "judge_index": 1,
        "provider": "openai",
        "model": "m-1",
        "model_answered": "m-1-2026",
        "prompt_version": first["prompt_version"],
        "temperature": "not sent",
        "verdict": True,
        "rulings": [
            {"item": 1, "passed": True, "reason": "Says so.", "probability": None, "draw": None}
        ],
        "error": None,
        "cached": False,
        "input_tokens": 100,
        "output_tokens": 10,
        "requests": 1,
        "request_id": None,
        "response_sha256": hashlib.sha256(shop.reply.encode()).hexdigest(),
        "raw": json.dumps(PASS),
    }
    assert [line["cached"] for line in others] == [True, True]
