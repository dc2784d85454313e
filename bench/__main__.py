"""Measures what CI Judge costs, as ratios within one run; nothing here passes or fails.

    python -m bench [--json FILE]

CPU is user plus system seconds of the measured process, as the operating system counts them; each
figure is the median of its runs.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent
REPEATS = 5
IN_FLIGHT = 64
SCENARIOS, RUNS = 100, 20

CASE = """\
from ci_judge import case

@case("The price is 80.")
def test_price():
    return {"actual": 80, "expected": 80}
"""
CASE_CONFIG = "suite: {paths: [case_price.py]}\njudge: {provider: stub}\n"
HTTP_CONFIG = """\
suite: {{paths: [scenarios.yaml], criteria: acceptance.md}}
target: {{url: "http://127.0.0.1:{port}/chat", response_path: reply}}
run: {{runs: {runs}, concurrency: {in_flight}, cache: "off"}}
judge:
  provider: openai
  model: bench-judge
  base_url: http://127.0.0.1:{port}/v1
  concurrency: {in_flight}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Seconds and MiB of one process."""

    cpu: float
    wall: float
    peak_mib: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure and, where there is one, what it is compared with and their ratio."""

    figure: str
    cpu_seconds: float
    wall_seconds: float
    peak_mib: float
    against: str = ""
    ratio: float | None = None


def spent(command: Sequence[str], cwd: Path) -> Spent:
    """Run a command once and ask the operating system what it used."""
    begun = datetime.now(tz=UTC)
    with subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    wall = (datetime.now(tz=UTC) - begun).total_seconds()
    return Spent(cpu=usage.ru_utime + usage.ru_stime, wall=wall, peak_mib=usage.ru_maxrss / 1024)


def median(command: Sequence[str], cwd: Path, *, repeats: int = REPEATS) -> Spent:
    spent(command, cwd)  # the first run writes .pyc files and warms the disk
    measured = [spent(command, cwd) for _ in range(repeats)]
    return Spent(
        cpu=statistics.median(one.cpu for one in measured),
        wall=statistics.median(one.wall for one in measured),
        peak_mib=max(one.peak_mib for one in measured),
    )


@contextmanager
def server(latency: float = 0.0) -> Iterator[int]:
    """Serve on a free loopback port until the block ends."""
    command = [sys.executable, str(HERE / "server.py"), "--latency", str(latency)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdout is None or process.stdin is None:
            raise RuntimeError("the server has no pipes")
        yield int(process.stdout.readline())
        process.stdin.close()


def ci_judge(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "ci_judge", *arguments]


def version_row(folder: Path) -> Row:
    bare = median([sys.executable, "-c", "pass"], folder, repeats=11)
    ours = median(ci_judge("--version"), folder, repeats=11)
    return Row(
        figure="--version, above a bare interpreter",
        cpu_seconds=ours.cpu - bare.cpu,
        wall_seconds=ours.wall - bare.wall,
        peak_mib=ours.peak_mib,
        against="python -c pass",
        ratio=ours.cpu / bare.cpu,
    )


def stub_row(folder: Path) -> Row:
    (folder / "case_price.py").write_text(CASE)
    (folder / "ci-judge.yaml").write_text(CASE_CONFIG)
    libraries = "import httpx, pydantic, jinja2, yaml, markdown_it"
    bare = median([sys.executable, "-c", libraries], folder)
    ours = median(ci_judge("run"), folder)
    return Row(
        figure="one case, stub judge, from a cold start",
        cpu_seconds=ours.cpu,
        wall_seconds=ours.wall,
        peak_mib=ours.peak_mib,
        against=f'python -c "{libraries}"',
        ratio=ours.cpu / bare.cpu,
    )


def http_row(folder: Path, latency: float) -> Row:
    requests = SCENARIOS * RUNS * 2
    with server(latency) as port:
        write_http_suite(folder, port)
        loop = [sys.executable, str(HERE / "bare_loop.py"), *map(str, (port, requests, IN_FLIGHT))]
        bare = median(loop, folder, repeats=3)
        ours = median(ci_judge("run", "-q"), folder, repeats=3)
    return Row(
        figure=f"{SCENARIOS} scenarios x {RUNS} runs, HTTP target and judge, "
        f"{IN_FLIGHT} in flight, {latency * 1000:.0f} ms",
        cpu_seconds=ours.cpu,
        wall_seconds=ours.wall,
        peak_mib=ours.peak_mib,
        against=f"the same {requests} requests in a bare loop: "
        f"{bare.cpu:.2f} s CPU, {bare.wall:.2f} s wall",
        ratio=(ours.wall / bare.wall) if latency else (ours.cpu / bare.cpu),
    )


def warm_cache_row(folder: Path) -> Row:
    """Compare a run whose verdicts are all known with one that asks for every one of them."""
    with server() as port:
        write_http_suite(folder, port)
        asking = median(ci_judge("run", "-q"), folder, repeats=3)
        config = folder / "ci-judge.yaml"
        config.write_text(config.read_text().replace('cache: "off"', "cache: verdicts"))
        ours = median(ci_judge("run", "-q"), folder, repeats=3)
        report = json.loads((folder / "ci-judge-report" / "report.json").read_text())
    cached = report["summary"]["judge_cached"]
    if cached != SCENARIOS * RUNS:
        raise RuntimeError(f"{cached} of {SCENARIOS * RUNS} judgements came from the cache")
    return Row(
        figure=f"the same at 0 ms, {cached:,} judgements from a warm cache",
        cpu_seconds=ours.cpu,
        wall_seconds=ours.wall,
        peak_mib=ours.peak_mib,
        against=f"asking for each: {asking.cpu:.2f} s CPU, {asking.wall:.2f} s wall",
        ratio=ours.cpu / asking.cpu,
    )


def write_http_suite(folder: Path, port: int) -> None:
    config = HTTP_CONFIG.format(port=port, runs=RUNS, in_flight=IN_FLIGHT)
    (folder / "ci-judge.yaml").write_text(config)
    (folder / "acceptance.md").write_text("## Refunds\n\nWithin 14 days.\n")
    entries = [
        f'  - {{name: "Scenario {number}", message: "Question {number}?", '
        'expected: "Says how long."}\n'
        for number in range(SCENARIOS)
    ]
    (folder / "scenarios.yaml").write_text("criterion: refunds\nscenarios:\n" + "".join(entries))


def measure() -> Iterator[Row]:
    os.environ["OPENAI_API_KEY"] = "bench-key-bench-key"
    os.environ.pop("SSL_CERT_FILE", None)  # reading certificates is not what is measured
    for build in (
        version_row,
        stub_row,
        lambda folder: http_row(folder, 0.0),
        lambda folder: http_row(folder, 0.05),
        warm_cache_row,
    ):
        with tempfile.TemporaryDirectory() as name:
            yield build(Path(name))


def main() -> None:
    """Print a line a figure; write all of them as JSON when asked to."""
    parser = argparse.ArgumentParser(description="Measure CI Judge.")
    parser.add_argument("--json", type=Path)
    target = parser.parse_args().json
    rows = []
    for row in measure():
        rows.append(row)
        print(
            f"{row.figure}: {row.cpu_seconds:.3f} s CPU, {row.wall_seconds:.2f} s wall, "
            f"{row.peak_mib:.0f} MiB; {row.ratio:.2f}x {row.against}",
            flush=True,
        )
    if target:
        machine = (
            f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
        )
        document = {
            "date": datetime.now(tz=UTC).date().isoformat(),
            "machine": machine,
            "rows": [asdict(row) for row in rows],
        }
        target.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
