"""``ci-judge init --url``: looks at an endpoint to write a target that fits it.

A handful of GETs for an OpenAPI document and, where it leaves the answer's place open or there is
none, one POST of a short chat message. All of it goes to the one origin that was named; redirects
are not followed, and what is read is bounded.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from ci_judge.model.evidence import FailureCode
from ci_judge.model.suite import JsonValue
from ci_judge.rules.chat_shapes import HISTORY, MESSAGE, UUID, answer_path, error_words
from ci_judge.rules.openapi_documents import (
    UNNAMED_MODEL,
    ChatOperation,
    chat_operation,
    is_openapi,
)
from ci_judge.targets.validation_details import missing_field
from ci_judge.transport import HttpReply, HttpRequest, RetryPolicy, Transport, TransportFailure

GREETING = "Hello, what can you help me with?"
DOCUMENTS = ("/openapi.json", "/swagger.json", "/api/openapi.json", "/v3/api-docs")
CHAT_PATHS = ("/chat", "/api/chat", "/ask")
MOST_REQUESTS = len(DOCUMENTS) + 1 + len(CHAT_PATHS) + 1

_SECONDS = 5.0
_ANSWER_SECONDS = 30.0
_MOST_DOCUMENT_BYTES = 4_000_000
_MOST_ANSWER_BYTES = 262_144
_ONCE = RetryPolicy(retries=0)
_WANTS_CREDENTIALS = frozenset({401, 403})
_NO_SUCH_PLACE = frozenset({404, 410})
_TAKES_OTHER_METHODS = 405


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A target to write: where it is, what is sent, where the answer stands (None: unknown).

    ``notes`` say what was seen, a line each; ``found`` whether it was enough to go by.
    """

    url: str
    body: Mapping[str, JsonValue] | None = None
    response_path: str | None = None
    whole_body: bool = False
    found: bool = False
    notes: tuple[str, ...] = ()


async def detect(url: str, *, transport: Transport) -> Endpoint:
    """Look at the endpoint that a person named. Never raises for what it answers."""
    return await _Look(url=url, transport=transport).result()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    url: str
    transport: Transport

    @property
    def _path(self) -> str:
        return urlsplit(self.url).path.rstrip("/")

    def _at(self, path: str) -> str:
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc, path, "", ""))

    async def result(self) -> Endpoint:
        document = await self._document()
        if isinstance(document, TransportFailure):
            return Endpoint(url=self.url, notes=(document.message,))
        if document is not None:
            operation = chat_operation(document, wanted_path=self._path)
            if operation is not None:
                return await self._described(operation)
        note = () if document is None else ("its OpenAPI document describes no chat endpoint",)
        place = self.url if self._path else await self._chat_place()
        if place is None:
            example = self._at(CHAT_PATHS[0])
            unknown = f"no chat endpoint was found there; give its whole address, such as {example}"
            return Endpoint(url=self.url, notes=(*note, unknown))
        return await self._asked(Endpoint(url=place, notes=note))

    async def _document(self) -> JsonValue | TransportFailure:
        """Return the first OpenAPI document, None where there is none, or that nobody answers."""
        own = (self.url,) if self._path.endswith(".json") else ()
        for place in (*own, *map(self._at, DOCUMENTS)):
            reply = await self._get(place)
            if isinstance(reply, TransportFailure):
                if reply.code in _NOBODY:
                    return reply
                continue
            document = _json(reply)
            if is_openapi(document):
                return document
        return None

    async def _described(self, operation: ChatOperation) -> Endpoint:
        """Take over what the document says, and ask once for what it leaves open."""
        endpoint = Endpoint(
            url=self._at(operation.path),
            body=operation.body,
            response_path=operation.response_path,
            found=True,
            notes=(
                f"its OpenAPI document describes POST {operation.path}",
                *(["it wants credentials: set headers"] if operation.secured else ()),
                *(["name the model in target.body"] if _unnamed(operation.body) else ()),
            ),
        )
        if operation.response_path is not None or operation.secured:
            return endpoint
        return await self._asked(endpoint)

    async def _chat_place(self) -> str | None:
        """Return the first of the usual places where something takes a POST, by GETs alone."""
        for path in CHAT_PATHS:
            reply = await self._get(self._at(path))
            if isinstance(reply, HttpReply) and reply.status == _TAKES_OTHER_METHODS:
                return self._at(path)
        return None

    async def _asked(self, endpoint: Endpoint) -> Endpoint:
        """Send the one message and read the shape of what comes."""
        body = endpoint.body or {"message": MESSAGE, "history": HISTORY}
        reply = await self._post(endpoint.url, _filled(body))
        notes = endpoint.notes
        if isinstance(reply, TransportFailure):
            return _changed(endpoint, body, notes=(*notes, reply.message))
        if 200 <= reply.status < 300:  # noqa: PLR2004 - the 2xx class
            return _answered(endpoint, body, reply)
        return _changed(_renamed(endpoint, reply), body, notes=(*notes, _refusal(reply)))

    async def _get(self, url: str) -> HttpReply | TransportFailure:
        request = HttpRequest(
            method="GET",
            url=url,
            timeout_seconds=_SECONDS,
            headers={"Accept": "application/json"},
            most_body_bytes=_MOST_DOCUMENT_BYTES,
        )
        return await self.transport.send(request, retry=_ONCE)

    async def _post(self, url: str, body: JsonValue) -> HttpReply | TransportFailure:
        request = HttpRequest(
            method="POST",
            url=url,
            timeout_seconds=_ANSWER_SECONDS,
            headers={"Content-Type": "application/json"},
            content=json.dumps(body).encode(),
            most_body_bytes=_MOST_ANSWER_BYTES,
        )
        return await self.transport.send(request, retry=_ONCE)


