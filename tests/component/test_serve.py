import asyncio
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ci_judge.errors import ExitCode, InvalidInput
from ci_judge.processes import Children
from ci_judge.targets.serve import ServedTarget, TargetNotServed, free_port
from ci_judge.targets.settings import ServeSettings
from ci_judge.transport import HttpReply, HttpRequest, RetryPolicy, Transport
from tests.lifeline import Lifeline

T = TypeVar("T")
ENOUGH_SECONDS = 30.0

SERVER = """
import http.server, json, os, sys

class Handler(http.server.BaseHTTPRequestHandler):
    left = int(os.environ.get("STARTING_FOR", "0"))

    def do_GET(self):
        ready = Handler.left <= 0
        Handler.left -= 1
        self.send_response(404 if ready else 503)
        self.end_headers()
        self.wfile.write(json.dumps(dict(os.environ)).encode())

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def never(output: str) -> bool:
    del output
    return False


class Bench:
    """A folder with a server in it, and what a served target needs around it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.slept: list[float] = []
        self.time_is_up: Callable[[str], bool] = never
        (root / "server.py").write_text(SERVER)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0.01)

    def serve(
        self,
        work: Callable[[ServedTarget, Transport], Awaitable[T]],
        *,
        environment: dict[str, str] | None = None,
        **settings: Any,
    ) -> T:
        async def main() -> T:
            transport = Transport()
            async with asyncio.timeout(ENOUGH_SECONDS), Children() as children:
                served = ServedTarget(
                    settings=ServeSettings.model_validate(
                        {"ready_url": "http://127.0.0.1:{{port}}/health", **settings}
                    ),
                    root=self.root,
                    environment={"PATH": os.defpath} if environment is None else environment,
                    transport=transport,
                    children=children,
                    sleep=self.sleep,
                    clock=lambda: 30.0 if self.time_is_up(served.output) else 0.0,
                )
                try:
                    async with served:
                        return await work(served, transport)
                finally:
                    await transport.aclose()
                    assert not children._living

        return asyncio.run(main())


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def nothing(served: ServedTarget, transport: Transport) -> None:
    del served, transport


async def answer(served: ServedTarget, transport: Transport) -> HttpReply:
    request = HttpRequest(method="GET", url=served.ready_url, timeout_seconds=ENOUGH_SECONDS)
    reply = await transport.send(request, retry=RetryPolicy(retries=0))
    assert isinstance(reply, HttpReply), reply
    return reply


def test_it_is_up_inside_and_gone_after(bench: Bench) -> None:
    async def port(served: ServedTarget, transport: Transport) -> int:
        assert (await answer(served, transport)).status == 404
        return served.port

    port_number = bench.serve(
        port, command=f"'{sys.executable}' server.py {{{{port}}}}", timeout=30
    )
    with closing(socket.socket()) as probe:
        assert probe.connect_ex(("127.0.0.1", port_number)) != 0


def test_it_waits_while_the_server_answers_with_errors(bench: Bench) -> None:
    reply = bench.serve(
        answer,
        command=[sys.executable, "server.py", "{{port}}"],
        env={"STARTING_FOR": "2"},
        timeout=30,
    )
    assert reply.status == 404
    assert len(bench.slept) >= 2


def test_only_given_variables_reach_it(bench: Bench) -> None:
    secrets = {"PATH": os.defpath, "GITHUB_TOKEN": "g", "NAMED": "n"}
    command = [sys.executable, "server.py", "{{port}}"]
    named = bench.serve(answer, command=command, environment=secrets, env=["NAMED"], timeout=30)
    assert named.json()["NAMED"] == "n"
    assert "GITHUB_TOKEN" not in named.json()
    given = bench.serve(
        answer, command=command, environment=secrets, env={"MINE": "{{port}}"}, timeout=30
    )
    assert given.json()["MINE"].isdigit()
    assert "NAMED" not in given.json()


def test_a_command_that_ends_early_shows_its_exit_code_and_last_words(bench: Bench) -> None:
    code = "print('::error::first'); print('port is taken'); raise SystemExit(3)"
    with pytest.raises(TargetNotServed) as refused:
        bench.serve(nothing, command=[sys.executable, "-c", code], timeout=30)
    (problem,) = refused.value.problems
    assert "target.serve ended with exit code 3 before http://127.0.0.1:" in problem.message
    assert problem.message.endswith("its last output: ::error::first port is taken")
    assert refused.value.output == "::error::first\nport is taken\n"
    assert refused.value.exit_code == ExitCode.UNDECIDED


def test_a_server_that_never_answers_is_given_up_and_stopped(bench: Bench) -> None:
    lifeline = Lifeline(bench.root / "lifeline")
    code = f"print('starting'); {Lifeline.HOLD}"
    bench.time_is_up = lambda output: "held" in output
    with pytest.raises(TargetNotServed, match=r"did not answer within 30 s .* starting held"):
        bench.serve(nothing, command=[sys.executable, "-c", code, "lifeline"], timeout=30)
    assert lifeline.was_held_and_released()


def test_what_it_started_is_stopped_when_the_run_fails(bench: Bench) -> None:
    lifeline = Lifeline(bench.root / "lifeline")
    (bench.root / "parent.py").write_text(
        "import subprocess, sys\n"
        f"holder = [sys.executable, '-c', {Lifeline.HOLD!r}, 'lifeline']\n"
        "subprocess.Popen(holder, stdout=subprocess.PIPE).stdout.readline()\n"
        "exec(open('server.py').read())\n"
    )

    async def fail(served: ServedTarget, transport: Transport) -> None:
        await nothing(served, transport)
        raise RuntimeError("the run failed")

    with pytest.raises(RuntimeError, match="the run failed"):
        bench.serve(fail, command=[sys.executable, "parent.py", "{{port}}"], timeout=30)
    assert lifeline.was_held_and_released()


def test_something_that_answers_already_is_refused_unless_reused(bench: Bench) -> None:
    marker = bench.root / "started"
    touch = [sys.executable, "-c", f"open({str(marker)!r}, 'w')"]

    async def inside(served: ServedTarget, transport: Transport) -> int:
        async with Children() as children:
            again = ServedTarget(
                settings=ServeSettings.model_validate(
                    {"command": touch, "ready_url": served.ready_url, "reuse": True}
                ),
                root=bench.root,
                environment={},
                transport=transport,
                children=children,
            )
            async with again:
                assert (await answer(again, transport)).status == 404
            again.settings = again.settings.model_copy(update={"reuse": False})
            with pytest.raises(TargetNotServed, match=r"answers at .* before target\.serve"):
                await again.__aenter__()
        return (await answer(served, transport)).status

    command = [sys.executable, "server.py", "{{port}}"]
    assert bench.serve(inside, command=command, timeout=30) == 404
    assert not marker.exists()


def test_a_program_that_does_not_exist_is_named(bench: Bench) -> None:
    with pytest.raises(TargetNotServed, match='cannot run "no-such-server": No such file'):
        bench.serve(nothing, command="no-such-server --port {{ port }}", timeout=30)


def test_an_unbalanced_quote_is_a_mistake_in_the_configuration(bench: Bench) -> None:
    with pytest.raises(InvalidInput, match=r"target\.serve\.command cannot be split into words"):
        bench.serve(nothing, command="python 'server.py", timeout=30)


def test_python_is_ours_where_none_is_on_the_path(bench: Bench) -> None:
    command = "python server.py {{ port }}"
    reply = bench.serve(answer, command=command, environment={"PATH": "/nowhere"}, timeout=30)
    assert reply.status == 404


def test_a_free_port_can_be_listened_on() -> None:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", free_port()))
