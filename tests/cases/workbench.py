"""A copy of one case's folder, in which the real command is run against the stub."""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from tests.cases.collection import folder_of, suite_of
from tests.cases.outcome import Outcome
from tests.cases.servers import Servers, servers
from tests.cases.translation import JUDGE_KEY, configuration, merged
from tests.e2e.commands import ci_judge, python

_MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=file)
sys.exit(code)
"""


class Workbench:
    """One case, which a test may change before it is played."""

    def __init__(self, case_id: str, folder: Path) -> None:
        self.root = Path(tempfile.mkdtemp(prefix=f"{case_id}-", dir=folder)) / case_id
        self.suite = suite_of(case_id)
        self._logs = 0
        self._commands = 0
        shutil.copytree(folder_of(case_id), self.root)

    def change(self, **suite: Any) -> None:
        """Change the description of the case, and with it what the stub plays."""
        self.suite = merged(self.suite, suite)
        case = json.loads((self.root / "case.json").read_text(encoding="utf-8"))
        self.write("case.json", json.dumps(case | {"suite": self.suite}))

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def load(self, name: str) -> Any:
        return json.loads(self.read(name))

    def make(self, script: str) -> None:
        """Run a script of the case that writes files too large or too odd to keep."""
        made = python(script, cwd=self.root)
        assert made.exit_code == 0, made.err

    @contextmanager
    def servers(self, *flags: str) -> Iterator[Servers]:
        self._logs += 1
        with servers(self.root, *flags, log=self.root / f"requests-{self._logs}.jsonl") as running:
            yield running

    def configure(self, running: Servers, changes: Mapping[str, Any] | None = None) -> Path:
        """Write the configuration: JSON, which is YAML as well."""
        config = merged(configuration(self.suite, running), running.fill(dict(changes or {})))
        return self.write("ci-judge.yaml", json.dumps(config))

    def run(
        self,
        running: Servers,
        *arguments: str,
        changes: Mapping[str, Any] | None = None,
        **environment: str,
    ) -> Outcome:
        """Configure, run the command, and check what holds of every run."""
        config = self.configure(running, changes)
        outcome = self.command("run", "--config", str(config), *arguments, **environment)
        outcome.check()
        return outcome

    def play(self, *flags: str, changes: Mapping[str, Any] | None = None) -> Outcome:
        """Run once against servers of their own, where nobody asks what they were asked."""
        with self.servers(*flags) as running:
            return self.run(running, changes=changes)

    def command(self, *arguments: str, **environment: str) -> Outcome:
        """Run the command as it is, with the case's environment and the judge's key."""
        result = ci_judge(*arguments, cwd=self.root, **self._environment(environment))
        return self.ended(exit_code=result.exit_code, out=result.out, err=result.err)

    def measured(self, *arguments: str) -> tuple[Outcome, float]:
        """Run the command, and tell the most memory that it held, in MiB."""
        peak = self.root / "peak-kib"
        command = ("-c", _MEASURE, str(peak), sys.executable, "-m", "ci_judge", *arguments)
        result = python(*command, cwd=self.root, **self._environment({}))
        outcome = self.ended(exit_code=result.exit_code, out=result.out, err=result.err)
        return outcome, int(peak.read_text()) / 1024

    def _environment(self, changes: Mapping[str, str]) -> dict[str, str]:
        return {"STUB_KEY": JUDGE_KEY, **self.suite.get("env", {}), **changes}

    def ended(self, *, exit_code: int, out: str, err: str) -> Outcome:
        """Take over what a command left behind."""
        self._commands += 1
        report_dir = self._put_away(self.root / "ci-judge-report")
        return Outcome(exit_code=exit_code, out=out, err=err, report_dir=report_dir)

    def _put_away(self, report_dir: Path) -> Path:
        """Move a report to where the next command does not overwrite it."""
        kept = self.root.parent / f"report-{self._commands}"
        if report_dir.exists():
            report_dir.rename(kept)
        return kept


Open: TypeAlias = Callable[[str], Workbench]
"""Opens a case by its id (the fixture ``bench``)."""
