"""Answers that come in pieces: put together, timed, and never taken for whole when they are not."""

import asyncio
import gzip
import json
import zlib
from collections.abc import Sequence
from typing import Any

import pytest

from ci_judge.document.recorded_runs import recorded_evidence
from ci_judge.document.run_entries import run_entry
from ci_judge.engine.counting import RunCounter
from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.judging import Run
from ci_judge.model.suite import Scenario
from ci_judge.targets.http_api import HttpTarget
from ci_judge.targets.settings import TargetSettings
from ci_judge.transport import Transport
from tests.model_builders import a_scenario
from tests.streams import Arrival, StreamingBot
from tests.wires import plain_answer, read_request, talking

PATH = "choices.0.delta.content"
TWO_TURNS = a_scenario(turns=("Refunds?", "Sure?"))


def delta(text: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": text}}]} | more


def sse(*events: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


def lines(*events: Any) -> bytes:
    return b"".join(json.dumps(event, ensure_ascii=False).encode() + b"\n" for event in events)


def a_target(**changes: Any) -> TargetSettings:
    values = {"url": "http://bot.test/", "stream": "sse", "stream_path": PATH, "retries": 0}
    return TargetSettings.model_validate(values | changes)


def held(
    bot: StreamingBot, settings: TargetSettings, scenario: Scenario | None = None
) -> Conversation | EvidenceFailure:
    target = HttpTarget(settings, transport=bot.transport(), fresh_uuid=lambda: "uuid")
    return asyncio.run(target.converse(scenario or a_scenario(), run_number=1))


def reply_to(body: bytes | Sequence[Arrival], **changes: Any) -> Reply:
    pieces = [(0.0, body)] if isinstance(body, bytes) else body
    talk = held(StreamingBot(pieces), a_target(**changes))
    assert isinstance(talk, Conversation), talk
    return talk.replies[0]


def failure_of(body: bytes | Sequence[Arrival], **changes: Any) -> EvidenceFailure:
    pieces = [(0.0, body)] if isinstance(body, bytes) else body
    failed = held(StreamingBot(pieces), a_target(**changes))
    assert isinstance(failed, EvidenceFailure), failed
    assert "\n" not in failed.message
    return failed


# --- what the answer is ---


def test_the_pieces_joined_are_the_answer() -> None:
    body = sse(delta(None), delta(""), delta("14 "), delta("days."), {"choices": []})
    assert reply_to(body + b"data: [DONE]\n\n").text == "14 days."


def test_without_a_path_the_data_of_the_events_is_the_answer() -> None:
    body = b"data: 14\n\n: busy\n\nevent: token\ndata:  days\n\ndata: [DONE]\n\n"
    assert reply_to(body, stream_path=None).text == "14 days"


def test_json_lines_are_events_too() -> None:
    body = lines({"response": "14 "}, {"response": "days.", "done": False}, {"done": True})
    assert reply_to(body, stream="ndjson", stream_path="response").text == "14 days."


def test_a_path_of_the_whole_answer_takes_it_from_the_last_event_that_has_it() -> None:
    body = sse({"text": "1"}, {"answer": "draft"}, {"text": "4"}, {"answer": "14 days."}, {"n": 1})
    changes = {"stream_path": "text", "response_path": "answer"}
    assert reply_to(body, **changes).text == "14 days."
    assert reply_to(body, **(changes | {"stream_path": None})).text == "14 days."


def test_what_else_is_told_is_what_the_last_event_that_has_it_tells() -> None:
    body = sse(
        {"usage": {"in": 100}, "sources": ["old.md"], "text": "14 "},
        {"sources": ["terms.md"], "usage": None, "text": "days."},
        {"usage": {"out": 10}, "calls": [{"name": "find"}]},
        {"sources": None, "text": ""},
    )
    reply = reply_to(
        body,
        stream_path="text",
        capture={"context": "sources", "tools": "calls"},
        usage={
            "input_path": "usage.in",
            "input_price": 1000,
            "output_path": "usage.out",
            "output_price": 10_000,
        },
    )
    assert (reply.context, reply.tools) == (["terms.md"], [{"name": "find"}])
    assert reply.cost_usd == pytest.approx(0.2)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_pieces_may_end_anywhere(size: int) -> None:
    text = "14 jours, d\u00e9j\u00e0 \U0001f44d"
    body = sse(delta(text)).replace(b"\n", b"\r\n") + lines_of_utf8(text)
    pieces = [(0.0, body[at : at + size]) for at in range(0, len(body), size)]
    assert reply_to(pieces).text == text * 2


def lines_of_utf8(text: str) -> bytes:
    return b"data: " + json.dumps(delta(text), ensure_ascii=False).encode() + b"\n\n"


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_compressed_stream_is_read_and_timed_as_it_comes(encoding: str) -> None:
    squeeze = zlib.compressobj(wbits=31 if encoding == "gzip" else 15)
    first = squeeze.compress(sse(delta("14 "))) + squeeze.flush(zlib.Z_SYNC_FLUSH)
    rest = squeeze.compress(sse(delta("days."))) + squeeze.flush()
    headers = {"content-type": "text/event-stream", "content-encoding": encoding}
    bot = StreamingBot([(1.0, first), (2.0, rest[:5]), (0.0, rest[5:])], headers=headers)
    talk = held(bot, a_target())
    assert isinstance(talk, Conversation)
    reply = talk.replies[0]
    assert (reply.text, reply.first_token_seconds, reply.latency_seconds) == ("14 days.", 1.0, 3.0)


# --- what is no answer ---


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (sse(delta("14 "), {"error": {"message": "no"}}), FailureCode.STREAM_ERROR, "event 2"),
        (sse(delta("14 "), {"error": "no", "choices": []}), FailureCode.STREAM_ERROR, '"no"'),
        (
            sse(delta("14 ")) + b"event: error\ndata: {}\n\n",
            FailureCode.STREAM_ERROR,
            "is an error",
        ),
        (sse(delta("14 ")) + b"data: oops\n\n", FailureCode.UNREADABLE_REPLY, "its data: "),
        (sse(delta("14 "), delta(["a"])), FailureCode.UNREADABLE_REPLY, "holds no text in event 2"),
        (sse(delta("14 ")) + b'data: {"choic', FailureCode.CONNECTION_LOST, "breaks off"),
        (sse({"choices": []}, delta(None)), FailureCode.NO_RESPONSE, "none of the 2 events"),
        (b'{"choices": []}', FailureCode.CONNECTION_LOST, "breaks off"),
        (b'{"answer": "14 days."}\n', FailureCode.NO_RESPONSE, "is it a stream of sse?"),
        (b": busy\n\n", FailureCode.NO_RESPONSE, "no event in it"),
        (b"", FailureCode.NO_RESPONSE, "empty"),
    ],
)
def test_a_stream_without_a_whole_answer_is_an_error(
    body: bytes, code: FailureCode, words: str
) -> None:
    failed = failure_of(body)
    assert failed.code is code
    assert words in failed.message
    assert failed.status == 200


