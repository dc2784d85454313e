"""A target that is started for the run: waits until it answers, says why not, and stops it."""

import asyncio
import re
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from ci_judge.errors import CannotStart, Problem
from ci_judge.processes import Child, Children, command_words, scrubbed_environment
from ci_judge.targets.settings import ServeSettings
from ci_judge.transport import HttpReply, HttpRequest, RetryPolicy, Transport
from ci_judge.visible_text import one_line

PORT = re.compile(r"\{\{\s*port\s*\}\}")
POLL_SECONDS = 0.1
PROBE_SECONDS = 2.0
SHOWN_CHARS = 500
FIRST_SERVER_ERROR = 500


class TargetNotServed(CannotStart):
    """The served target did not come up. ``output`` is what it printed (its last 64 KiB)."""

    def __init__(self, problem: Problem, *, output: str) -> None:
        super().__init__(problem)
        self.output = output


def free_port() -> int:
    """Return a loopback port that nothing listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(slots=True, kw_only=True)
class ServedTarget:
    """Runs ``serve.command`` while its context lasts, from the configuration's folder.

    ``port`` is what ``{{port}}`` stands for in the command, its variables and ``ready_url``, and
    so in the target's url. Entering raises TargetNotServed when it does not come up, or when
    something answers there already and ``reuse`` is false; InvalidInput for an unreadable command.
    """

    settings: ServeSettings
    root: Path
    environment: Mapping[str, str]
    transport: Transport
    children: Children
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    port: int = field(default_factory=free_port)
    _child: Child | None = field(default=None, init=False)

    @property
    def ready_url(self) -> str:
        return self._filled(self.settings.ready_url)

    @property
    def output(self) -> str:
        """What the command has printed so far, its last 64 KiB, without secrets."""
        if self._child is None:
            return ""
        self._child.output.drain()
        return self._child.output.text()

    def how_it_ended(self) -> str | None:
        """Say that the command has ended, and its last words; None while it runs."""
        if self._child is None or self._child.exit_code is None:
            return None
        last = one_line(self.output[-SHOWN_CHARS:], limit=SHOWN_CHARS)
        said = f"; its last output: {last}" if last else ""
        return f"target.serve ended with exit code {self._child.exit_code}{said}"

    async def __aenter__(self) -> Self:
        argv, environment = self._argv(), self._environment()
        if await self._status() is not None:
            self._accept_what_answers()
            return self
        try:
            await self._start(argv, environment)
            await self._until_ready()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        """End the command and everything it started."""
        if self._child is not None:
            await self.children.stop(self._child)

    def _accept_what_answers(self) -> None:
        if not self.settings.reuse:
            raise self._failure(
                f"something answers at {self.ready_url} before target.serve has started anything",
                hint="stop it, use a free port by {{port}}, or set target.serve.reuse: true",
            )

    async def _start(self, argv: tuple[str, ...], environment: Mapping[str, str]) -> None:
        try:
            self._child = await self.children.start(argv, environment=environment, cwd=self.root)
        except OSError as error:
            raise self._failure(
                f'target.serve cannot run "{argv[0]}": {error.strerror or error}',
                hint="there is no shell: give one program and its arguments, from the folder of "
                "the configuration",
            ) from error

    async def _until_ready(self) -> None:
        deadline = self.clock() + self.settings.timeout
        while not await self._is_ready():
            if self._child is not None and self._child.exit_code is not None:
                raise self._failure(
                    f"target.serve ended with exit code {self._child.exit_code} before "
                    f"{self.ready_url} answered"
                )
            if self.clock() >= deadline:
                raise self._failure(
                    f"{self.ready_url} did not answer within {self.settings.timeout:g} s of "
                    "starting target.serve"
                )
            await self.sleep(POLL_SECONDS)

    async def _is_ready(self) -> bool:
        status = await self._status()
        return status is not None and status < FIRST_SERVER_ERROR

    async def _status(self) -> int | None:
        request = HttpRequest(
            method="GET",
            url=self.ready_url,
            timeout_seconds=min(PROBE_SECONDS, self.settings.timeout),
        )
        reply = await self.transport.send(request, retry=RetryPolicy(retries=0))
        return reply.status if isinstance(reply, HttpReply) else None

    def _failure(self, message: str, *, hint: str | None = None) -> TargetNotServed:
        output = self.output
        last = one_line(output[-SHOWN_CHARS:], limit=SHOWN_CHARS)
        said = f"; its last output: {last}" if last else ""
        hint = hint or self.children.hint(output)
        return TargetNotServed(Problem(message=f"{message}{said}", hint=hint), output=output)

    def _argv(self) -> tuple[str, ...]:
        command = self.settings.command
        words = command_words(
            PORT.sub("{{port}}", command) if isinstance(command, str) else command,
            section="target.serve.command",
            environment=self.environment,
        )
        return tuple(map(self._filled, words))

    def _environment(self) -> dict[str, str]:
        own = {name: self._filled(text) for name, text in self.settings.set_variables.items()}
        return scrubbed_environment(
            self.environment,
            names=self.settings.passed_names,
            extra={"PYTHONUNBUFFERED": "1", **own},  # or its last words stay in its buffer
        )

    def _filled(self, text: str) -> str:
        return PORT.sub(str(self.port), text)
