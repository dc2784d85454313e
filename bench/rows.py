"""The figures that are promised, a function each: what is run, and what is made of it."""

import json
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.installed import installed_mib
from bench.measuring import HERE, Spent, in_turns, median, server, spent
from bench.peer import VERSION, installed_peer, peer_command
from bench.suites import Load, write_case, write_peer, write_scenarios

PYTHON = sys.executable
MOST_CPU_RATIO, MOST_WALL_RATIO = 1.5, 1.25
MOST_START_SECONDS, MOST_VERSION_SECONDS, MOST_IMPORT_MS = 0.35, 0.06, 30
MOST_TRIAL_MS = 0.2
MOST_HTML_MIB, MOST_HTML_SECONDS, MOST_INSTALLED_MIB = 10, 3, 45
CLIENTS = 16
"""Plain httpx clients that share 64 connections: the cheapest way to use httpx."""
LIBRARIES = "import httpx, pydantic, jinja2, yaml, markdown_it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where and how thoroughly it is measured."""

    small: bool
    with_peer: bool
    environments: Path

    def load(self, **changes: object) -> Load:
        load = Load(**changes)  # type: ignore[arg-type]
        scale = 10 if self.small else 1
        return Load(
            scenarios=max(1, load.scenarios // scale),
            runs=load.runs,
            in_flight=load.in_flight,
            judge=load.judge,
            expected=load.expected,
            cache=load.cache,
        )

    def repeats(self, number: int) -> int:
        return 1 if self.small else number

    def peer(self) -> Path | None:
        return installed_peer(self.environments / "juried") if self.with_peer else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure. ``details`` say what it is compared with; ``numbers`` are for other programs."""

    figure: str
    goal: str
    measured: str
    reached: bool | None
    details: tuple[str, ...] = ()
    numbers: dict[str, float]


@contextmanager
def folders(*names: str) -> Iterator[dict[str, Path]]:
    with tempfile.TemporaryDirectory() as root:
        made = {name: Path(root) / name for name in names}
        for folder in made.values():
            folder.mkdir()
        yield made


def ci_judge(*arguments: str) -> list[str]:
    return [PYTHON, "-m", "ci_judge", *arguments]


def said(name: str, used: Spent) -> str:
    return f"{name}: {used.cpu:.2f} s CPU, {used.wall:.2f} s wall, {used.peak_mib:.0f} MiB"


def numbers(**used: Spent) -> dict[str, float]:
    return {
        f"{name}_{what}": round(value, 4)
        for name, one in used.items()
        for what, value in (
            ("cpu_seconds", one.cpu),
            ("wall_seconds", one.wall),
            ("peak_mib", one.peak_mib),
        )
    }


# --- 100 scenarios x 20 runs over HTTP ----------------------------------------------------


def measured_http(place: Place, load: Load, *, latency: float) -> dict[str, Spent]:
    """Measure the bare client, ours, and the peer where there is one, in turns."""
    peer = place.peer()
    with server(latency) as port, folders("bare", "ours", "peer") as cwds:
        write_scenarios(cwds["ours"], port, load)
        write_peer(cwds["peer"], port, load)
        per_run = 1 if load.judge == "stub" else 2
        wanted = (port, load.attempts * per_run, load.in_flight, CLIENTS)
        commands = {
            "bare": [PYTHON, str(HERE / "bare_client.py"), *map(str, wanted)],
            "ours": ci_judge("run", "-q"),
        }
        if peer is not None:
            commands["peer"] = peer_command(peer)
        return in_turns(commands, cwds, repeats=place.repeats(5))


def http_details(used: dict[str, Spent]) -> tuple[str, ...]:
    names = {"bare": f"{CLIENTS} plain httpx clients", "ours": "ours", "peer": f"juried {VERSION}"}
    return tuple(said(names[name], one) for name, one in used.items())


def http_cpu(place: Place) -> Iterator[Row]:
    load = place.load()
    used = measured_http(place, load, latency=0.0)
    ratio = used["ours"].cpu / used["bare"].cpu
    yield Row(
        figure=f"{load.attempts:,} runs, HTTP target and judge, 0 ms: CPU against bare client",
        goal=f"<= {MOST_CPU_RATIO}x",
        measured=f"{ratio:.2f}x",
        reached=ratio <= MOST_CPU_RATIO,
        details=http_details(used),
        numbers={"ratio": round(ratio, 3), **numbers(**used)},
    )


def http_wall(place: Place) -> Iterator[Row]:
    latency = 0.05
    load = place.load()
    used = measured_http(place, load, latency=latency)
    floor = latency * load.attempts * 2 / load.in_flight
    least = max(floor, used["bare"].wall)
    ratio = used["ours"].wall / least
    yield Row(
        figure=f"{load.attempts:,} runs, HTTP target and judge, 50 ms: wall against floor",
        goal=f"<= {MOST_WALL_RATIO}x",
        measured=f"{ratio:.2f}x",
        reached=ratio <= MOST_WALL_RATIO,
        details=(f"floor: {floor:.2f} s by latency alone", *http_details(used)),
        numbers={"ratio": round(ratio, 3), "floor_seconds": floor, **numbers(**used)},
    )


def clients(place: Place) -> Iterator[Row]:
    """Measure the ways to use httpx against each other (docs/decisions/0002, 0017)."""
    requests, in_flight = (400 if place.small else 4_000), 64
    names = ("one client", f"{CLIENTS} clients", "our transport")
    with server() as port, folders(*names) as cwds:
        bare = [PYTHON, str(HERE / "bare_client.py"), str(port), str(requests), str(in_flight)]
        ours = [PYTHON, str(HERE / "bare_loop.py"), str(port), str(requests), str(in_flight)]
        commands = dict(zip(names, ([*bare, "1"], [*bare, str(CLIENTS)], ours), strict=True))
        used = in_turns(commands, cwds, repeats=place.repeats(3))
    ratio = used["our transport"].cpu / used[f"{CLIENTS} clients"].cpu
    yield Row(
        figure=f"{requests:,} requests, {in_flight} in flight: our transport, {CLIENTS} clients",
        goal="no goal",
        measured=f"{ratio:.2f}x",
        reached=None,
        details=tuple(said(name, one) for name, one in used.items()),
        numbers={name: round(one.cpu, 3) for name, one in used.items()},
    )


# --- starting -----------------------------------------------------------------------------


def cold_start(place: Place) -> Iterator[Row]:
    peer = place.peer()
    with server() as port, folders("libraries", "ours", "peer") as cwds:
        write_case(cwds["ours"])
        write_peer(cwds["peer"], port, Load(scenarios=1, runs=1, judge="stub"))
        commands = {"libraries": [PYTHON, "-c", LIBRARIES], "ours": ci_judge("run")}
        if peer is not None:
            commands["peer"] = peer_command(peer)
        used = in_turns(commands, cwds, repeats=place.repeats(9))
    cpu = used["ours"].cpu
    yield Row(
        figure="one stub attempt from a cold start: CPU",
        goal=f"<= {MOST_START_SECONDS} s",
        measured=f"{cpu:.3f} s",
        reached=cpu <= MOST_START_SECONDS,
        details=tuple(said(name, one) for name, one in used.items()),
        numbers=numbers(**used),
    )


def version(place: Place) -> Iterator[Row]:
    with folders("bare", "ours") as cwds:
        commands = {"bare": [PYTHON, "-c", "pass"], "ours": ci_judge("--version")}
        used = in_turns(commands, cwds, repeats=place.repeats(11))
    above = used["ours"].cpu - used["bare"].cpu
    yield Row(
        figure="ci-judge --version: CPU above a bare interpreter",
        goal=f"<= {MOST_VERSION_SECONDS} s",
        measured=f"{above:.3f} s",
        reached=above <= MOST_VERSION_SECONDS,
        numbers=numbers(**used),
    )


def library_import(place: Place) -> Iterator[Row]:
    with folders("bare", "ours") as cwds:
        commands = {"bare": [PYTHON, "-c", "pass"], "ours": [PYTHON, "-c", "import ci_judge"]}
        used = in_turns(commands, cwds, repeats=place.repeats(11))
    above = (used["ours"].cpu - used["bare"].cpu) * 1000
    yield Row(
        figure="import ci_judge: CPU above a bare interpreter",
        goal=f"<= {MOST_IMPORT_MS} ms",
        measured=f"{above:.0f} ms",
        reached=above <= MOST_IMPORT_MS,
        numbers=numbers(**used),
    )


def offline(place: Place) -> Iterator[Row]:
    runs = 500 if place.small else 5_000
    with folders("one", "many") as cwds:
        write_case(cwds["one"])
        write_case(cwds["many"], runs=runs)
        commands = dict.fromkeys(cwds, ci_judge("run", "-q"))
        used = in_turns(commands, cwds, repeats=place.repeats(3))
    each = (used["many"].cpu - used["one"].cpu) / (runs - 1) * 1000
    yield Row(
        figure=f"@case with the stub judge, {runs:,} runs: CPU a run, net of start",
        goal=f"<= {MOST_TRIAL_MS} ms",
        measured=f"{each:.3f} ms",
        reached=each <= MOST_TRIAL_MS,
        numbers={"milliseconds": round(each, 4), **numbers(**used)},
    )


# --- memory, connections, caching ---------------------------------------------------------


def memory(place: Place) -> Iterator[Row]:
    for scenarios, runs, goal in ((100, 20, 80), (1_000, 100, 120)):
        load = place.load(scenarios=scenarios, runs=runs, judge="stub", expected='Says "14 days".')
        with server() as port, folders("ours") as cwds:
            write_scenarios(cwds["ours"], port, load)
            used = spent(ci_judge("run", "-q"), cwds["ours"])
        yield Row(
            figure=f"memory, {load.attempts:,} attempts",
            goal=f"<= {goal} MiB",
            measured=f"{used.peak_mib:.0f} MiB",
            reached=used.peak_mib <= goal,
            details=(said("ours", used),),
            numbers=numbers(ours=used),
        )


def connections(place: Place) -> Iterator[Row]:
    load = place.load(judge="stub", expected='Says "14 days".')
    counted = {}
    peer = place.peer()
    for name, command in (("ours", ci_judge("run", "-q")), ("peer", peer)):
        if command is None:
            continue
        with server() as port, folders(name) as cwds:
            write = write_scenarios if name == "ours" else write_peer
            write(cwds[name], port, load)
            spent(command if isinstance(command, list) else peer_command(command), cwds[name])
            counted[name] = stats(port)["connections"]
    yield Row(
        figure=f"connections for {load.attempts:,} requests at {load.in_flight} in flight",
        goal=f"about {load.in_flight}",
        measured=f"{counted['ours']}",
        reached=counted["ours"] <= load.in_flight * 1.1,
        details=tuple(f"{name}: {number}" for name, number in counted.items()),
        numbers={name: float(number) for name, number in counted.items()},
    )


def identical(place: Place) -> Iterator[Row]:
    load = place.load(cache="verdicts")
    with server() as port, folders("ours") as cwds:
        write_scenarios(cwds["ours"], port, load)
        spent(ci_judge("run", "-q"), cwds["ours"])
        asked = stats(port).get("judge", 0)
        stats(port)
        warm = median(ci_judge("run", "-q"), cwds["ours"], repeats=1, warm=False)
        again = stats(port).get("judge", 0)
    yield Row(
        figure=f"judge requests for {load.scenarios} distinct judgements, {load.attempts:,} runs",
        goal=f"{load.scenarios} (+ 1 preflight)",
        measured=f"{asked}",
        reached=asked <= load.scenarios + 1,
        details=(f"asked in a second run: {again}", said("second run", warm)),
        numbers={"asked": float(asked), "asked_again": float(again), **numbers(again=warm)},
    )


def stats(port: int) -> dict[str, int]:
    """Read what the server counted, and have it count anew."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/stats", timeout=10) as reply:
        counted: dict[str, int] = json.load(reply)
    return counted