@pytest.mark.parametrize("error", [None, False, "", {}, []])
def test_an_event_that_names_no_error_is_none(error: Any) -> None:
    assert reply_to(sse(delta("14 days.", error=error))).text == "14 days."


def test_an_error_event_is_an_error_where_events_are_text_too() -> None:
    body = b'data: 14 days\n\ndata: {"error": "out of tokens"}\n\n'
    failed = failure_of(body, stream_path=None)
    assert failed.code is FailureCode.STREAM_ERROR
    assert "out of tokens" in failed.message
    assert reply_to(b"event: error\n\ndata: x\n\n", stream_path=None).text == "x"


def test_a_line_that_is_cut_in_two_is_an_error() -> None:
    body = lines({"response": "14 "}) + b'{"response": "da'
    failed = failure_of(body, stream="ndjson", stream_path="response")
    assert failed.code is FailureCode.UNREADABLE_REPLY
    assert "event 2 of the stream cannot be read: its data is not JSON" in failed.message


def test_what_an_error_event_quotes_is_redacted_before_it_is_cut() -> None:
    secret = "s3cr3t-s3cr3t"
    bot = StreamingBot([(0.0, sse({"error": "x" * 180 + secret}))])
    transport = bot.transport(redact=lambda text: text.replace(secret, "***"))
    target = HttpTarget(a_target(), transport=transport, fresh_uuid=lambda: "u")
    failed = asyncio.run(target.converse(a_scenario(), run_number=1))
    assert isinstance(failed, EvidenceFailure)
    assert "***" in failed.detail
    assert "s3c" not in failed.message + failed.detail