_NOBODY = frozenset({FailureCode.CONNECTION_REFUSED, FailureCode.NAME_NOT_FOUND, FailureCode.TLS})


def _unnamed(body: Mapping[str, JsonValue]) -> bool:
    return body.get("model") == UNNAMED_MODEL


def _json(reply: HttpReply) -> JsonValue:
    if reply.status != 200:  # noqa: PLR2004 - OK
        return None
    try:
        return reply.json()
    except ValueError:
        return None


def _filled(value: JsonValue) -> JsonValue:
    match value:
        case dict():
            return {key: _filled(inner) for key, inner in value.items()}
        case list():
            return [_filled(inner) for inner in value]
        case str():
            return {MESSAGE: GREETING, HISTORY: [], UUID: "ci-judge-init"}.get(value, value)
        case _:
            return value


def _answered(endpoint: Endpoint, body: Mapping[str, JsonValue], reply: HttpReply) -> Endpoint:
    try:
        document = reply.json()
    except ValueError:
        kind = reply.headers.get("content-type", "")
        if "event-stream" in kind:
            note = "it answers as a stream of events: set stream: sse and stream_path"
        elif "html" in kind:
            return _changed(endpoint, body, notes=(*endpoint.notes, "it answers a web page"))
        else:
            note = "it answered in plain text"
        return _changed(endpoint, body, notes=(*endpoint.notes, note), whole_body=True, found=True)
    path = answer_path(document)
    where = f"the answer stands at {path}" if path else "the answer is the whole body"
    return _changed(
        endpoint,
        body,
        notes=(*endpoint.notes, f"it answered a message in JSON: {where}"),
        response_path=path,
        whole_body=path is None,
        found=True,
    )


def _renamed(endpoint: Endpoint, reply: HttpReply) -> Endpoint:
    """Take the name that a refusal asks for, where it asks for just one."""
    name = missing_field(reply) if endpoint.body is None else None
    return endpoint if name is None else _changed(endpoint, {name: MESSAGE}, notes=endpoint.notes)


def _refusal(reply: HttpReply) -> str:
    status = f"it answered a message with HTTP {reply.status}"
    if reply.status in _WANTS_CREDENTIALS:
        return f"{status}: it wants credentials, set headers"
    if reply.status in _NO_SUCH_PLACE:
        return f"{status}: the path of the address is another"
    if 300 <= reply.status < 400:  # noqa: PLR2004 - the 3xx class
        return f"{status}: it redirects; give the final address"
    said = error_words(_parsed(reply))
    return f"{status}: {reply.redact(said)}" if said else status


def _parsed(reply: HttpReply) -> JsonValue:
    try:
        return reply.json()
    except ValueError:
        return None


def _changed(
    endpoint: Endpoint,
    body: Mapping[str, JsonValue],
    *,
    notes: tuple[str, ...],
    response_path: str | None = None,
    whole_body: bool = False,
    found: bool | None = None,
) -> Endpoint:
    return Endpoint(
        url=endpoint.url,
        body=endpoint.body or body,
        response_path=response_path,
        whole_body=whole_body,
        found=endpoint.found if found is None else found,
        notes=notes,
    )
