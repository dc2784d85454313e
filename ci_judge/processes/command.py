"""Runs one command to its end: input in, output and exit code back, within limits."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from ci_judge.processes.child import Child, Children

MAX_OUTPUT_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What a command did. ``exit_code`` is minus the signal's number if a signal ended it.

    ``stdout`` and ``stderr`` are the last 10 MiB of each; ``cut_bytes`` of stdout were dropped.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    timed_out: bool
    cut_bytes: int


async def run_command(
    argv: Sequence[str],
    *,
    children: Children,
    stdin: bytes,
    timeout_seconds: float,
    environment: Mapping[str, str],
    cwd: Path,
) -> CommandResult:
    """Run ``argv`` without a shell; past the time its whole group is ended.

    Raises OSError if it cannot be started.
    """
    read_fd, write_fd = os.pipe()
    with FileIO(write_fd, "wb") as pipe:
        try:
            child = await children.start(
                argv,
                environment=environment,
                cwd=cwd,
                output_bytes=MAX_OUTPUT_BYTES,
                apart=True,
                stdin=read_fd,
            )
        finally:
            os.close(read_fd)
        timed_out = await _exchange(child, children, pipe, stdin, timeout_seconds)
    return CommandResult(
        exit_code=child.exit_code,
        stdout=child.output.kept(),
        stderr=child.errors.kept(),
        timed_out=timed_out,
        cut_bytes=child.output.cut_bytes,
    )


async def _exchange(
    child: Child, children: Children, pipe: FileIO, stdin: bytes, timeout_seconds: float
) -> bool:
    feeding = asyncio.ensure_future(_feed(pipe, stdin))
    try:
        return await child.wait(timeout_seconds=timeout_seconds) is None
    finally:
        feeding.cancel()
        await asyncio.wait({feeding})
        await children.stop(child)


async def _feed(pipe: FileIO, data: bytes) -> None:
    """Write without blocking. A command may end without having read its input."""
    os.set_blocking(pipe.fileno(), False)
    left = memoryview(data)
    try:
        while left:
            written = pipe.write(left)
            if written is None:
                await _writable(pipe)
            left = left[written or 0 :]
    except BrokenPipeError:
        return
    finally:
        pipe.close()


async def _writable(pipe: FileIO) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_writer(pipe, _settle, ready)
    try:
        await ready
    finally:
        loop.remove_writer(pipe)


def _settle(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)
