"""``ci-judge init --url``: what is asked, what is understood, what is written."""

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import yaml
from click.testing import CliRunner

from ci_judge.cli.init import command
from ci_judge.cli.screen import Screen
from ci_judge.errors import InvalidInput
from ci_judge.settings import load_settings
from ci_judge.transport import Transport
from ci_judge.workflows.detecting import MOST_REQUESTS, Endpoint, detect
from ci_judge.workflows.endpoint_address import endpoint_address
from ci_judge.workflows.initialise import initialise

HOST = "http://bot.example:8000"
QUESTION = {"properties": {"question": {"type": "string"}}, "required": ["question"]}


def openapi(path: str, response: object) -> dict[str, Any]:
    body = {"content": {"application/json": {"schema": QUESTION}}}
    reply = {"content": {"application/json": {"schema": response}}}
    post = {"requestBody": body, "responses": {"200": reply}}
    return {"openapi": "3.1.0", "paths": {path: {"post": post}}}


class Bot:
    """An endpoint: what it answers by method and path, and what it was asked."""

    def __init__(self, answers: dict[str, httpx.Response], *, otherwise: int = 404) -> None:
        self.answers = answers
        self.otherwise = otherwise
        self.asked: list[str] = []
        self.bodies: list[Any] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        assert request.url.host == "bot.example"
        name = f"{request.method} {request.url.path}"
        self.asked.append(name)
        if request.method == "POST":
            self.bodies.append(json.loads(request.content))
        return self.answers.get(name, httpx.Response(self.otherwise))


def look(bot: Callable[[httpx.Request], httpx.Response], url: str = f"{HOST}/") -> Endpoint:
    transport = Transport(http_transport_factory=lambda: httpx.MockTransport(bot))

    async def looked() -> Endpoint:
        try:
            return await detect(url, transport=transport)
        finally:
            await transport.aclose()

    return asyncio.run(looked())


def target_of(folder: Path, endpoint: Endpoint) -> dict[str, Any]:
    """Write the files, load them as a run would, and return the section target as written."""
    initialise(folder, version="1.2.3", endpoint=endpoint)
    load_settings(config=None, cwd=folder, environment={}, overrides={})
    target: dict[str, Any] = yaml.safe_load((folder / "ci-judge.yaml").read_text())["target"]
    return target


def test_a_document_that_tells_all_is_enough_and_nothing_is_posted(tmp_path: Path) -> None:
    answer = {"properties": {"answer": {"type": "string"}}}
    bot = Bot({"GET /openapi.json": httpx.Response(200, json=openapi("/v1/ask", answer))})
    endpoint = look(bot)
    assert bot.asked == ["GET /openapi.json"]
    assert endpoint.found
    assert target_of(tmp_path, endpoint) == {
        "url": f"{HOST}/v1/ask",
        "body": {"question": "{{message}}"},
        "response_path": "answer",
        "timeout": "60s",
    }


def test_what_the_document_leaves_open_is_asked_once(tmp_path: Path) -> None:
    bot = Bot(
        {
            "GET /openapi.json": httpx.Response(200, json=openapi("/ask", {})),
            "POST /ask": httpx.Response(200, json={"data": {"text": "Hello!"}}),
        }
    )
    endpoint = look(bot)
    assert bot.asked == ["GET /openapi.json", "POST /ask"]
    assert bot.bodies == [{"question": "Hello, what can you help me with?"}]
    assert target_of(tmp_path, endpoint)["response_path"] == "data.text"


def test_without_a_document_the_named_path_is_asked(tmp_path: Path) -> None:
    bot = Bot({"POST /talk": httpx.Response(200, json={"reply": "Hello!"})})
    endpoint = look(bot, f"{HOST}/talk")
    assert bot.asked[-1] == "POST /talk"
    assert len(bot.bodies) == 1
    target = target_of(tmp_path, endpoint)
    assert target["body"] == {"message": "{{message}}", "history": "{{history}}"}
    assert target["response_path"] == "reply"


