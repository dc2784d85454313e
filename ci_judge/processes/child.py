"""Starts child processes, each with a group of its own, and ends every one of them."""

import asyncio
import atexit
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ci_judge.processes.child_user import ChildUser
from ci_judge.processes.output import CapturedOutput
from ci_judge.processes.privacy import refuse_inspection, refuse_new_privileges

OUTPUT_BYTES = 65_536
GRACE_SECONDS = 2.0


class Child:
    """A started process and its group. ``output`` and ``errors`` are one unless kept apart."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        output: CapturedOutput,
        errors: CapturedOutput,
    ) -> None:
        self.output = output
        self.errors = errors
        self._process = process
        self._stopped = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; minus the signal's number if a signal ended it."""
        return self._process.returncode

    async def wait(self, *, timeout_seconds: float | None = None) -> int | None:
        """Wait for the process (not for its output) and return ``exit_code``."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_seconds):
                await self._process.wait()
        return self.exit_code

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the process and everything it started in its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):  # gone, or gone on macOS
            os.killpg(self.pid, number)

    async def stop(self, *, grace_seconds: float = GRACE_SECONDS) -> None:
        """End the whole group: politely first, unless ``grace_seconds`` is 0, then for certain."""
        if self._stopped:
            return  # its number may belong to somebody else by now
        try:
            if self.exit_code is None and grace_seconds > 0:
                self.signal_group(signal.SIGTERM)
                await self.wait(timeout_seconds=grace_seconds)
        finally:
            self.signal_group(signal.SIGKILL)
            self._stopped = True
            await self.wait(timeout_seconds=GRACE_SECONDS)
            self.output.close()
            self.errors.close()


class Children:
    """All processes of one command. Leaving the context ends every one that is left.

    ``redact`` takes the secrets out of what is shown of their output, before that is cut.
    ``user`` is who they run as; None for who we are.
    """

    def __init__(
        self, *, redact: Callable[[str], str] = str, user: ChildUser | None = None
    ) -> None:
        self.redact = redact
        self.user = user
        self._living: set[Child] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End all at the same time, within the grace of one."""
        await asyncio.gather(*(self.stop(child) for child in tuple(self._living)))
        atexit.unregister(self.kill_now)

    def kill_now(self) -> None:
        """End all at once where no event loop runs any more."""
        for child in self._living:
            child.signal_group(signal.SIGKILL)

    async def start(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        cwd: Path,
        output_bytes: int = OUTPUT_BYTES,
        apart: bool = False,
        **options: Any,
    ) -> Child:
        """Start ``argv`` without a shell and keep the last ``output_bytes`` of what it writes.

        With ``apart`` its errors are kept on their own, else among its output. ``options`` go to
        asyncio (``stdin``, ``pass_fds``). Raises OSError if it cannot start.
        """
        refuse_inspection()
        atexit.register(self.kill_now)  # once, however often it is called: close takes all away
        output = CapturedOutput(limit_bytes=output_bytes, redact=self.redact)
        errors = CapturedOutput(limit_bytes=output_bytes, redact=self.redact) if apart else output
        streams = [output.open(), *([errors.open()] if apart else [])]
        identity = self._identity(streams, options.get("stdin"))
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdout=streams[0],
                stderr=streams[-1],
                env=self._environment(environment),
                cwd=cwd,
                **{"stdin": asyncio.subprocess.DEVNULL, **options, **identity},
            )
        except BaseException:
            output.close()
            errors.close()
            raise
        finally:
            for stream in streams:
                os.close(stream)
        child = Child(process, output, errors)
        self._living.add(child)
        return child

    def hint(self, said: str) -> str | None:
        """Explain what a child says went wrong, where who it runs as may be the reason."""
        return None if self.user is None else self.user.hint(said)

    async def stop(self, child: Child, *, grace_seconds: float = GRACE_SECONDS) -> None:
        """End a child and its group, and forget it."""
        await child.stop(grace_seconds=grace_seconds)
        self._living.discard(child)

    def _environment(self, given: Mapping[str, str]) -> dict[str, str]:
        return dict(given) if self.user is None else self.user.environment(given)

    def _identity(self, streams: Sequence[int], stdin: int | None) -> dict[str, Any]:
        """Say who a child runs as: a session, and so a process group, of its own."""
        if self.user is None:
            return {"start_new_session": True}
        refuse_new_privileges()
        self.user.own(*streams, *([] if stdin is None else [stdin]))
        return {"start_new_session": True, **self.user.options()}
