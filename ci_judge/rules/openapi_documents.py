"""The chat endpoint that an OpenAPI document (2 or 3) describes, if it describes one.

The document comes from whoever answers there: nothing in it is trusted to be of the right kind,
references are followed a few steps, and only plain names and paths are taken over.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ci_judge.model.suite import JsonValue
from ci_judge.rules.chat_shapes import (
    HISTORY,
    MESSAGE,
    UUID,
    answer_path,
    history_name,
    is_id,
    is_plain_name,
    message_name,
)

UNNAMED_MODEL = "your-model"

_PATH = re.compile(r"/[\w./~@:+,=-]{0,300}")
_PLAIN_TEXT = re.compile(r"[\w ./:-]{1,100}")
_CHATTY = (
    *("chat/completions", "chat", "converse", "conversation", "ask", "answer", "message"),
    *("query", "prompt", "generate", "complete", "invoke", "predict"),
)
_MOST_PATHS = 500
_MOST_STEPS = 8
_MOST_DEPTH = 6
_MOST_FIELDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOperation:
    """A POST that takes a message: its path, the body to send, where the answer stands.

    ``response_path`` is None where the document does not tell.
    """

    path: str
    body: Mapping[str, JsonValue]
    response_path: str | None
    secured: bool = field(default=False)


def is_openapi(document: JsonValue) -> bool:
    """Tell whether a JSON value is an OpenAPI document at all."""
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        return False
    return "openapi" in document or "swagger" in document


def chat_operation(document: JsonValue, *, wanted_path: str = "") -> ChatOperation | None:
    """Return the operation at ``wanted_path`` if it takes a message, else the most chat-like."""
    found = list(_operations(document))
    exact = [each for each in found if each.path.rstrip("/") == wanted_path.rstrip("/") != ""]
    if exact:
        return exact[0]
    return min(found, key=lambda each: (_chattiness(each.path), each.path), default=None)


def _chattiness(path: str) -> int:
    ranks = (rank for rank, word in enumerate(_CHATTY) if word in path.lower())
    return next(ranks, len(_CHATTY))


def _operations(document: JsonValue) -> Iterator[ChatOperation]:
    base = _base_path(document)
    for path, item in list(document["paths"].items())[:_MOST_PATHS]:
        post = item.get("post") if isinstance(item, dict) else None
        whole = f"{base}{path}"
        if not isinstance(post, dict) or _PATH.fullmatch(whole) is None:
            continue
        body = _body(document, _request_schema(document, post))
        if body is not None:
            yield ChatOperation(
                path=whole,
                body=body,
                response_path=answer_path(_sample(document, _response_schema(document, post))),
                secured=bool(post.get("security", document.get("security"))),
            )


def _base_path(document: JsonValue) -> str:
    """Return what all paths begin with; a server of another origin is none of ours to ask."""
    servers = document.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else None
    url = first.get("url") if isinstance(first, dict) else document.get("basePath")
    if not isinstance(url, str):
        return ""
    try:
        return urlsplit(url).path.rstrip("/")
    except ValueError:
        return ""


# --- schemas -----------------------------------------------------------------------------


def _request_schema(document: JsonValue, post: JsonValue) -> JsonValue:
    for parameter in _list(post.get("parameters")):
        if isinstance(parameter, dict) and parameter.get("in") == "body":
            return _resolved(document, parameter.get("schema"))
    return _content_schema(document, post.get("requestBody"))


def _response_schema(document: JsonValue, post: JsonValue) -> JsonValue:
    responses = post.get("responses")
    if not isinstance(responses, dict):
        return {}
    good: JsonValue = next(
        (responses[code] for code in ("200", "201", "default") if code in responses), {}
    )
    good = _resolved(document, good)
    if "schema" in good:
        return _resolved(document, good["schema"])
    return _content_schema(document, good)


def _content_schema(document: JsonValue, holder: JsonValue) -> JsonValue:
    content = _resolved(document, holder).get("content")
    kinds = content.items() if isinstance(content, dict) else ()
    media = next((each for kind, each in kinds if "json" in kind), None)
    return _resolved(document, media.get("schema")) if isinstance(media, dict) else {}


def _resolved(document: JsonValue, schema: JsonValue) -> dict[str, JsonValue]:
    """Follow references inside the document; an empty schema for what is none."""
    for _ in range(_MOST_STEPS):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return _without_choices(document, schema)
        schema = _at(document, reference)
    return {}


def _without_choices(document: JsonValue, schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Take the first real choice of anyOf, oneOf or allOf (FastAPI writes ``X | None`` so)."""
    for key in ("anyOf", "oneOf", "allOf"):
        for choice in _list(schema.get(key)):
            if isinstance(choice, dict) and choice.get("type") != "null":
                reference = choice.get("$ref")
                inner = _at(document, reference) if isinstance(reference, str) else choice
                return inner if isinstance(inner, dict) else {}
    return schema


