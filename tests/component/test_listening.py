"""Who hears a signal: a run for as long as it lasts, and afterwards whoever did before."""

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from ci_judge.engine.stopping import StopSign

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture
def heard() -> Iterator[list[int]]:
    """Give what a listener of the test's own hears."""
    numbers: list[int] = []
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        signal.signal(number, lambda number, _frame: numbers.append(number))
    yield numbers
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_puts_the_sign_up_and_afterwards_goes_to_who_listened_before(
    heard: list[int], number: signal.Signals
) -> None:
    async def listen() -> StopSign:
        sign = StopSign()
        with sign.on_signals():
            os.kill(os.getpid(), number)
            await asyncio.wait_for(sign.wait(), timeout=10)
        os.kill(os.getpid(), number)
        return sign

    sign = asyncio.run(listen())
    assert sign.reason == f"interrupted by {number.name}"
    assert heard == [number]


def test_a_sign_within_another_ends_nobody_when_it_goes_down(heard: list[int]) -> None:
    async def listen() -> tuple[StopSign, StopSign]:
        outer, inner = StopSign(), StopSign()
        with outer.on_signals():
            with inner.on_signals():
                os.kill(os.getpid(), signal.SIGTERM)
                await asyncio.wait_for(inner.wait(), timeout=10)
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        return outer, inner

    outer, inner = asyncio.run(listen())
    assert (outer.reason, inner.reason) == (None, "interrupted by SIGTERM")
    assert heard == [signal.SIGTERM]