def test_of_the_usual_places_the_one_that_takes_a_post_is_asked() -> None:
    bot = Bot(
        {
            "GET /api/chat": httpx.Response(405),
            "POST /api/chat": httpx.Response(200, text="Hello!"),
        }
    )
    endpoint = look(bot)
    assert endpoint.url == f"{HOST}/api/chat"
    assert endpoint.whole_body
    assert [name for name in bot.asked if name.startswith("POST")] == ["POST /api/chat"]


@pytest.mark.parametrize(
    "refusal",
    [
        {"detail": [{"type": "missing", "loc": ["body", "question"], "msg": "Field required"}]},
        {"error": "question is required"},
        {"error": "Missing required field: 'question'"},
        {"message": 'the "question" field is missing'},
    ],
)
def test_a_refusal_that_names_its_field_is_taken_at_its_word(
    tmp_path: Path, refusal: object
) -> None:
    bot = Bot({"POST /talk": httpx.Response(422, json=refusal)})
    endpoint = look(bot, f"{HOST}/talk")
    assert len(bot.bodies) == 1  # one message, whatever comes of it
    assert not endpoint.found
    assert target_of(tmp_path, endpoint)["body"] == {"question": "{{message}}"}


@pytest.mark.parametrize(
    "words",
    [
        "a session is required",  # no name that messages have
        "question is required, or prompt is required",
        "do not question what is required",
        "{{x}} is required",
    ],
)
def test_a_refusal_that_names_no_one_field_changes_nothing(tmp_path: Path, words: str) -> None:
    bot = Bot({"POST /talk": httpx.Response(400, json={"error": words})})
    body = {"message": "{{message}}", "history": "{{history}}"}
    assert target_of(tmp_path, look(bot, f"{HOST}/talk"))["body"] == body


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.Response(401), "wants credentials"),
        (httpx.Response(307, headers={"Location": "https://evil.example/"}), "redirects"),
        (httpx.Response(500, json={"error": "no  model\nloaded"}), "HTTP 500: no model loaded"),
        (httpx.Response(200, html="<html></html>"), "web page"),
        (
            httpx.Response(200, text="data: x\n\n", headers={"Content-Type": "text/event-stream"}),
            "stream: sse",
        ),
    ],
)
def test_what_else_is_answered_is_said(answer: httpx.Response, words: str) -> None:
    bot = Bot({"POST /talk": answer})  # whose host is asserted: no redirect is followed
    assert words in " ".join(look(bot, f"{HOST}/talk").notes)


def test_nothing_there_is_the_default_with_the_address_that_was_named(tmp_path: Path) -> None:
    bot = Bot({})
    endpoint = look(bot)
    assert not endpoint.found
    assert not bot.bodies
    assert len(bot.asked) < MOST_REQUESTS
    target = target_of(tmp_path, endpoint)
    assert target["url"] == f"{HOST}/"
    assert target["response_path"] == "reply"


def test_a_server_that_is_not_there_is_asked_once() -> None:
    with socket.socket() as taken:  # bound and not listening: nobody answers
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"

        async def looked() -> tuple[Endpoint, int]:
            transport = Transport()
            endpoint = await detect(url, transport=transport)
            await transport.aclose()
            return endpoint, transport.requests_by_origin.total()

        endpoint, requests = asyncio.run(looked())
    assert requests == 1
    assert not endpoint.found
    assert "refused the connection" in endpoint.notes[0]


def test_a_document_of_any_size_is_read_to_its_bound() -> None:
    huge = httpx.Response(200, content=b'{"openapi": "' + b"x" * 5_000_000 + b'"}')
    bot = Bot({"GET /openapi.json": huge, "POST /talk": httpx.Response(200, json={"reply": "x"})})
    assert look(bot, f"{HOST}/talk").response_path == "reply"