def _at(document: JsonValue, reference: str) -> JsonValue:
    if not reference.startswith("#/"):
        return None
    here = document
    for step in reference[2:].split("/")[:_MOST_STEPS]:
        here = (
            here.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(here, dict) else {}
        )
    return here


def _properties(schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    found = schema.get("properties")
    given = list(found.items())[:_MOST_FIELDS] if isinstance(found, dict) else []
    return {name: inner for name, inner in given if is_plain_name(name)}


def _type(schema: Mapping[str, JsonValue]) -> JsonValue:
    """Return the type; of several (``["string", "null"]``) the first that is one."""
    given = schema.get("type")
    several = given if isinstance(given, list) else [given]
    return next((each for each in several if each != "null"), None)


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


# --- bodies and replies ------------------------------------------------------------------


def _body(document: JsonValue, schema: Mapping[str, JsonValue]) -> dict[str, JsonValue] | None:
    """Return what to send: the message, what was said before, and what else is required."""
    fields = {name: _resolved(document, inner) for name, inner in _properties(schema).items()}
    texts = [name for name, inner in fields.items() if _type(inner) == "string"]
    message = message_name(texts)
    if message is None:
        return _messages_body(fields)
    lists = [name for name, inner in fields.items() if _type(inner) == "array"]
    history = history_name(lists)
    body: dict[str, JsonValue] = {message: MESSAGE}
    if history is not None:
        body[history] = HISTORY
    return body | _required(schema, fields, known=body)


def _messages_body(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue] | None:
    """Return the body of OpenAI's shape, which has no place of its own for the history."""
    if _type(fields.get("messages", {})) != "array":
        return None
    model = _plain_example(fields["model"]) if "model" in fields else None
    named = {"model": model or UNNAMED_MODEL} if "model" in fields else {}
    return named | {"messages": [{"role": "user", "content": MESSAGE}]}


def _required(
    schema: Mapping[str, JsonValue], fields: Mapping[str, JsonValue], *, known: Mapping[str, object]
) -> dict[str, JsonValue]:
    listed = _list(schema.get("required"))
    needed = [name for name in fields if name in listed and name not in known]
    return {name: UUID if is_id(name) else _example(fields[name]) for name in needed}


def _example(schema: JsonValue) -> JsonValue:
    match _type(schema):
        case "boolean":
            return schema.get("default") is True
        case "integer" | "number":
            given = schema.get("default", schema.get("minimum", 1))
            return given if isinstance(given, int | float) else 1
        case "array":
            return []
        case "object":
            return {}
        case _:
            return _plain_example(schema) or "example"


def _plain_example(schema: JsonValue) -> str | None:
    """Return a text that the schema names and that means nothing to our templates."""
    given = (schema.get("default"), schema.get("example"), *_list(schema.get("enum"))[:1])
    plain = (text for text in given if isinstance(text, str) and _PLAIN_TEXT.fullmatch(text))
    return next(plain, None)


def _sample(document: JsonValue, schema: JsonValue, depth: int = 0) -> JsonValue:
    """Make a reply of the schema's shape, with texts where it has texts."""
    if depth > _MOST_DEPTH:
        return None
    match _type(schema):
        case "string":
            return "text"
        case "array":
            items = _resolved(document, schema.get("items"))
            return [_sample(document, items, depth + 1)]
        case _:
            inner = _properties(schema).items()
            return {
                name: _sample(document, _resolved(document, each), depth + 1)
                for name, each in inner
            }