# --- sizes --------------------------------------------------------------------------------


def html(place: Place) -> Iterator[Row]:
    load = place.load(scenarios=2_000, runs=1, judge="stub", expected='Says "never ever".')
    with server() as port, folders("ours") as cwds:
        write_scenarios(cwds["ours"], port, load)
        whole = spent(ci_judge("run", "-q"), cwds["ours"])
        report = cwds["ours"] / "ci-judge-report"
        again = ci_judge("render", str(report / "report.json"), "--report-dir", "again")
        start = spent(ci_judge("render", "--help"), cwds["ours"])
        used = median([*again, "--format", "html"], cwds["ours"], repeats=place.repeats(3))
        size = (cwds["ours"] / "again" / "report.html").stat().st_size / 1024**2
    seconds = used.cpu - start.cpu
    yield Row(
        figure=f"HTML of {load.scenarios:,} failed tests",
        goal=f"< {MOST_HTML_MIB} MiB, < {MOST_HTML_SECONDS} s",
        measured=f"{size:.1f} MiB, {seconds:.2f} s",
        reached=size < MOST_HTML_MIB and seconds < MOST_HTML_SECONDS,
        details=(said("the run that failed", whole),),
        numbers={"mib": round(size, 2), "seconds": round(seconds, 3), **numbers(run=whole)},
    )


