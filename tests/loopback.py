"""A JSON server on the loopback address: answers by path, keeps what it was asked."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[str, Any], tuple[int, Any]]


@dataclass(slots=True)
class Asked:
    """One request: path, headers (lower-case names), JSON body."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass(slots=True)
class Served:
    url: str
    requests: list[Asked] = field(default_factory=list)

    def to(self, path: str) -> list[Asked]:
        return [request for request in self.requests if request.path == path]


@contextmanager
def serving(answer: Answer) -> Iterator[Served]:
    """Serve ``answer(path, body) -> (status, JSON value)`` until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    served = Served(url=f"http://127.0.0.1:{server.server_port}")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = json.loads(content) if content else None
            headers = {name.lower(): text for name, text in self.headers.items()}
            served.requests.append(Asked(path=self.path, headers=headers, body=body))
            status, value = answer(self.path, body)
            with suppress(ConnectionError):  # whoever asked may be gone by now
                self._reply(status, json.dumps(value).encode())

        def _reply(self, status: int, reply: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            pass

    server.RequestHandlerClass = Handler
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join(timeout=10)
        server.server_close()
