"""Serves calls of one case file: sync functions in threads, coroutines on one loop.

Runs in the process of the case files, so it uses the standard library only. Lines of JSON go over
a channel of its own, because user code prints on standard output:

    to us     {"id": 1, "function": "test_x", "run": 1}   or   {"where": 1}
    from us   {"cases": […], "mistakes": […]}   once, first
              {"id": 1, "seconds": 0.1, "value": …}   or   {"id": 1, "failure": {…}}
              {"where": 1, "detail": "…", "blocked": false}
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from ci_judge.suites.case_evidence import MAX_BYTES, EvidenceRefused, copy_evidence
from ci_judge.suites.case_loop import CaseLoop
from ci_judge.suites.case_module import load_cases
from ci_judge.suites.case_thread import CaseThreads
from ci_judge.suites.case_traceback import (
    exception_detail,
    exception_place,
    exception_text,
    stack_detail,
)


def serve(*, channel_fd: int, file: str) -> None:
    """Import the case file, report what it holds, then answer calls until the channel ends."""
    os.set_inheritable(channel_fd, False)  # noqa: FBT003 - its parameter has no name
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr] # real streams
    channel = Channel(channel_fd)
    loaded = load_cases(file)
    channel.send(json.dumps(loaded.report))
    service = CaseService(channel, loaded.functions, folder=os.path.dirname(file))  # noqa: PTH120 - text
    threading.Thread(target=service.listen, daemon=True).start()
    service.loop.run_in_this_thread()


class Channel:
    """Lines of text to and from the parent."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._sending = threading.Lock()

    def send(self, line: str) -> None:
        data = memoryview(f"{line}\n".encode("utf-8", "surrogatepass"))
        with self._sending:
            while data:
                data = data[os.write(self.fd, data) :]


class CaseService:
    """Answers the requests of one channel."""

    def __init__(
        self, channel: Channel, functions: dict[str, Callable[[], Any]], *, folder: str
    ) -> None:
        self.loop = CaseLoop()
        self._channel = channel
        self._functions = functions
        self._folder = folder
        self._threads = CaseThreads()
        self._running: dict[int, threading.Thread] = {}

    def listen(self) -> None:
        """Start what is asked for until the parent closes the channel or is gone."""
        with open(self._channel.fd, "rb", closefd=False) as lines:
            for line in lines:
                self._obey(json.loads(line))
        self.loop.end()
        last = threading.Timer(1.0, os._exit, (0,))  # a thread left behind must not keep us
        last.daemon = True
        last.start()

    def _obey(self, request: dict[str, Any]) -> None:
        if "where" in request:
            self._channel.send(json.dumps(self._where(request["where"])))
            return
        name = f"{request['function']} run {request['run']}"
        call_id, function = request["id"], self._functions[request["function"]]
        free = self._threads.free()
        self._running[call_id] = free.thread
        free.begin(partial(self._call, call_id, function), name=name)

    def _call(self, call_id: int, function: Callable[[], Any]) -> None:
        started = time.perf_counter()
        try:
            value = self.loop.call(call_id, function)
            seconds = time.perf_counter() - started
            line = _evidence_line(call_id, value, seconds)
        except BaseException as error:  # noqa: BLE001 - the border of user code
            line = json.dumps({"id": call_id, "failure": _failure(error, self._folder)})
        self._running.pop(call_id, None)
        self._channel.send(line)

    def _where(self, call_id: int) -> dict[str, Any]:
        """Say where a call is that takes too long, and whether another one blocks its loop."""
        thread = self._running.get(call_id)
        waiting = self.loop.where(call_id)
        if waiting:
            detail, blocked = waiting
        else:
            frames = sys._current_frames()  # noqa: SLF001 - the documented way to see a thread
            frame = frames.get(thread.ident or 0) if thread else None
            detail, blocked = (stack_detail(frame) if frame else ""), False
        return {"where": call_id, "detail": detail, "blocked": blocked}


def _evidence_line(call_id: int, value: object, seconds: float) -> str:
    text = json.dumps(copy_evidence(value), ensure_ascii=False, allow_nan=False)
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise EvidenceTooLarge(
            f"the evidence is {size:,} bytes as JSON, the limit is {MAX_BYTES:,}; return less"
        )
    return f'{{"id": {call_id}, "seconds": {seconds:.9f}, "value": {text}}}'


class EvidenceTooLarge(Exception):
    """The evidence is over the limit. The message says by how much."""


def _failure(error: BaseException, folder: str) -> dict[str, str]:
    if isinstance(error, EvidenceRefused):
        return {"code": "invalid_evidence", "message": str(error), "detail": "", "where": ""}
    if isinstance(error, EvidenceTooLarge):
        return {"code": "too_large", "message": str(error), "detail": "", "where": ""}
    detail = exception_detail(error)
    place = exception_place(error, folder=folder)
    where = f" ({place})" if place else ""
    end = {"detail": detail, "where": where}
    if isinstance(error, SystemExit):
        return {
            "code": "exited",
            "message": f"the case called sys.exit({_shown(error.code)})",
            **end,
        }
    return {"code": "exception", "message": exception_text(error), **end}


def _shown(code: object) -> str:
    try:
        return repr(code)
    except Exception:  # noqa: BLE001 - the text is made by user code
        return "…"
