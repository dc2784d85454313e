"""Calls that block: made beside the event loop, and left behind at its end."""

import asyncio
import contextlib
from collections.abc import Iterator
from threading import Event, get_ident

import pytest

from ci_judge.engine.unawaited import UnawaitedThreads

LONGEST_SECONDS = 30


@pytest.fixture
def released() -> Iterator[Event]:
    event = Event()
    yield event
    event.set()


def test_results_and_errors_come_back() -> None:
    async def ask() -> tuple[bool, str]:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(UnawaitedThreads())
        elsewhere = await asyncio.to_thread(get_ident) != get_ident()
        with pytest.raises(ValueError, match="no number") as raised:
            await asyncio.to_thread(_refuse)
        return elsewhere, str(raised.value)

    assert asyncio.run(ask()) == (True, "no number")


def _refuse() -> None:
    raise ValueError("no number")


def test_many_calls_share_threads_and_none_is_lost() -> None:
    async def ask() -> list[int]:
        asyncio.get_running_loop().set_default_executor(UnawaitedThreads())
        return await asyncio.gather(*(asyncio.to_thread(int, str(n)) for n in range(500)))

    assert asyncio.run(ask()) == list(range(500))


def test_the_end_of_the_loop_waits_for_no_call(released: Event) -> None:
    begun, ended = Event(), Event()

    def block() -> None:
        begun.set()
        released.wait(LONGEST_SECONDS)
        ended.set()

    async def give_up() -> None:
        asyncio.get_running_loop().set_default_executor(UnawaitedThreads())
        call = asyncio.create_task(asyncio.to_thread(block))
        while not begun.is_set():
            await asyncio.sleep(0)
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call

    asyncio.run(give_up())
    assert not ended.is_set()
