"""Exceptions of case files as bounded text, without our own frames.

Runs in the process of the case files, so it uses the standard library only.
"""

import linecache
import traceback
from pathlib import Path
from types import FrameType, TracebackType

MAX_CHARS = 200_000
"""Far more than is shown: only our side, which knows the secrets, may cut where it shows."""
OUR_FOLDER = str(Path(__file__).resolve().parent)


def exception_text(error: BaseException) -> str:
    """Say the exception in one line: its type and text, for a bare ``assert`` the line itself."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - the text is made by user code
        text = "(its text cannot be shown)"
    if not text and isinstance(error, AssertionError):
        text = _source_line(error.__traceback__)
    name = type(error).__name__
    return (f"{name}: {text}" if text else name)[:MAX_CHARS]


def exception_place(error: BaseException, *, folder: str) -> str:
    """Name the last line of a file in ``folder`` that led to the exception; empty without one."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = Path(frame.f_code.co_filename)
        installed = {"site-packages", "dist-packages"} & set(file.parts)
        if file.is_relative_to(folder) and not installed:
            return f"{file.relative_to(folder).as_posix()}:{line}"
    return ""


def exception_detail(error: BaseException) -> str:
    """Return the traceback from the first frame of user code on, cut in the middle if long."""
    trimmed = _without_our_frames(error.__traceback__)
    try:
        lines = traceback.format_exception(type(error), error, trimmed)
    except Exception:  # noqa: BLE001 - formatting calls user code
        lines = [exception_text(error)]
    return cut_middle("".join(lines))


def stack_detail(frame: FrameType | None) -> str:
    """Return where a still running call is, from the first frame of user code on."""
    entries = traceback.extract_stack(frame)
    own = [index for index, entry in enumerate(entries) if _is_ours(entry.filename)]
    return cut_middle("".join(traceback.format_list(entries[own[-1] + 1 if own else 0 :])))


def suspended_detail(coroutine: object) -> str:
    """Return where a coroutine waits: its own frame, then that of each one it awaits."""
    frames = []
    while frame := getattr(coroutine, "cr_frame", None):
        frames.append((frame, frame.f_lineno))
        coroutine = getattr(coroutine, "cr_await", None)
    entries = traceback.StackSummary.extract(iter(frames))
    own = [entry for entry in entries if not _is_ours(entry.filename)]
    return cut_middle("".join(traceback.format_list(own)))


def last_line_in(file: str, error: BaseException) -> int | None:
    """Return the line of ``file`` that was being run when the exception was raised."""
    frames = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in frames if frame.f_code.co_filename == file]
    return lines[-1] if lines else None


def cut_middle(text: str, *, limit: int = MAX_CHARS) -> str:
    """Keep the beginning and the end of a text that is longer than ``limit`` characters."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"


def _without_our_frames(start: TracebackType | None) -> TracebackType | None:
    step = start
    while step is not None and _is_ours(step.tb_frame.f_code.co_filename):
        step = step.tb_next
    return step


def _is_ours(filename: str) -> bool:
    return str(Path(filename).parent) == OUR_FOLDER or filename.startswith("<frozen importlib")


def _source_line(start: TracebackType | None) -> str:
    if start is None:
        return ""
    frame, line = list(traceback.walk_tb(start))[-1]
    return linecache.getline(frame.f_code.co_filename, line).strip()
