"""Whatever shape an error answer has, it becomes one sentence."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.judges.error_body import error_sentence
from ci_judge.transport import HttpReply


def sentence(body: bytes) -> str:
    return error_sentence(HttpReply(status=400, headers={}, body=body, latency_seconds=0.1))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            {"detail": {"error_type": "authentication_error", "message": "Must supply a key"}},
            "authentication_error: Must supply a key",
        ),
        (
            {"detail": [{"loc": ["body", "state"], "msg": "Field required", "type": "missing"}]},
            "missing: Field required (at body.state)",
        ),
        ({"detail": "Not Found"}, "Not Found"),
        ({"error": "bad key"}, "bad key"),
        (
            {"error": {"message": "No such model", "type": "invalid_request_error"}},
            "invalid_request_error: No such model",
        ),
        (
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            "overloaded_error: Overloaded",
        ),
        ([{"error": {"code": 400, "message": "Bad"}}], "Bad"),
        ({"message": "slow down"}, "slow down"),
        ({"error": {"code": "model_not_found"}}, "model_not_found"),
        ({"error": {"message": "<b>no</b>"}}, "no"),
        ({"errors": 3}, ""),
        ("plain", "plain"),
        (None, ""),
    ],
)
def test_every_known_shape_is_read(body: Any, said: str) -> None:
    assert sentence(json.dumps(body).encode()) == said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"Unauthorized", "Unauthorized"),
        (b"<html><head><title>502 Bad\nGateway</title></head><body>x</body>", "502 Bad Gateway"),
        (
            b"<style>p{}</style><script>alert(1)</script><p>Down for <b>work</b></p>",
            "Down for work",
        ),
        (b"", ""),
    ],
)
def test_texts_and_pages_are_read(body: bytes, said: str) -> None:
    assert sentence(body) == said


@given(st.binary(max_size=2000))
def test_any_bytes_are_one_short_line(body: bytes) -> None:
    said = sentence(body)
    assert "\n" not in said
    assert len(said) <= 300


def test_hostile_bodies_stay_short() -> None:
    deep = b'{"error": ' * 150 + b'"x"' + b"}" * 150
    assert sentence(deep) == ""
    assert len(sentence(b"<" * 1_000_000)) <= 300
    assert len(sentence(json.dumps({"error": "x\n" * 100_000}).encode())) <= 300
