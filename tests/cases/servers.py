"""The collection's stub: it plays the endpoint, the judge, GitHub and another host for one case."""

import json
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cases.collection import CASES_DIR

READY_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """Addresses by name (ENDPOINT, JUDGE, GITHUB, OTHER), and what has been asked of them."""

    addresses: dict[str, str]
    log: Path

    def fill(self, value: Any) -> Any:
        """Put the addresses where a case says ``{ENDPOINT}`` and the like."""
        if isinstance(value, dict):
            return {key: self.fill(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.fill(each) for each in value]
        if not isinstance(value, str):
            return value
        for name, address in self.addresses.items():
            value = value.replace(f"{{{name}}}", address)
        return value

    def asked(self, who: str) -> list[dict[str, Any]]:
        """Give the requests to one of them, in the order of their arrival."""
        if not self.log.exists():
            return []
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [entry for entry in map(json.loads, lines) if entry["who"] == who]

    def bodies(self, who: str) -> list[Any]:
        return [json.loads(request["body"]) for request in self.asked(who)]


@contextmanager
def servers(folder: Path, *flags: str, log: Path) -> Iterator[Servers]:
    """Start the stub on the case in ``folder`` with flags of its own, and end it afterwards."""
    stub = CASES_DIR / "harness" / "stub.py"
    command = [sys.executable, "-S", "-E", str(stub), str(folder), "--log", str(log), *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Servers(addresses=_addresses(process), log=log)
        finally:
            process.kill()


def _addresses(process: "subprocess.Popen[str]") -> dict[str, str]:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], READY_SECONDS)
    assert ready, "the stub did not come up"
    addresses: dict[str, str] = json.loads(process.stdout.readline())
    return addresses
