"""A GitHub on the loopback address: comments of pull requests, with a memory."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "ghs_0123456789abcdef"
LONGEST_COMMENT = 65_536

_CREATE = re.compile(r"/api/v3/repos/([\w.-]+/[\w.-]+)/issues/(\d+)/comments")
_UPDATE = re.compile(r"/api/v3/repos/([\w.-]+/[\w.-]+)/issues/comments/(\d+)")


@dataclass(slots=True, kw_only=True)
class StoredComment:
    id: int
    body: str | None
    ours: bool


@dataclass(slots=True)
class GitHubState:
    """What the fake holds (of one pull request) and what it was asked.

    ``refuse_writes`` and ``refuse_reads`` are statuses to answer with instead.
    """

    comments: list[StoredComment] = field(default_factory=list)
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    refuse_reads: int | None = None
    refuse_writes: int | None = None
    base: str = ""

    @property
    def writes(self) -> list[tuple[str, str]]:
        return [(method, path) for method, path, _ in self.requests if "graphql" not in path]

    @property
    def reads(self) -> int:
        return sum("graphql" in path for _, path, _ in self.requests)

    def add(self, body: str | None, *, ours: bool = False) -> StoredComment:
        # beyond 32 bits, as real ids are
        comment = StoredComment(id=5_000_000_001 + len(self.comments), body=body, ours=ours)
        self.comments.append(comment)
        return comment

    def environment(self) -> dict[str, str]:
        return {
            "GITHUB_API_URL": f"{self.base}/api/v3",
            "GITHUB_GRAPHQL_URL": f"{self.base}/api/graphql",
        }

    def url_of(self, comment: StoredComment) -> str:
        return f"https://github.example/octo-org/example/pull/7#issuecomment-{comment.id}"


@contextmanager
def github() -> Iterator[GitHubState]:
    """Serve until the end of the block."""
    state = GitHubState()
    handler = type("Handler", (_Handler,), {"state": state})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        state.base = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join(timeout=10)


class _Handler(BaseHTTPRequestHandler):
    state: GitHubState
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self._received()
        if self.path == "/api/graphql":
            self._answer(*self._query(body))
        elif _CREATE.fullmatch(self.path):
            self._write(self.state.add, body, created=True)
        else:
            self._answer(404, {"message": "Not Found"})

    def do_PATCH(self) -> None:
        body = self._received()
        found = _UPDATE.fullmatch(self.path)
        by_id = {str(one.id): one for one in self.state.comments if one.ours}
        comment = by_id.get(found[2]) if found else None
        if comment is None:
            self._answer(404, {"message": "Not Found"})
            return

        def change(text: str, *, ours: bool) -> StoredComment:
            del ours
            comment.body = text
            return comment

        self._write(change, body, created=False)

    def _received(self) -> dict[str, Any]:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.state.requests.append((self.command, self.path, headers))
        body = json.loads(self.rfile.read(int(headers["content-length"])))
        assert isinstance(body, dict)
        return body

    def _write(self, store: Any, body: dict[str, Any], *, created: bool) -> None:
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._answer(401, {"message": "Bad credentials"})
        elif self.state.refuse_writes:
            message = "Resource not accessible by integration"
            self._answer(self.state.refuse_writes, {"message": message})
        elif len(body["body"]) > LONGEST_COMMENT:
            self._answer(422, {"message": "Validation Failed"})
        else:
            comment = store(body["body"], ours=True)
            answer = {
                "id": comment.id,
                "html_url": self.state.url_of(comment),
                "body": comment.body,
            }
            self._answer(201 if created else 200, answer)

    def _query(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self.state.refuse_reads:
            return self.state.refuse_reads, {"message": "Resource not accessible by integration"}
        variables = body["variables"]
        if (variables["owner"], variables["name"], variables["number"]) != (
            "octo-org",
            "example",
            7,
        ):
            error = {"type": "NOT_FOUND", "message": "Could not resolve to a PullRequest"}
            return 200, {"data": {"repository": {"pullRequest": None}}, "errors": [error]}
        size = int(re.search(r"first:\s*(\d+)", body["query"])[1])  # type: ignore[index] # a query without a page size must fail the test
        start = int(variables["after"] or 0)
        end = start + min(size, 100)
        comments = {
            "pageInfo": {"hasNextPage": end < len(self.state.comments), "endCursor": str(end)},
            "nodes": [self._node(one) for one in self.state.comments[start:end]],
        }
        return 200, {"data": {"repository": {"pullRequest": {"comments": comments}}}}

    def _node(self, comment: StoredComment) -> dict[str, Any]:
        return {
            "fullDatabaseId": str(comment.id),
            "url": self.state.url_of(comment),
            "body": comment.body,
            "viewerDidAuthor": comment.ours,
        }

    def _answer(self, status: int, answer: dict[str, Any]) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named by http.server
        del format, args
