"""An HTTP reply as an answer, or as the reason why it is none."""

from collections.abc import Callable
from dataclasses import dataclass

from ci_judge.model.evidence import FailureCode
from ci_judge.model.suite import JsonValue
from ci_judge.rules.json_outline import outline
from ci_judge.rules.json_paths import Found, Lookup, look_up
from ci_judge.targets.failure_words import content_type_of, status_code_of, status_words
from ci_judge.targets.settings import TargetSettings
from ci_judge.targets.stream_reading import StreamReading, StreamTrouble, first_text_sight
from ci_judge.targets.told import Told, told_by
from ci_judge.transport import BrokenOff, HttpReply, Sight, StreamKind, event_reader

EXCERPT_CHARS = 200
DETAIL_CHARS = 4_000

_STREAMS: dict[str, StreamKind] = {
    "text/event-stream": "sse",
    "application/x-ndjson": "ndjson",
    "application/ndjson": "ndjson",
    "application/jsonl": "ndjson",
    "application/x-jsonlines": "ndjson",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetAnswer:
    """The answer, and a way to look up what else the reply tells."""

    value: JsonValue
    told: Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """Why an HTTP reply is no answer."""

    code: FailureCode
    message: str
    detail: str


def read_answer(
    settings: TargetSettings, reply: HttpReply, *, port: int | None
) -> TargetAnswer | Unusable:
    """Read the answer out of a reply, in one piece or streamed."""
    code = status_code_of(reply)
    if code is not None:
        return _unusable(reply, code, status_words(reply, settings, port=port))
    if not reply.body.strip():
        return _unusable(reply, FailureCode.NO_RESPONSE, _answered(reply, "the body is empty"))
    return (
        _of_one_piece(settings, reply) if settings.stream == "none" else _of_stream(settings, reply)
    )


def sights_of_text(settings: TargetSettings) -> Callable[[], Sight] | None:
    """Return what makes, for each reply, what tells when its first text is there.

    None for answers in one piece, and for streams whose pieces nobody knows.
    """
    kind = settings.stream
    if kind == "none" or (settings.stream_path is None and settings.replies_are_json):
        return None
    return lambda: first_text_sight(event_reader(kind), _reading(settings))


def _of_one_piece(settings: TargetSettings, reply: HttpReply) -> TargetAnswer | Unusable:
    path = settings.response_path
    kind = _STREAMS.get(content_type_of(reply).partition(";")[0].strip().lower())
    if kind == "sse":
        message = _answered(reply, "which is a stream of events; to read it, set stream: sse")
        return _unusable(reply, FailureCode.UNREADABLE_REPLY, message)
    try:
        document = reply.json()
    except ValueError as error:
        if path is None:
            return TargetAnswer(value=reply.text(), told=told_by(None))
        hint = "to take the reply as text, remove response_path"
        hint = f"to read its lines, set stream: {kind}" if kind else hint
        if "html" in content_type_of(reply):
            hint = f"it is a web page: check the path of url, and that it needs no login; {hint}"
        return _unusable(reply, FailureCode.UNREADABLE_REPLY, _answered(reply, f"{error}; {hint}"))
    if path is None:
        return TargetAnswer(value=reply.text(), told=told_by(document))
    found = look_up(document, path)
    if isinstance(found, Found) and found.value is not None:
        return TargetAnswer(value=found.value, told=told_by(document))
    message = _answered(reply, f'response_path "{path}"{_what_there_is(reply, found, document)}')
    return _unusable(reply, FailureCode.NO_RESPONSE, message)


def _what_there_is(reply: HttpReply, found: Lookup, document: JsonValue) -> str:
    """Say what is at the path, and the paths that lead somewhere."""
    paths = reply.redact(outline(document))
    has = f"; the reply has: {paths}" if paths else ""
    if isinstance(found, Found):
        return f" holds null{has}"
    if paths and not found.reached:
        return f': no "{found.wanted}"{has}'
    return f": {found}{has}"


def _of_stream(settings: TargetSettings, reply: HttpReply) -> TargetAnswer | Unusable:
    reading = _reading(settings)
    try:
        _read_events(settings, reply, reading)
    except StreamTrouble as trouble:
        code = FailureCode.STREAM_ERROR if trouble.said_by_target else FailureCode.UNREADABLE_REPLY
        return _unusable(reply, code, _answered(reply, str(trouble)), quoted=trouble.event.data)
    except BrokenOff as error:
        message = _answered(reply, f"the stream breaks off: {error}")
        return _unusable(reply, FailureCode.CONNECTION_LOST, message)
    value = _streamed_value(settings, reading)
    if value is None:
        return _unusable(
            reply, FailureCode.NO_RESPONSE, _answered(reply, _nothing(settings, reading))
        )
    return TargetAnswer(value=value, told=reading.last.get)


def _read_events(settings: TargetSettings, reply: HttpReply, reading: StreamReading) -> None:
    reader = event_reader("ndjson" if settings.stream == "ndjson" else "sse")
    for event in (*reader.feed(reply.body), *reader.finish()):
        reading.add(event)


def _streamed_value(settings: TargetSettings, reading: StreamReading) -> JsonValue:
    """Return the answer: what stands at response_path, else the pieces joined; None for none."""
    if settings.response_path is not None:
        return reading.last.get(settings.response_path)
    return "".join(reading.pieces) if reading.pieces else None


def _nothing(settings: TargetSettings, reading: StreamReading) -> str:
    if not reading.events:
        return f"no event in it: is it a stream of {settings.stream}?"
    key = "stream_path" if settings.response_path is None else "response_path"
    path = settings.stream_path if settings.response_path is None else settings.response_path
    return f'none of the {reading.events} events of the stream has {key} "{path}"'


def _reading(settings: TargetSettings) -> StreamReading:
    return StreamReading(
        piece_path=settings.stream_path,
        json_needed=settings.replies_are_json,
        paths=frozenset(_paths(settings)),
    )


def _paths(settings: TargetSettings) -> list[str]:
    capture, usage = settings.capture, settings.usage
    paths = [settings.response_path]
    if capture is not None:
        paths += [capture.context, capture.tools, capture.session]
    if usage is not None:
        paths += [usage.input_path, usage.output_path]
    return [path for path in paths if path is not None]


def _answered(reply: HttpReply, why: str) -> str:
    return f"HTTP {reply.status} ({content_type_of(reply)}), {why}"


def _unusable(
    reply: HttpReply, code: FailureCode, message: str, *, quoted: str | None = None
) -> Unusable:
    """Add the beginning of the body, or of what is quoted: enough to see what answered."""
    text = reply.shown() if quoted is None else reply.redact(quoted)
    excerpt = " ".join(text[:EXCERPT_CHARS].split())
    what = "the body" if quoted is None else "its data"
    body = f'; {what}: "{excerpt}"' if excerpt else ""
    return Unusable(code=code, message=f"{message}{body}", detail=text[:DETAIL_CHARS])