def failing(place: Place) -> Iterator[Row]:
    load = place.load(scenarios=10_000, runs=1, judge="stub", expected='Says "never ever".')
    with server() as port, folders("ours") as cwds:
        write_scenarios(cwds["ours"], port, load)
        begun = time.perf_counter()
        used = spent(ci_judge("run", "-q"), cwds["ours"])
        seconds = time.perf_counter() - begun
    yield Row(
        figure=f"{load.scenarios:,} failing scenarios of one run",
        goal="no goal",
        measured=f"{seconds:.1f} s, {used.peak_mib:.0f} MiB",
        reached=None,
        details=(said("ours", used),),
        numbers=numbers(ours=used),
    )


def installed(place: Place) -> Iterator[Row]:
    ours = installed_mib(place.environments / "ours", [str(HERE.parent)])
    peer = installed_mib(place.environments / "juried", []) if place.peer() else None
    yield Row(
        figure="installed size beyond Python",
        goal=f"<= {MOST_INSTALLED_MIB} MiB",
        measured=f"{ours:.1f} MiB",
        reached=ours <= MOST_INSTALLED_MIB,
        details=() if peer is None else (f"juried {VERSION}: {peer:.1f} MiB",),
        numbers={"ours_mib": round(ours, 2), **({} if peer is None else {"peer_mib": peer})},
    )


ROWS: dict[str, Callable[[Place], Iterator[Row]]] = {
    "http-cpu": http_cpu,
    "http-wall": http_wall,
    "clients": clients,
    "cold-start": cold_start,
    "version": version,
    "import": library_import,
    "offline": offline,
    "memory": memory,
    "connections": connections,
    "identical": identical,
    "installed": installed,
    "html": html,
    "failing": failing,
}