def test_a_stream_is_read_up_to_a_limit() -> None:
    event = sse(delta("x" * 1000))
    failed = failure_of([(0.0, event * 1100)] * 10)
    assert failed.code is FailureCode.TOO_LARGE


def test_a_bomb_is_bounded_while_it_streams() -> None:
    bomb = gzip.compress(b"data: " + b"x" * (64 * 1024 * 1024))
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    failed = held(StreamingBot([(0.0, bomb)], headers=headers), a_target())
    assert isinstance(failed, EvidenceFailure)
    assert failed.code is FailureCode.TOO_LARGE


def test_a_connection_that_is_lost_half_way_is_an_error_whatever_came_before() -> None:
    bot = StreamingBot([(0.0, sse(delta("14 days.")))], broken=True)
    failed = held(bot, a_target())
    assert isinstance(failed, EvidenceFailure)
    assert failed.code is FailureCode.CONNECTION_LOST
    assert "in the middle of its answer" in failed.message
    assert len(bot.requests) == 1


# --- real sockets ---


def over_a_socket(*writes: bytes, **changes: Any) -> Conversation | EvidenceFailure:
    """Hold a conversation with a server that writes these bytes, and then says no more."""

    async def exchange() -> Conversation | EvidenceFailure:
        released = asyncio.Event()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await read_request(reader)
            for write in writes:
                writer.write(write)
                await writer.drain()
            if changes.get("timeout"):
                await released.wait()

        async with asyncio.timeout(20), talking(talk) as port:
            transport = Transport()
            settings = a_target(url=f"http://127.0.0.1:{port}/", **changes)
            target = HttpTarget(settings, transport=transport, fresh_uuid=lambda: "u")
            try:
                return await target.converse(a_scenario(), run_number=1)
            finally:
                released.set()
                await transport.aclose()

    return asyncio.run(exchange())


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def test_chunks_need_not_be_events() -> None:
    body = sse(delta("14 "), delta("days."))
    talk = over_a_socket(CHUNKED, chunk(body[:9]), chunk(body[9:50]), chunk(body[50:]), chunk(b""))
    assert isinstance(talk, Conversation)
    assert talk.response == "14 days."
    assert talk.replies[0].first_token_seconds is not None


@pytest.mark.parametrize(
    "writes",
    [
        (CHUNKED, chunk(sse(delta("14 days.")))),
        (plain_answer(sse(delta("14 days.")))[:-3],),
    ],
)
def test_a_server_that_hangs_up_half_way_gave_no_answer(writes: tuple[bytes, ...]) -> None:
    failed = over_a_socket(*writes)
    assert isinstance(failed, EvidenceFailure)
    assert failed.code is FailureCode.CONNECTION_LOST


def test_the_timeout_bounds_the_whole_stream() -> None:
    failed = over_a_socket(CHUNKED, chunk(sse(delta("14 days."))), timeout=0.2)
    assert isinstance(failed, EvidenceFailure)
    assert failed.code is FailureCode.TIMEOUT


# --- how long the first text took ---


