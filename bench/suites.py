"""Suites to measure with, written into a folder."""

from dataclasses import dataclass
from pathlib import Path

CASE = """\
from ci_judge import case

@case("The price is 80."{options})
def test_price():
    return {{"actual": 80, "expected": 80}}
"""
ANSWER = "You can send it back within 14 days and get the full price."


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Scenarios x runs against a server, so many in flight.

    ``expected`` is what a scenario expects: with a quotation in it the stub judge can say no.
    """

    scenarios: int = 100
    runs: int = 20
    in_flight: int = 64
    judge: str = "openai"
    expected: str = "Says how long."
    cache: str = "off"

    @property
    def attempts(self) -> int:
        return self.scenarios * self.runs


def write_case(folder: Path, *, runs: int = 1) -> None:
    options = f", runs={runs}, threshold=0.5" if runs > 1 else ""
    (folder / "case_price.py").write_text(CASE.format(options=options))
    (folder / "ci-judge.yaml").write_text(
        "suite: {paths: [case_price.py]}\njudge: {provider: stub}\n"
    )


def write_scenarios(folder: Path, port: int, load: Load) -> None:
    """Write a suite for bench/server.py."""
    judge = {
        "openai": f"provider: openai\n  model: bench-judge\n  base_url: http://127.0.0.1:{port}/v1\n"
        f"  concurrency: {load.in_flight}\n  retries: 0",
        "stub": "provider: stub",
    }[load.judge]
    (folder / "ci-judge.yaml").write_text(
        "suite: {paths: [scenarios.yaml], criteria: acceptance.md}\n"
        f'target: {{url: "http://127.0.0.1:{port}/chat", response_path: reply}}\n'
        f"run: {{runs: {load.runs}, concurrency: {load.in_flight}, cache: {load.cache!r}, "
        "allow_unreachable: true}\n"
        f"judge:\n  {judge}\n"
    )
    (folder / "acceptance.md").write_text("## Refunds\n\nWithin 14 days.\n")
    entries = [
        f'  - {{name: "Scenario {number}", message: "Question {number}?", '
        f"expected: '{load.expected}'}}\n"
        for number in range(load.scenarios)
    ]
    (folder / "scenarios.yaml").write_text("criterion: refunds\nscenarios:\n" + "".join(entries))


def write_peer(folder: Path, port: int, load: Load) -> None:
    """Write the same suite for juried."""
    judge = (
        'provider = "stub"\n'
        if load.judge == "stub"
        else 'provider = "openai"\nmodel = "bench-judge"\n'
        f'base_url = "http://127.0.0.1:{port}/v1"\nconcurrency = {load.in_flight}\n'
    )
    (folder / "juried.toml").write_text(
        f'[target]\nurl = "http://127.0.0.1:{port}/chat"\nresponse_path = "reply"\n'
        f"[run]\nruns = {load.runs}\nconcurrency = {load.in_flight}\n"
        'early_stop = false\ngate_on = "observed"\n'
        f"[judge]\n{judge}"
    )
    (folder / "acceptance.md").write_text("## Refunds\nWithin 14 days.\n")
    (folder / "scenarios").mkdir(exist_ok=True)
    entries = [
        f'  - name: "Scenario {number}"\n    kind: happy_path\n    message: "Question {number}?"\n'
        f"    expected: '{load.expected}'\n"
        for number in range(load.scenarios)
    ]
    (folder / "scenarios" / "all.yaml").write_text(
        "criterion: refunds\nscenarios:\n" + "".join(entries)
    )
