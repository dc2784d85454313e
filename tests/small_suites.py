"""Small suites with a target that is the same every time, run in this process, read back as JSON.

    with a_small_suite(folder) as suite:
        suite.write(a_row("asks", "right"), a_row("haggles", "3 of 4"))
        report = suite.run("whole")          # the report in folder/whole, as JSON
        suite.run("one", shard="1/2")        # overrides of the section run

An answer is right for the message "right", wrong for "wrong", no answer at all for "broken", and
right K times in every N for "K of N".
"""

import asyncio
import json
import os
import re
import shutil
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ci_judge.app import FrontDoor, RunOptions, execute
from ci_judge.engine.stopping import StopSign
from ci_judge.workflows.earlier_attempts import earlier_report
from ci_judge.workflows.planning import Selection
from ci_judge.workflows.surroundings import Surroundings
from tests.loopback import Served, serving

CRITERIA = (
    "## Refunds\n\nWithin 14 days.\n\n## Delivery\n\nIn 3 days.\n\n## Opening hours\n\nNine.\n"
)
NOTHING_HANGS_SECONDS = 60.0
RIGHT = "You have 14 days."
_SHARE = re.compile(r"([0-9]+) of ([0-9]+)")
_VARIES = frozenset(
    {"started", "finished", "duration_seconds", "latency_seconds", "latency", "trace_id"}
)


def a_row(name: str, message: str | None, **changes: Any) -> dict[str, Any]:
    """Give a scenario; it belongs to the first criterion unless ``criterion`` says otherwise."""
    row = {"name": name, "message": message, "expected": 'Says "14 days".'}
    whole = {"criterion": "refunds"} | row | changes
    return {key: value for key, value in whole.items() if value is not None}


def without_times(value: Any) -> Any:
    """Give a JSON value without what no two runs have in common."""
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in _VARIES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def by_id(report: Mapping[str, Any]) -> dict[str, Any]:
    return {test["id"]: test for group in report["groups"] for test in group["tests"]}


class SteadyBot:
    """Answers by the words of the message, counted for each message by itself."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self.padding = ""
        self.bell = threading.Event()
        """Set when somebody has asked."""

    def forget(self) -> None:
        self._asked.clear()

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        del path
        self.bell.set()
        message = body["message"]
        self._asked[message] += 1
        if "broken" in message:
            return 500, {"error": "out of order"}
        share = _SHARE.search(message)
        right = "wrong" not in message
        if share:
            right = (self._asked[message] - 1) % int(share[2]) < int(share[1])
        return 200, {"reply": f"{RIGHT if right else 'You have some time.'}{self.padding}"}


@dataclass(slots=True, kw_only=True)
class SmallSuite:
    folder: Path
    served: Served = field(repr=False)
    bot: SteadyBot
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": os.defpath})
    names: str | None = None

    def write(self, *rows: Mapping[str, Any], cases: str = "", **sections: Any) -> None:
        """Write the suite; ``sections`` are laid over those of a configuration that works."""
        config: dict[str, Any] = {
            "suite": {"criteria": "acceptance.md", "paths": ["suite"]},
            "target": {"url": f"{self.served.url}/chat", "response_path": "reply", "retries": 0},
            "run": {"runs": 4, "threshold": "0.4", "seed": 7, "concurrency": 1, "cache": "off"},
            "judge": {"provider": "stub"},
        }
        for name, changes in sections.items():
            config[name] = config.get(name, {}) | changes
        suite = self.folder / "suite"
        shutil.rmtree(suite, ignore_errors=True)
        suite.mkdir()
        (self.folder / "ci-judge.yaml").write_text(json.dumps(config), "utf-8")
        (self.folder / "acceptance.md").write_text(CRITERIA, "utf-8")
        for criterion in dict.fromkeys(row["criterion"] for row in rows):
            named = [
                {key: value for key, value in row.items() if key != "criterion"}
                for row in rows
                if row["criterion"] == criterion
            ]
            text = json.dumps({"criterion": criterion, "scenarios": named})
            (suite / f"{criterion}.yaml").write_text(text, "utf-8")
        if cases:
            (suite / "case_shop.py").write_text(cases, "utf-8")

    def run(
        self,
        report_dir: str,
        stop_sign: StopSign | None = None,
        *,
        goes_on_from: Path | None = None,
        **run: Any,
    ) -> Any:
        """Run it; ``run`` overrides that section. The report is read from ``report_dir``.

        ``goes_on_from`` is the report of an earlier attempt.
        """
        self.bot.forget()
        overrides = {f"run.{key}": value for key, value in run.items()}
        options = RunOptions(
            overrides=overrides | {"report.dir": report_dir},
            selection=Selection(names=self.names),
            look_for_earlier=None
            if goes_on_from is None
            else earlier_report(goes_on_from, commit=None, attempt=None),
        )
        asyncio.run(self._execute(options, stop_sign or StopSign()))
        return json.loads(self.report(report_dir).read_text("utf-8"))

    def report(self, report_dir: str) -> Path:
        return self.folder / report_dir / "report.json"

    async def _execute(self, options: RunOptions, stop_sign: StopSign) -> None:
        async with asyncio.timeout(NOTHING_HANGS_SECONDS):
            await execute(
                options,
                Surroundings(
                    cwd=self.folder,
                    environment=self.environment,
                    fresh_uuid=lambda: "00000000-0000-4000-8000-000000000000",
                ),
                front=FrontDoor(),
                stop_sign=stop_sign,
            )


@contextmanager
def a_small_suite(folder: Path) -> Iterator[SmallSuite]:
    bot = SteadyBot()
    folder.mkdir(parents=True, exist_ok=True)
    with serving(bot.answer) as served:
        yield SmallSuite(folder=folder, served=served, bot=bot)