def test_a_document_cannot_write_what_it_likes(tmp_path: Path) -> None:
    request = {"properties": {"message": {"type": "string"}, 'x": y\nrun': {"type": "string"}}}
    document = openapi("/chat", {"properties": {'a"\nrun: {}': {"type": "string"}}})
    content = document["paths"]["/chat"]["post"]["requestBody"]["content"]
    content["application/json"]["schema"] = request | {"required": ["message", 'x": y\nrun']}
    document["paths"]["/chat\nrun: {gate: rate}"] = document["paths"]["/chat"]
    bot = Bot(
        {
            "GET /openapi.json": httpx.Response(200, json=document),
            "POST /chat": httpx.Response(200, json={"a b: {": "text", "${HOME}": "longer text"}),
        }
    )
    target = target_of(tmp_path, look(bot))
    assert target["url"] == f"{HOST}/chat"
    assert target["body"] == {"message": "{{message}}"}


def test_a_target_that_takes_no_history_gets_scenarios_without_one(tmp_path: Path) -> None:
    initialise(tmp_path, version="1", endpoint=Endpoint(url=HOST, body={"q": "{{message}}"}))
    scenarios = yaml.safe_load((tmp_path / "scenarios/first.yaml").read_text())["scenarios"]
    assert [each for each in scenarios if "history" in each] == []


def test_a_configuration_that_is_there_is_kept_and_nothing_is_sent(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.yml").write_text("suite: {}\n")
    arguments = [str(tmp_path), "--url", "http://127.0.0.1:9/"]
    result = CliRunner().invoke(command, arguments, obj=Screen())
    assert result.exit_code == 0
    assert not (tmp_path / "ci-judge.yaml").exists()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:8000/chat", "did you mean http://localhost:8000/chat"),
        ("http://me:secret@bot.example/", "credentials"),
        ("http://bot.example/${PATH}", "placeholder"),
        ("ftp://bot.example/", "begins with http"),
    ],
)
def test_an_address_that_cannot_be_used_is_one_line(url: str, words: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        endpoint_address(url)
    assert words in str(raised.value)
    assert str(raised.value).startswith("--url: ")
    assert "secret" not in str(raised.value)


def told(folder: Path, url: str) -> list[str]:
    result = CliRunner().invoke(command, [str(folder), "--url", url], catch_exceptions=False)
    return result.output.splitlines()


@contextmanager
def a_server(answers: bytes) -> Iterator[str]:
    """Serve POST /chat alone, as a small server of one's own does; give its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200 if self.path == "/chat" else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answers)))
            self.end_headers()
            self.wfile.write(answers)

        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


def test_a_recognised_endpoint_is_not_yet_a_suite_of_ones_own(tmp_path: Path) -> None:
    with a_server(b'{"reply": "Hello"}') as address:
        *_, way_on = told(tmp_path, f"{address}/chat")
    assert "look at target in ci-judge.yaml" in way_on
    assert "in the place of the examples in acceptance.md and scenarios/first.yaml" in way_on


def test_criteria_of_ones_own_are_not_told_to_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "acceptance.md").write_text("## My own\n", encoding="utf-8")
    with a_server(b'{"reply": "Hello"}') as address:
        *_, way_on = told(tmp_path, f"{address}/chat")
    assert "example" not in way_on


def test_an_address_of_this_machine_is_told_to_be_nobodys_in_ci(tmp_path: Path) -> None:
    with a_server(b'{"reply": "Hello"}') as address:
        lines = told(tmp_path, f"{address}/chat")
    (note,) = [line for line in lines if "in CI" in line]
    assert "target.serve" in note
    assert "127.0.0.1" in note


def test_a_server_whose_endpoint_cannot_be_guessed_asks_for_the_whole_address(
    tmp_path: Path,
) -> None:
    with a_server(b'{"reply": "Hello"}') as address:
        lines = told(tmp_path, address)
    assert any(
        f"no chat endpoint was found there; give its whole address, such as {address}/chat" in line
        for line in lines
    )
    assert any("delete ci-judge.yaml" in line for line in told(tmp_path, f"{address}/chat"))