@pytest.mark.parametrize(
    ("pieces", "changes", "seconds"),
    [
        ([(0.5, sse(delta("14 "))), (1.0, sse(delta("days.")))], {}, 0.5),
        ([(0.5, sse(delta(None), delta(""))), (1.0, sse(delta("14")))], {}, 1.5),
        ([(0.5, sse(delta("14"))[:-1]), (1.0, b"\n")], {}, 1.5),
        ([(0.5, sse({"answer": "14"}))], {"stream_path": None, "response_path": "answer"}, None),
        ([(0.5, sse(delta("")))], {}, None),
        ([(0.5, b'{"t": "14"}'), (1.0, b"")], {"stream": "ndjson", "stream_path": "t"}, 1.5),
        ([(0.5, b"data\n\n"), (0.25, b"data: 14\n\n")], {"stream_path": None}, 0.75),
    ],
)
def test_the_first_text_is_timed(
    pieces: list[Arrival], changes: dict[str, Any], seconds: float | None
) -> None:
    reply = reply_to(pieces, **changes)
    assert reply.first_token_seconds == pytest.approx(seconds)
    assert reply.latency_seconds == pytest.approx(sum(wait for wait, _ in pieces))


def test_each_answer_of_a_conversation_has_its_own_and_the_report_all_of_them() -> None:
    first, second = [(0.5, sse(delta("14"))), (1.0, b"")], [(0.2, sse(delta("Yes")))]
    talk = held(StreamingBot(first, second), a_target(), TWO_TURNS)
    assert isinstance(talk, Conversation)
    run = Run(test_id="t", number=1, outcome="pass", reason="", evidence=talk)
    entry = run_entry(run, max_response_chars=1000)
    assert entry["first_token_seconds"] == 0.5
    assert [each["first_token_seconds"] for each in entry["replies"]] == [0.5, 0.2]
    again = recorded_evidence(entry)
    assert isinstance(again, Conversation)
    assert [reply.first_token_seconds for reply in again.replies] == [0.5, 0.2]
    counter = RunCounter()
    counter.add(run)
    counted = counter.first_token
    assert counted is not None
    assert (counted.p50, counted.p95, counted.max) == pytest.approx((0.2, 0.5, 0.5))


def test_an_answer_in_one_piece_has_no_first_text() -> None:
    bot = StreamingBot([(0.5, b"14 "), (0.5, b"days")], headers={"content-type": "text/plain"})
    talk = held(bot, a_target(stream="none", stream_path=None))
    assert isinstance(talk, Conversation)
    assert (talk.response, talk.replies[0].first_token_seconds) == ("14 days", None)


def test_a_run_without_an_answer_has_no_first_text() -> None:
    counter = RunCounter()
    counter.add(Run(test_id="t", number=1, outcome="target_error", reason=""))
    assert counter.first_token is None


@pytest.mark.parametrize("path", ["answer", None])
def test_a_stream_that_nobody_expected_is_no_answer(path: str | None) -> None:
    bot = StreamingBot([(0.0, sse({"answer": "14 days."}))])
    failed = held(bot, a_target(stream="none", stream_path=None, response_path=path))
    assert isinstance(failed, EvidenceFailure)
    assert "set stream: sse" in failed.message


def test_lines_that_nobody_expected_name_the_setting_too() -> None:
    body = [(0.0, lines({"answer": "14"}, {"answer": "days"}))]
    bot = StreamingBot(body, headers={"content-type": "application/x-ndjson; charset=utf-8"})
    failed = held(bot, a_target(stream="none", stream_path=None, response_path="answer"))
    assert isinstance(failed, EvidenceFailure)
    assert "set stream: ndjson" in failed.message


def test_a_stream_is_asked_for() -> None:
    bot = StreamingBot([(0.0, sse(delta("14")))])
    held(bot, a_target())
    assert bot.requests[0].headers["accept"].startswith("text/event-stream")
