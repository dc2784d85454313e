"""Streams cut into events: as the HTML standard says, and the same in pieces of any size."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.transport import BrokenOff, StreamEvent, event_reader

Told = list[tuple[str, str]]


def events(kind: str, *pieces: bytes) -> Told:
    reader = event_reader("sse" if kind == "sse" else "ndjson")
    found: list[StreamEvent] = []
    for piece in pieces:
        found += reader.feed(piece)
    return [(event.type, event.data) for event in (*found, *reader.finish())]


def outcome(kind: str, *pieces: bytes) -> Told | str:
    try:
        return events(kind, *pieces)
    except BrokenOff as error:
        return str(error)


def messages(*data: str) -> Told:
    return [("message", text) for text in data]


@pytest.mark.parametrize(
    ("stream", "told"),
    [
        # the four examples of the standard, 9.2.6
        (b"data: YHOO\ndata: +2\ndata: 10\n\n", messages("YHOO\n+2\n10")),
        (
            (
                b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n"
                b"data:  third event\n\n"
            ),
            messages("first event", "second event", " third event"),
        ),
        (b"data\n\ndata\ndata\n\n", messages("", "\n")),
        (b"data:test\n\ndata: test\n\n", messages("test", "test")),
        # and what stands between the lines
        (b"\xef\xbb\xbfdata: a\n\n", messages("a")),
        (b"data: \xef\xbb\xbfa\n\n", messages("\N{ZERO WIDTH NO-BREAK SPACE}a")),
        (b"data: a\r\n\r\ndata: b\r\rdata: c\n\n", messages("a", "b", "c")),
        (b"data: a\r\n\rdata: b\n\r\n", messages("a", "b")),
        (b"event: delta\nretry: 10\ndata: a\n\ndata: b\n\n", [("delta", "a"), ("message", "b")]),
        (b"event: ping\n\ndata: a\n\n", messages("a")),
        (b"event\ndata: a\n\n", messages("a")),
        (b"data: a: b\nDATA: c\n data: d\nunknown: e\n\n", messages("a: b")),
        (b"data: h\xc3\xa9\xff\n\n", messages("h\xe9\N{REPLACEMENT CHARACTER}")),
        (b": only a comment", []),
        (b"id: 1\n", []),
        (b"\n\n\n", []),
        (b"", []),
        (b"data: a\n\ndata: [DONE]", messages("a")),
        (b"data: a\n\ndata: [DONE]\n", messages("a")),
        (b"data: a\n\ndata: [DONE]\n\n", messages("a", "[DONE]")),
    ],
)
def test_server_sent_events_are_those_of_the_standard(stream: bytes, told: Told) -> None:
    assert events("sse", stream) == told
    assert events("sse", *(bytes([byte]) for byte in stream)) == told


@pytest.mark.parametrize(
    "end", [b"data: b", b"data: b\n", b"dat", b"event: delta\n", b"data: [DONE", b"data: [DONE]x\n"]
)
def test_an_event_without_its_end_is_a_stream_that_breaks_off(end: bytes) -> None:
    with pytest.raises(BrokenOff):
        events("sse", b"data: a\n\n" + end)


@pytest.mark.parametrize(
    ("stream", "data"),
    [
        (b'{"a": 1}\n{"a": 2}\n', ['{"a": 1}', '{"a": 2}']),
        (b'{"a": 1}\r\n\r\n  \n{"a": 2}', ['{"a": 1}', '{"a": 2}']),
        (b"\xef\xbb\xbf{}\n", ["{}"]),
        (b"", []),
    ],
)
def test_each_line_that_is_not_blank_is_an_event(stream: bytes, data: list[str]) -> None:
    assert events("ndjson", stream) == messages(*data)


def in_pieces(stream: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    return [stream[start:end] for start, end in itertools.pairwise(places)]


LINES = st.sampled_from(
    [
        "data: h\xe9llo",
        "data",
        "data:",
        "data: [DONE]",
        ": c",
        "event: e",
        "id: 1",
        "x",
        "\ufeff",
        "",
    ]
)
ENDS = st.sampled_from(["\n", "\r", "\r\n"])
STREAMS = st.lists(st.tuples(LINES, ENDS)).map(lambda lines: "".join(map("".join, lines)).encode())


@given(stream=STREAMS | st.binary(), cuts=st.lists(st.integers(0, 500)))
def test_any_pieces_give_the_events_of_the_whole(stream: bytes, cuts: list[int]) -> None:
    for kind in ("sse", "ndjson"):
        assert outcome(kind, *in_pieces(stream, cuts)) == outcome(kind, stream)


def by_the_letter(stream: bytes) -> Told:
    """Read the whole text at once, as the standard's prose goes."""
    text = stream.decode("utf-8", "replace").removeprefix("\ufeff")
    *lines, rest = re.split(r"\r\n|\n|\r", text)
    del rest
    told, data, kind = [], "", ""
    for line in lines:
        name, _, value = line.partition(":")
        if not line:
            if data:
                told.append((kind or "message", data[:-1]))
            data, kind = "", ""
        elif name == "data":
            data += value.removeprefix(" ") + "\n"
        elif name == "event":
            kind = value.removeprefix(" ")
    return told


@given(stream=STREAMS)
def test_whole_streams_read_as_the_letter_of_the_standard(stream: bytes) -> None:
    ended = stream + b"\n\n"
    assert events("sse", ended) == by_the_letter(ended)
