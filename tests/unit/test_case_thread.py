"""The threads of a case process: reused, each call in a context of its own, none waiting."""

import threading
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial

from ci_judge.suites.case_thread import CaseThread, CaseThreads

SECONDS = 10.0
SEEN: ContextVar[str] = ContextVar("SEEN", default="nothing")


def idle_again(
    threads: CaseThreads, call: Callable[[], None], *, name: str = "a call"
) -> CaseThread:
    """Make a call to its end, and wait until its thread is idle; returns that thread."""
    free = threads.free()
    ended = threading.Event()

    def to_the_end() -> None:
        try:
            call()
        finally:
            ended.set()

    free.begin(to_the_end, name=name)
    assert ended.wait(SECONDS)
    # The thread puts itself back after the call; the next call would only start one more.
    for _ in range(1_000):
        if free in threads._idle:
            return free
        threading.Event().wait(SECONDS / 1_000)
    raise AssertionError("the thread is not idle again")


def hang_until(let_go: threading.Event) -> None:
    let_go.wait(SECONDS)


def test_a_call_after_another_is_made_in_the_same_thread_under_its_own_name() -> None:
    threads = CaseThreads()
    told: list[tuple[int, str]] = []

    def tell() -> None:
        told.append((threading.get_ident(), threading.current_thread().name))

    idle_again(threads, tell, name="test_price run 1")
    idle_again(threads, tell, name="test_price run 2")
    (one, first), (other, second) = told
    assert (one == other, first, second) == (True, "test_price run 1", "test_price run 2")


def test_what_a_call_leaves_in_its_context_is_gone_in_the_next() -> None:
    threads = CaseThreads()
    seen: list[str] = []

    def look_and_leave() -> None:
        seen.append(SEEN.get())
        SEEN.set("what a call left")

    idle_again(threads, look_and_leave)
    idle_again(threads, look_and_leave)
    assert seen == ["nothing", "nothing"]


def test_no_call_waits_for_one_that_hangs() -> None:
    threads = CaseThreads()
    let_go = threading.Event()
    hanging = threads.free()
    hanging.begin(partial(hang_until, let_go), name="test_hangs run 1")
    try:
        other = idle_again(threads, lambda: None)
        assert other is not hanging
        assert hanging.thread.name == "test_hangs run 1"
    finally:
        let_go.set()


def test_a_thread_of_a_case_keeps_no_process_alive() -> None:
    assert CaseThreads().free().thread.daemon
