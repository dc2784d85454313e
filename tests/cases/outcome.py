"""What the command left behind, and what must hold of it whatever the case was."""

import json
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.cases.collection import mechanical_checks
from tests.cases.translation import JUDGE_KEY


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The end of one command, and its report folder."""

    exit_code: int
    out: str
    err: str
    report_dir: Path

    @cached_property
    def report(self) -> dict[str, Any]:
        assert self.has_report, self.printed
        document: dict[str, Any] = json.loads(self.text("report.json"))
        return document

    @property
    def groups(self) -> list[dict[str, Any]]:
        groups: list[dict[str, Any]] = self.report["groups"]
        return groups

    @property
    def tests(self) -> list[dict[str, Any]]:
        return [test for group in self.groups for test in group["tests"]]

    @property
    def runs(self) -> list[dict[str, Any]]:
        return [run for test in self.tests for run in test["runs"]]

    @property
    def outcomes(self) -> list[str]:
        return [run["outcome"] for run in self.runs]

    @property
    def reasons(self) -> list[str]:
        return [run["reason"] for run in self.runs]

    @property
    def printed(self) -> str:
        return self.out + self.err

    @property
    def has_report(self) -> bool:
        return (self.report_dir / "report.json").exists()

    @property
    def testcases(self) -> list[ET.Element]:
        return list(ET.fromstring(self.text("junit.xml")).iter("testcase"))  # noqa: S314 - our own file

    def test(self, name: str) -> dict[str, Any]:
        (found,) = [test for test in self.tests if test["name"] == name]
        return found

    def text(self, name: str) -> str:
        """Read a report file, which must be strict UTF-8."""
        return (self.report_dir / name).read_bytes().decode("utf-8")

    def path(self, name: str) -> str:
        return str(self.report_dir / name)

    def error_lines(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.startswith("error:")]

    def check(self) -> None:
        """Hold what holds after every command: no traceback, no secret, every file well-formed."""
        assert self.exit_code in {0, 1, 2, 3, 5}, self.printed
        assert "Traceback (most recent call last)" not in self.printed
        assert "a bug in CI Judge" not in self.printed, self.printed
        assert JUDGE_KEY not in self.printed
        problems = self.mechanical_problems() if self.has_report else []
        assert not problems, problems

    def mechanical_problems(self) -> list[str]:
        """Run the collection's checks over every file of the report."""
        checks = mechanical_checks()
        return [
            *checks.strict_json(self.path("report.json")),
            *checks.jsonl(self.path("attempts.jsonl")),
            *checks.xml10(self.path("junit.xml")),
            *checks.table(self.path("summary.md")),
            *checks.mentions(self.path("summary.md")),
            *checks.fences(self.path("summary.md")),
            *self._html_problems(checks),
            *[f"{path.name} holds the key" for path in self.report_dir.iterdir() if _has_key(path)],
        ]

    def _html_problems(self, checks: ModuleType) -> list[str]:
        """Our one link is an empty icon, so that a browser asks for none."""
        ours = self.text("report.html").count('<link rel="icon" href="data:,">')
        found: list[str] = checks.html_sets(self.path("report.html"))
        links = [problem for problem in found if problem.endswith(": link")]
        return [problem for problem in found if problem not in links] + links[ours:]


def _has_key(path: Path) -> bool:
    return path.is_file() and JUDGE_KEY.encode() in path.read_bytes()
