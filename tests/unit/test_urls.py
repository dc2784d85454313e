"""URLs that can be none, and what was perhaps meant."""

import pytest
from pydantic_core import PydanticCustomError

from ci_judge.file_schema.urls import http_url


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost",
        "HTTPS://api.example.com/chat?key=1",
        "http://127.0.0.1:65535/x",
        "http://[::1]:8000/x",
        "http://me:pw@host:81/",
        "http://127.0.0.1:{{port}}/x",
        "http://127.0.0.1:{{ port }}/{{ message }}",
        "http://host:/x",
        "http://b\u00fccher.example/",
    ],
)
def test_a_url_that_can_be_asked_is_taken_as_it_is(url: str) -> None:
    assert http_url(url) == url


def refusal(url: str) -> tuple[str, str | None]:
    with pytest.raises(PydanticCustomError) as caught:
        http_url(url)
    assert caught.value.context is not None
    return caught.value.message(), caught.value.context["hint"]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:87655/x", '"87655"'),
        ("http://h:0/", '"0"'),
        ("http://h:eighty/", '"eighty"'),
        ("http://h:\u0663/", '"\u0663"'),
        ("http://[::1/x", '"[::1"'),
        ("http://:80/x", '":80"'),
        ("http://a..b/", '"a..b"'),
        ("http://${HOST}/", '"${HOST}"'),
        ("http://a b/", '"http://a b/"'),
        ("ftp://h/", '"ftp://h/"'),
    ],
)
def test_a_url_that_nothing_could_ask_is_refused_and_shown(url: str, shown: str) -> None:
    assert shown in refusal(url)[0]


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("localhost:8765/api", "http://localhost:8765/api"),
        ("127.0.0.1:80", "http://127.0.0.1:80"),
        ("bot:8080/x", "http://bot:8080/x"),
        ("[::1]:80/x", "http://[::1]:80/x"),
        ("api.example.com/chat", "https://api.example.com/chat"),
        ("//api.example.com/chat", "https://api.example.com/chat"),
        ("127.0.0.1:{{port}}/x", "http://127.0.0.1:{{port}}/x"),
        ("http:/localhost/x", "http://localhost/x"),
        ("htps://api.example.com/chat", "https://api.example.com/chat"),
        ("htp://localhost/x", "http://localhost/x"),
        ("ftp://localhost/x", None),
        ("/api/chat", None),
    ],
)
def test_a_missing_scheme_is_offered(url: str, meant: str | None) -> None:
    assert refusal(url)[1] == (f"did you mean {meant}?" if meant else None)


def test_a_typographic_quote_is_named() -> None:
    _, hint = refusal("\u201chttp://x/\u201d")
    assert hint is not None
    assert "\u201c (U+201C)" in hint


@pytest.mark.parametrize(
    "url",
    [
        "http://me:hush@h x/?k=hush",
        "me:hush@host/x?k=hush",
        "http:/me:hush@h/?k=hush",
        "http://me:hush@host:99999/?k=hush",
    ],
)
def test_credentials_and_the_query_are_not_shown(url: str) -> None:
    assert "hush" not in str(refusal(url))
