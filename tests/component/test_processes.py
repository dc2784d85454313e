import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from ci_judge.processes import Child, Children, CommandResult, run_command
from tests.lifeline import Lifeline

T = TypeVar("T")
ENOUGH_SECONDS = 30.0


def use(work: Callable[[Children], Awaitable[T]]) -> T:
    async def main() -> T:
        async with asyncio.timeout(ENOUGH_SECONDS), Children() as children:
            return await work(children)

    return asyncio.run(main())


def command(
    code: str, *, stdin: bytes = b"", timeout_seconds: float = ENOUGH_SECONDS
) -> CommandResult:
    return use(
        lambda children: run_command(
            (sys.executable, "-c", code),
            children=children,
            stdin=stdin,
            timeout_seconds=timeout_seconds,
            environment={},
            cwd=Path.cwd(),
        )
    )


async def start(children: Children, code: str) -> Child:
    """Start Python code and wait until it has printed something."""
    argv = (sys.executable, "-u", "-c", code)
    child = await children.start(argv, environment={}, cwd=Path.cwd())
    while not child.output.total_bytes:
        await asyncio.sleep(0.01)
    return child


def test_input_goes_in_and_both_outputs_come_back_apart() -> None:
    code = "import sys; d = sys.stdin.read(); print(len(d)); print('e', file=sys.stderr); exit(3)"
    result = command(code, stdin=b"x" * 1_000_000)
    assert result == CommandResult(
        exit_code=3, stdout=b"1000000\n", stderr=b"e\n", timed_out=False, cut_bytes=0
    )


def test_a_command_need_not_read_its_input() -> None:
    assert command("print(1)", stdin=b"x" * 1_000_000).stdout == b"1\n"


def test_a_command_past_its_time_is_ended_with_what_it_had_said() -> None:
    result = command("print(1, flush=True); import time; time.sleep(3600)", timeout_seconds=1)
    assert (result.timed_out, result.stdout) == (True, b"1\n")
    assert result.exit_code == -signal.SIGTERM


def test_output_beyond_the_limit_is_counted_and_its_end_kept() -> None:
    result = command("import sys; sys.stdout.write('x' * 12_000_000 + 'end')")
    assert len(result.stdout) == 10 * 1024 * 1024
    assert result.stdout.endswith(b"xend")
    assert result.cut_bytes == 12_000_003 - 10 * 1024 * 1024


def test_a_grandchild_that_holds_the_output_open_does_not_keep_us() -> None:
    code = (
        "import subprocess, sys\n"
        "s = [sys.executable, '-c', 'import time; time.sleep(3600)']\n"
        "print(subprocess.Popen(s).pid, flush=True)"
    )
    assert command(code).stdout.strip().isdigit()


def test_a_program_that_does_not_exist_is_an_os_error() -> None:
    async def missing(children: Children) -> None:
        await children.start(("/no/such/program",), environment={}, cwd=Path.cwd())

    with pytest.raises(FileNotFoundError):
        use(missing)


def test_a_child_that_ignores_the_polite_signal_is_ended_all_the_same() -> None:
    code = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1)\n"
        "time.sleep(3600)"
    )

    async def stubborn(children: Children) -> int | None:
        child = await start(children, code)
        await children.stop(child, grace_seconds=0.1)
        return child.exit_code

    assert use(stubborn) == -signal.SIGKILL


def test_leaving_the_context_ends_every_child_and_its_group(tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path / "lifeline")
    code = (
        "import subprocess, sys, time\n"
        f"holder = [sys.executable, '-c', {Lifeline.HOLD!r}, {str(lifeline.path)!r}]\n"
        "subprocess.Popen(holder)\n"
        "time.sleep(3600)"
    )
    left: list[Child] = []

    async def forget(children: Children) -> None:
        left.append(await start(children, code))

    use(forget)
    assert left[0].exit_code == -signal.SIGTERM
    assert lifeline.was_held_and_released()


def test_kill_now_needs_no_loop() -> None:
    async def killed(children: Children) -> int | None:
        child = await start(children, "print(1); import time; time.sleep(3600)")
        children.kill_now()
        return await child.wait(timeout_seconds=ENOUGH_SECONDS)

    assert use(killed) == -signal.SIGKILL


def test_output_since_a_point_and_within_the_limit() -> None:
    async def said(children: Children) -> tuple[str, str]:
        argv = (sys.executable, "-c", "print('a' * 10 + 'b' * 10, end='')")
        child = await children.start(argv, environment={}, cwd=Path.cwd(), output_bytes=12)
        await child.wait()
        child.output.drain()
        return child.output.text(since=18), child.output.text(since=2)

    assert use(said) == ("bb", "aabbbbbbbbbb")
