"""The chat endpoint in an OpenAPI document, whatever else the document holds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.rules.chat_shapes import answer_path
from ci_judge.rules.json_outline import leaves, outline
from ci_judge.rules.openapi_documents import ChatOperation, chat_operation, is_openapi

TEXT = {"type": "string"}
REQUEST = {
    "type": "object",
    "required": ["question", "session_id", "stream", "top_k", "tone"],
    "properties": {
        "question": TEXT,
        "session_id": TEXT,
        "history": {"anyOf": [{"type": "array", "items": {}}, {"type": "null"}]},
        "stream": {"type": "boolean", "default": False},
        "top_k": {"type": "integer", "minimum": 3},
        "tone": {"type": "string", "enum": ["warm", "cold"]},
        "debug": {"type": "boolean"},
    },
}
ANSWER = {"type": "object", "properties": {"id": TEXT, "answer": {"$ref": "#/definitions/Text"}}}


def content(schema: object) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def post(request: object, response: object = None, **more: Any) -> dict[str, Any]:
    return {
        "post": {
            "requestBody": content(request),
            "responses": {"200": content(response or {})},
            **more,
        }
    }


def document(paths: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "paths": paths, "definitions": {"Text": TEXT}, **more}


def found(paths: dict[str, Any], *, wanted_path: str = "", **more: Any) -> ChatOperation:
    operation = chat_operation(document(paths, **more), wanted_path=wanted_path)
    assert operation is not None
    return operation


def test_message_history_and_what_else_is_required_make_the_body() -> None:
    operation = found({"/ask": post(REQUEST, ANSWER)})
    assert operation.body == {
        "question": "{{message}}",
        "history": "{{history}}",
        "session_id": "{{uuid}}",
        "stream": False,
        "top_k": 3,
        "tone": "warm",
    }
    assert operation.response_path == "answer"


def test_the_path_that_was_named_wins_over_the_most_chat_like() -> None:
    paths = {"/translate": post({"properties": {"text": TEXT}}), "/v1/chat": post(REQUEST)}
    assert found(paths).path == "/v1/chat"
    assert found(paths, wanted_path="/translate/").path == "/translate"


def test_the_shape_of_openai_and_its_model() -> None:
    request = {"properties": {"model": TEXT, "messages": {"type": "array", "items": {}}}}
    body = found({"/v1/chat/completions": post(request)}).body
    assert body == {
        "model": "your-model",
        "messages": [{"role": "user", "content": "{{message}}"}],
    }


def test_servers_and_base_paths_come_first_and_other_origins_are_not_taken_over() -> None:
    paths = {"/chat": post(REQUEST)}
    assert found(paths, servers=[{"url": "/api/v2/"}]).path == "/api/v2/chat"
    assert found(paths, servers=[{"url": "https://elsewhere.example/v3"}]).path == "/v3/chat"
    swagger = {
        "swagger": "2.0",
        "basePath": "/v1",
        "paths": {
            "/chat": {
                "post": {
                    "parameters": [{"in": "body", "schema": REQUEST}],
                    "responses": {"200": {"schema": ANSWER}},
                }
            }
        },
        "definitions": {"Text": TEXT},
    }
    operation = chat_operation(swagger)
    assert operation is not None
    assert (operation.path, operation.response_path) == ("/v1/chat", "answer")


def test_an_open_response_and_a_lock_are_said() -> None:
    operation = found({"/chat": post(REQUEST, security=[{"bearer": []}])})
    assert operation.response_path is None
    assert operation.secured


@pytest.mark.parametrize(
    "paths",
    [
        {},
        {"/chat": {"get": {}}},
        {"/chat": post({"properties": {"file": TEXT}})},
        {"/chat": post({"properties": {"message": {"type": "integer"}}})},
        {"/users/{id}/chat": post(REQUEST)},
        {"/${HOME}/chat": post(REQUEST)},
        {"/chat": post({"$ref": "#/definitions/Nowhere"})},
    ],
)
def test_what_is_no_chat_endpoint_is_none(paths: dict[str, Any]) -> None:
    assert chat_operation(document(paths)) is None


def test_a_text_that_may_be_null_is_a_text() -> None:
    request = {"required": [["odd"]], "properties": {"message": {"type": ["null", "string"]}}}
    assert found({"/chat": post(request)}).body == {"message": "{{message}}"}


def test_references_in_a_circle_end() -> None:
    circle = {
        "A": {"$ref": "#/definitions/B"},
        "B": {"$ref": "#/definitions/A"},
        "Deep": {"properties": {"more": {"$ref": "#/definitions/Deep"}}},
    }
    paths = {
        "/a": post({"$ref": "#/definitions/A"}),
        "/b": post(REQUEST, {"$ref": "#/definitions/Deep"}),
    }
    operation = chat_operation(document(paths) | {"definitions": circle})
    assert operation is not None
    assert operation.response_path is None


def test_no_template_and_no_odd_name_is_taken_over() -> None:
    request = {
        "required": ["message", "tone", "a b", "x${HOME}"],
        "properties": {
            "message": TEXT,
            "tone": {"type": "string", "default": "${SECRET}", "enum": ["{{message}}"]},
            "a b": TEXT,
            "x${HOME}": TEXT,
        },
    }
    assert found({"/chat": post(request)}).body == {"message": "{{message}}", "tone": "example"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("post", "schema", "content", "application/json", "properties", "$ref"),
                    *("message", "anyOf", "requestBody", "responses", "200", "required", "type"),
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(item=JSON, servers=JSON, base=JSON)
def test_no_document_is_too_odd_to_be_read(item: Any, servers: Any, base: Any) -> None:
    odd = {"openapi": 1, "paths": {"/chat": item}, "servers": servers, "basePath": base}
    assert is_openapi(odd)
    chat_operation(odd)


@given(value=JSON)
def test_what_is_no_document_is_told_apart(value: Any) -> None:
    assert not is_openapi(value)


@pytest.mark.parametrize(
    ("reply", "path"),
    [
        ({"reply": "hi"}, "reply"),
        (
            {
                "id": "chatcmpl-1",
                "choices": [{"message": {"role": "assistant", "content": "hi"}}],
                "model": "m",
            },
            "choices.0.message.content",
        ),
        ({"status": "a longer text of no use", "data": {"answer": "hi"}}, "data.answer"),
        ({"a": "x", "b": "the longest text"}, "b"),
        ({"n": 1}, None),
        ("text", None),
        ([], None),
    ],
)
def test_the_answer_is_found_by_name_else_by_length(reply: Any, path: str | None) -> None:
    assert answer_path(reply) == path


def test_an_outline_shows_texts_first_with_their_kinds() -> None:
    value = {
        "usage": {"total": 3},
        "choices": [{"content": "x"}, {"content": "y"}],
        "done": True,
        "none": None,
        "a.b": "no path names it",
        "k" * 50: "may be a secret",
    }
    assert outline(value) == (
        "choices.0.content (text), usage.total (number), done (true or false), none (null)"
    )
    assert outline({str(n): n for n in range(9)}).endswith("5 (number) and 3 more")
    assert outline([]) == ""


def test_an_outline_is_bounded() -> None:
    deep: Any = "x"
    for _ in range(50):
        deep = {"a": deep}
    assert list(leaves(deep)) == []
    assert len(list(leaves({str(n): n for n in range(10_000)}))) == 200
