"""One process of one case file, seen from our side: its report, calls, time limits and end."""

import asyncio
import contextlib
import json
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ci_judge.model.evidence import CaseValue, EvidenceFailure, FailureCode
from ci_judge.processes import Child, Children
from ci_judge.suites.case_evidence import MAX_BYTES, EvidenceRefused, copy_evidence
from ci_judge.suites.case_report import CaseReport, broken_report, read_report
from ci_judge.suites.case_traceback import cut_middle

CHILD_FILE = Path(__file__).with_name("case_child.py")
LINE_BYTES = MAX_BYTES + 65_536
WHERE_SECONDS = 2.0
LAST_WORDS_SECONDS = 0.5
SETTLE_SECONDS = 0.2
EXIT_SECONDS = 2.0
MOST_SECONDS = 1e9
OUTPUT_CHARS = 8_000
MESSAGE_CHARS = 1_000
TRACEBACK_CHARS = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The process ended, or had to be ended, before this call did; whose fault it was is open."""

    message: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseProcess:
    """How to start the process of a case file. ``limit_seconds`` is for importing it."""

    children: Children
    file: Path
    root: Path
    environment: Mapping[str, str]
    limit_seconds: float
    python: str = sys.executable

    async def start(self) -> "CaseWorker":
        """Start it and wait for its report. What goes wrong stands in the report."""
        ours, theirs = socket.socketpair()
        channel = str(theirs.fileno())
        # -B: no __pycache__ beside the cases; -P: nothing but what the interpreter itself adds
        flags = ("-B", "-P", "-u", "-X", "faulthandler")
        try:
            child = await self.children.start(
                (self.python, *flags, str(CHILD_FILE), channel, str(self.file)),
                environment=self.environment,
                cwd=self.root,
                pass_fds=(theirs.fileno(),),
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        reader, writer = await asyncio.open_unix_connection(sock=ours, limit=LINE_BYTES)
        worker = CaseWorker(self.children, child, reader, writer)
        try:
            await worker.begin(limit_seconds=self.limit_seconds)
        except BaseException:
            await worker.close(kill=True)
            raise
        return worker


class CaseWorker:
    """A started process. It is of use until ``ended``; ``close`` must be called in any case."""

    def __init__(
        self,
        children: Children,
        child: Child,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.report = CaseReport(cases=(), mistakes=())
        self.ended = False
        self._children = children
        self._child = child
        self._reader = reader
        self._writer = writer
        self._redact = children.redact
        self._calls: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._places: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._last_id = 0
        self._unsent: list[bytes] = []
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    async def begin(self, *, limit_seconds: float) -> None:
        """Wait for the report of the imported file, at most ``limit_seconds``."""
        try:
            async with asyncio.timeout(limit_seconds):
                line = await self._reader.readline()
            self.report = read_report(line) if line else await self._crash_report()
        except TimeoutError:
            self._end()
            self.report = broken_report(
                f"importing the file took more than {limit_seconds:g} s",
                hint="move slow work from the top level into the cases",
            )
        except ValueError as error:
            self.report = broken_report(f"the process of the file sent no readable report: {error}")
        reading = asyncio.create_task(self._read())
        self._tasks = (reading, asyncio.create_task(self._watch(reading)))

    async def call(
        self, function: str, *, run_number: int, limit_seconds: float
    ) -> CaseValue | EvidenceFailure | Lost:
        """Call the function once, several at a time. Lost: the caller decides what follows."""
        since = self._child.output.total_bytes
        self._last_id += 1
        call_id = self._last_id
        answer = self._calls[call_id] = asyncio.get_running_loop().create_future()
        try:
            self._send({"id": call_id, "function": function, "run": run_number})
            async with asyncio.timeout(limit_seconds):
                return self._outcome(await answer, since=since)
        except TimeoutError:
            return await self._end_hang(call_id, limit_seconds=limit_seconds, since=since)
        except ProcessEndedError:
            return Lost(message=self._death(), detail=self._output(since))
        finally:
            self._calls.pop(call_id, None)

    async def close(self, *, kill: bool = False) -> None:
        """End the process and its group: asked first, so that its exit handlers run."""
        self.ended = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()
        if not kill:
            await self._child.wait(timeout_seconds=EXIT_SECONDS)
        await self._children.stop(self._child, grace_seconds=0)
        self._end_calls()

    def _outcome(self, answer: dict[str, Any], *, since: int) -> CaseValue | EvidenceFailure:
        try:
            return self._understood(answer, since=since)
        except (KeyError, TypeError, ValueError, EvidenceRefused):
            self._end()
            return EvidenceFailure(
                code=FailureCode.INVALID_EVIDENCE,
                message="the answer of the case's process cannot be read; code of the file may have"
                " written to its channel",
            )

    def _understood(self, answer: dict[str, Any], *, since: int) -> CaseValue | EvidenceFailure:
        failure = answer.get("failure")
        if failure is None:
            value, seconds = copy_evidence(answer["value"]), answer["seconds"]
            if type(seconds) not in {int, float} or not 0 <= seconds <= MOST_SECONDS:
                raise ValueError("it took no time that there is")
            return CaseValue(value=value, latency_seconds=float(seconds))
        return EvidenceFailure(
            code=FailureCode(failure["code"]),
            message=f"{self._redact(failure['message'])[:MESSAGE_CHARS]}{failure['where']}",
            detail=_joined(self._traceback(failure["detail"]), self._output(since)),
        )

    def _traceback(self, text: str) -> str:
        return cut_middle(self._redact(text), limit=TRACEBACK_CHARS)

    async def _end_hang(
        self, call_id: int, *, limit_seconds: float, since: int
    ) -> EvidenceFailure | Lost:
        """End the process. The call is to blame unless it only waited for another one."""
        company = len(self._calls) > 1
        place = await self._where(call_id)
        if company:
            await asyncio.sleep(SETTLE_SECONDS)  # others whose time is up now are asked as well
        self._end()
        detail = _joined(self._traceback(place.get("detail", "")), self._output(since))
        message = f"the case did not return within {limit_seconds:g} s (suite.case_timeout)"
        if company and place.get("blocked", True):
            return Lost(message=message, detail=detail)
        return EvidenceFailure(code=FailureCode.TIMEOUT, message=message, detail=detail)

    async def _where(self, call_id: int) -> dict[str, Any]:
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._places[call_id] = answer
        try:
            self._send({"where": call_id})
            async with asyncio.timeout(WHERE_SECONDS):
                return await answer
        except (TimeoutError, ProcessEndedError):
            return {}
        finally:
            self._places.pop(call_id, None)

    def _end(self) -> None:
        self.ended = True
        self._child.signal_group(signal.SIGKILL)

    def _send(self, request: dict[str, Any]) -> None:
        if self.ended:
            raise ProcessEndedError
        if not self._unsent:
            asyncio.get_running_loop().call_soon(self._send_all)
        self._unsent.append(f"{json.dumps(request)}\n".encode())

    def _send_all(self) -> None:
        """Send what this turn of the loop asked for at once: each sending wakes the process up."""
        if not self.ended:
            # not writelines: of Python 3.12 and 3.13 that fails once the channel is lost
            self._writer.write(b"".join(self._unsent))
        self._unsent.clear()

    async def _read(self) -> None:
        """Hand out answers until the channel ends; a line that is none ends the process."""
        try:
            while line := await self._reader.readline():
                self._hand_out(json.loads(line))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self._end()

    def _hand_out(self, answer: dict[str, Any]) -> None:
        waiting, key = (self._places, "where") if "where" in answer else (self._calls, "id")
        future = waiting.get(answer[key])
        if future and not future.done():
            future.set_result(answer)

    async def _watch(self, reading: asyncio.Task[None]) -> None:
        """When the process or its channel ends, let it have its last words, then end its calls."""
        gone = asyncio.create_task(self._child.wait())
        try:
            await asyncio.wait({gone, reading}, return_when=asyncio.FIRST_COMPLETED)
            self.ended = True
            await asyncio.wait({gone, reading}, timeout=LAST_WORDS_SECONDS)
            self._end()
            reading.cancel()
            await gone
        finally:
            gone.cancel()
        self._end_calls()

    def _end_calls(self) -> None:
        for future in (*self._calls.values(), *self._places.values()):
            if not future.done():
                future.set_exception(ProcessEndedError())

    async def _crash_report(self) -> CaseReport:
        await self._child.wait(timeout_seconds=LAST_WORDS_SECONDS)
        last = " ".join(self._printed(0).split())[-300:]
        return broken_report(
            f"the file cannot be imported: {self._death()}",
            hint=f"its last output: {last}" if last else None,
        )

    def _death(self) -> str:
        code = self._child.exit_code
        if code is None:
            return "the process had to be ended"
        if code < 0:
            return f"the process was ended by {_signal_name(-code)}"
        return f"the process ended with exit code {code}"

    def _output(self, since: int) -> str:
        text = self._printed(since)
        return f"Output while it ran:\n{text}" if text else ""

    def _printed(self, since: int) -> str:
        self._child.output.drain()
        printed = self._child.output.text(since=since)
        return printed.strip()[-OUTPUT_CHARS:]


class ProcessEndedError(Exception):
    """The process of the case file is gone, and the call with it."""


def _joined(*parts: str) -> str:
    return "\n\n".join(part.rstrip() for part in parts if part)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
