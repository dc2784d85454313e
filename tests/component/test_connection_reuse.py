"""Connections are kept and reused; one that the server closed meanwhile costs no attempt."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from ci_judge.model.evidence import FailureCode
from ci_judge.transport import HttpReply, RetryPolicy, Transport, TransportFailure
from tests.wires import Talk, VirtualTime, a_request, plain_answer, read_request, talking

T = TypeVar("T")
NO_RETRY = RetryPolicy(retries=0)
BODY = b'{"reply": "hello"}'


def bounded(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, timeout=60))


class Listener:
    """Counts connections, and answers ``answers`` requests on each; then hangs up without a word.

    It hangs up only after the next request has come, so that the client cannot know beforehand.
    """

    def __init__(self, answers: int | None) -> None:
        self._answers = answers
        self.connections = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        answered = 0
        while self._answers is None or answered <= self._answers:
            await read_request(reader)
            if answered == self._answers:
                return
            answered += 1
            writer.write(plain_answer(BODY))
            await writer.drain()


async def asked(
    talk: Talk, transport: Transport, *, requests: int, at_once: int = 1
) -> list[HttpReply | TransportFailure]:
    outcomes: list[HttpReply | TransportFailure] = []
    async with talking(talk, backlog=256) as port:
        numbers = iter(range(requests))

        async def worker() -> None:
            for _ in numbers:
                request = a_request(f"http://127.0.0.1:{port}/", timeout_seconds=30.0)
                outcomes.append(await transport.send(request, retry=NO_RETRY))

        await asyncio.gather(*(worker() for _ in range(at_once)))
        await transport.aclose()
    return outcomes


def test_two_thousand_requests_at_64_in_flight_open_64_connections() -> None:
    listener = Listener(answers=None)
    transport = Transport(connections=64)
    outcomes = bounded(asked(listener.talk, transport, requests=2_000, at_once=64))
    assert len(outcomes) == 2_000
    assert all(isinstance(outcome, HttpReply) for outcome in outcomes)
    assert 60 <= listener.connections <= 70


@pytest.mark.parametrize("answers", [1, 2, 5])
def test_a_kept_connection_that_was_closed_is_no_failed_attempt(answers: int) -> None:
    listener, time = Listener(answers), VirtualTime()
    transport = Transport(connections=1, effects=time.effects())
    outcomes = bounded(asked(listener.talk, transport, requests=20))
    assert all(isinstance(outcome, HttpReply) for outcome in outcomes)
    assert {outcome.attempts for outcome in outcomes} == {1}
    assert time.slept == []
    assert sum(transport.requests_by_origin.values()) == 20
    assert listener.connections == -(-20 // answers)


def test_several_closed_connections_in_a_row_are_no_failed_attempt_either() -> None:
    listener = Listener(answers=1)
    transport = Transport(connections=4)
    outcomes = bounded(asked(listener.talk, transport, requests=40, at_once=4))
    assert all(isinstance(outcome, HttpReply) for outcome in outcomes)


def test_a_new_connection_that_is_closed_without_a_word_is_a_failure_at_once() -> None:
    listener = Listener(answers=0)
    (outcome,) = bounded(asked(listener.talk, Transport(), requests=1))
    assert isinstance(outcome, TransportFailure)
    assert outcome.code is FailureCode.CONNECTION_LOST
    assert listener.connections == 1
