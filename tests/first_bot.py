"""A small chat server as people first have one: an OpenAPI document, and ways to go wrong."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = 'You get the full price back within 14 days, and there is no "but".'
DOCUMENT = {
    "openapi": "3.1.0",
    "paths": {
        "/health": {"get": {"responses": {"200": {}}}},
        "/chat": {
            "post": {
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/In"}}}
                },
                "responses": {"200": {"content": {"application/json": {"schema": {}}}}},
            }
        },
    },
    "components": {
        "schemas": {
            "In": {
                "type": "object",
                "required": ["question"],
                "properties": {
                    "question": {"type": "string"},
                    "history": {"type": "array", "items": {}},
                },
            }
        }
    },
}
MISSING = [{"type": "missing", "loc": ["body", "question"], "msg": "Field required", "input": {}}]
REPLIES: dict[str, tuple[int, str, str]] = {
    "/openai": (
        200,
        "application/json",
        json.dumps({"choices": [{"message": {"content": ANSWER}}]}),
    ),
    "/html": (200, "text/html", "<!doctype html><title>Sign in</title>"),
    "/401": (401, "application/json", '{"detail": "Not authenticated"}'),
    "/403": (403, "application/json", '{"detail": "Forbidden"}'),
    "/405": (405, "application/json", '{"detail": "Method Not Allowed"}'),
    "/422": (422, "application/json", json.dumps({"detail": MISSING})),
    "/empty": (200, "application/json", ""),
}


@dataclass(slots=True)
class FirstBot:
    """Where it listens, and the bodies it was sent."""

    url: str
    messages: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def first_bot() -> Iterator[FirstBot]:
    """Serve until the block ends, on a free port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    bot = FirstBot(url=f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = _handler(bot)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield bot
    finally:
        server.shutdown()
        thread.join(timeout=10)
        server.server_close()


def _handler(bot: FirstBot) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path == "/openapi.json":
                self._send(200, "application/json", json.dumps(DOCUMENT))
            else:
                self._send(404, "application/json", '{"detail": "Not Found"}')

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            bot.messages.append(body)
            if self.path == "/chat":
                self._send(200, "application/json", json.dumps({"answer": ANSWER}))
            else:
                missing = (404, "application/json", '{"detail": "Not Found"}')
                self._send(*REPLIES.get(self.path, missing))

        def _send(self, status: int, kind: str, text: str) -> None:
            content = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            if status == 405:
                self.send_header("Allow", "GET, HEAD")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
