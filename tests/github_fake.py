"""A GitHub with a memory: comments and pull requests, on the loopback address or in the process.

``GitHubState`` answers; ``github`` serves it over HTTP, ``Hub`` in the process itself, where a test
decides who is answered when. What a test wants to go wrong is a ``Fault``.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from ci_judge.transport import HttpReply, HttpRequest, RetryPolicy

TOKEN = "ghs_0123456789abcdef"
LONGEST_COMMENT = 65_536
REPOSITORY = "octo-org/example"
HEAD = "f" * 40

_API = "/api/v3"
_COMMENTS = re.compile(r"/repos/([\w.-]+/[\w.-]+)/issues/(\d+)/comments")
_COMMENT = re.compile(r"/repos/([\w.-]+/[\w.-]+)/issues/comments/(\d+)")
_PULL = re.compile(r"/repos/([\w.-]+/[\w.-]+)/pulls/(\d+)")
_PULLS = re.compile(r"/repos/([\w.-]+/[\w.-]+)/pulls")
_PULLS_OF = re.compile(r"/repos/([\w.-]+/[\w.-]+)/commits/(\w+)/pulls")
_REFUSED = "Resource not accessible by integration"


@dataclass(slots=True, kw_only=True)
class StoredComment:
    id: int
    body: str | None
    ours: bool


@dataclass(slots=True, kw_only=True)
class StoredPull:
    number: int
    sha: str
    owner: str = "octo-org"
    branch: str = "feature"
    state: str = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request; ``path`` has neither host nor query."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Fault:
    """An answer given instead, to requests of this method and a path that holds this text.

    With ``done`` the request is carried out all the same, as when a gateway loses the answer.
    """

    answer: Answered
    method: str = ""
    path: str = ""
    times: int = 1_000
    done: bool = False

    def strikes(self, asked: Asked) -> bool:
        hit = asked.method.startswith(self.method) and self.path in asked.path and self.times > 0
        self.times -= hit
        return hit


@dataclass(slots=True)
class GitHubState:
    """What the fake holds and what it was asked.

    The comments are those of the one pull request, 7; ``pulls`` are all that can be found.
    ``refuse_writes`` and ``refuse_reads`` are statuses to answer with instead. ``templates`` are
    what the answers have besides ("comment", "pull", "listed"), as GitHub's own examples do.
    """

    comments: list[StoredComment] = field(default_factory=list)
    pulls: list[StoredPull] = field(default_factory=lambda: [StoredPull(number=7, sha=HEAD)])
    exchanges: list[tuple[Asked, Answered]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    templates: dict[str, dict[str, Any]] = field(default_factory=dict)
    refuse_reads: int | None = None
    refuse_writes: int | None = None
    base: str = "https://github.example"
    next_id: int = 5_000_000_001  # beyond 32 bits, as real ids are

    @property
    def requests(self) -> list[tuple[str, str, dict[str, str]]]:
        return [(asked.method, asked.path, asked.headers) for asked, _ in self.exchanges]

    @property
    def writes(self) -> list[tuple[str, str]]:
        return [
            (method, path)
            for method, path, _ in self.requests
            if method != "GET" and "graphql" not in path
        ]

    @property
    def reads(self) -> int:
        return sum("graphql" in path for _, path, _ in self.requests)

    def add(self, body: str | None, *, ours: bool = False) -> StoredComment:
        comment = StoredComment(id=self.next_id, body=body, ours=ours)
        self.next_id += 1
        self.comments.append(comment)
        return comment

    def environment(self) -> dict[str, str]:
        return {
            "GITHUB_API_URL": f"{self.base}{_API}",
            "GITHUB_GRAPHQL_URL": f"{self.base}/api/graphql",
        }

    def url_of(self, comment: StoredComment) -> str:
        return f"https://github.example/{REPOSITORY}/pull/7#issuecomment-{comment.id}"

    def answer(self, asked: Asked) -> Answered:
        """Answer one request, and remember it."""
        fault = next((fault for fault in self.faults if fault.strikes(asked)), None)
        if fault is None:
            answered = self._answer(asked)
        else:
            answered = fault.answer
            if fault.done:
                self._answer(asked)
        self.exchanges.append((asked, answered))
        return answered

    def _answer(self, asked: Asked) -> Answered:
        if asked.headers.get("authorization") != f"Bearer {TOKEN}":
            return Answered(status=401, body={"message": "Bad credentials"})
        reading = asked.method == "GET" or asked.path.endswith("/graphql")
        refused = self.refuse_reads if reading else self.refuse_writes
        if refused:
            return Answered(status=refused, body={"message": _REFUSED})
        if asked.path == "/api/graphql":
            return Answered(status=200, body=self._query(asked.body))
        return self._rest(asked, asked.path.removeprefix(_API))

    def _rest(self, asked: Asked, path: str) -> Answered:
        if asked.method == "POST" and _COMMENTS.fullmatch(path):
            return self._created(asked.body["body"])
        if found := _COMMENT.fullmatch(path):
            return self._on_comment(asked, int(found[2]))
        if found := _PULL.fullmatch(path):
            pulls = [pull for pull in self.pulls if pull.number == int(found[2])]
            return Answered(status=200, body=self._pull(pulls[0], "pull")) if pulls else _MISSING
        if found := _PULLS_OF.fullmatch(path):
            return self._page(asked, [pull for pull in self.pulls if pull.sha == found[2]])
        if _PULLS.fullmatch(path):
            return self._page(asked, self._filtered(asked.query))
        return _MISSING

    def _created(self, text: str) -> Answered:
        if len(text) > LONGEST_COMMENT:
            return _TOO_LONG
        return Answered(status=201, body=self._comment(self.add(text, ours=True)))

    def _on_comment(self, asked: Asked, id_: int) -> Answered:
        comment = next((one for one in self.comments if one.id == id_), None)
        if comment is None:
            return _MISSING
        if asked.method != "GET" and not comment.ours:
            return Answered(status=403, body={"message": _REFUSED})
        if asked.method == "DELETE":
            self.comments.remove(comment)
            return Answered(status=204)
        if asked.method == "PATCH":
            if len(asked.body["body"]) > LONGEST_COMMENT:
                return _TOO_LONG
            comment.body = asked.body["body"]
        return Answered(status=200, body=self._comment(comment))

    def _comment(self, comment: StoredComment) -> dict[str, Any]:
        own = {"id": comment.id, "html_url": self.url_of(comment), "body": comment.body}
        return {**self.templates.get("comment", {}), **own}

    def _pull(self, pull: StoredPull, template: str) -> dict[str, Any]:
        body = deepcopy(self.templates.get(template, {}))
        body |= {"number": pull.number, "state": pull.state}
        body["head"] = {**body.get("head", {}), "sha": pull.sha, "ref": pull.branch}
        return body

    def _filtered(self, query: dict[str, str]) -> list[StoredPull]:
        wanted = query.get("head", "")
        pulls = [pull for pull in self.pulls if pull.state == query.get("state", "open")]
        # as GitHub does: a filter without a colon is ignored
        return [p for p in pulls if ":" not in wanted or wanted == f"{p.owner}:{p.branch}"]

    def _page(self, asked: Asked, pulls: list[StoredPull]) -> Answered:
        size, page = int(asked.query.get("per_page", 30)), int(asked.query.get("page", 1))
        shown = pulls[(page - 1) * size : page * size]
        following = f"{self.base}{asked.path}?{urlencode(asked.query | {'page': page + 1})}"
        more = page * size < len(pulls)
        return Answered(
            status=200,
            body=[self._pull(pull, "listed") for pull in shown],
            headers={"Link": f'<{self.base}/first>; rel="first", <{following}>; rel="next"'}
            if more
            else {},
        )

    def _query(self, body: dict[str, Any]) -> dict[str, Any]:
        variables = body["variables"]
        known = (*REPOSITORY.split("/"), 7)
        if (variables["owner"], variables["name"], variables["number"]) != known:
            error = {"type": "NOT_FOUND", "message": "Could not resolve to a PullRequest"}
            return {"data": {"repository": {"pullRequest": None}}, "errors": [error]}
        size = int(re.search(r"first:\s*(\d+)", body["query"])[1])  # type: ignore[index] # a query without a page size must fail the test
        start = int(variables["after"] or 0)
        end = start + min(size, 100)
        comments = {
            "pageInfo": {"hasNextPage": end < len(self.comments), "endCursor": str(end)},
            "nodes": [self._node(one) for one in self.comments[start:end]],
        }
        return {"data": {"repository": {"pullRequest": {"comments": comments}}}}

    def _node(self, comment: StoredComment) -> dict[str, Any]:
        return {
            "fullDatabaseId": str(comment.id),
            "url": self.url_of(comment),
            "body": comment.body,
            "viewerDidAuthor": comment.ours,
        }


_MISSING = Answered(status=404, body={"message": "Not Found"})
_TOO_LONG = Answered(
    status=422,
    body={
        "message": "Validation Failed",
        "errors": [{"resource": "IssueComment", "field": "body", "code": "too_long"}],
    },
)


def _asked(method: str, target: str, headers: dict[str, str], content: bytes) -> Asked:
    parts = urlsplit(target)
    return Asked(
        method=method,
        path=parts.path,
        query=dict(parse_qsl(parts.query)),
        headers=headers,
        body=json.loads(content) if content else None,
    )


class Hub:
    """The way to a state without a network: a ``Sender`` that never tries again."""

    def __init__(self, state: GitHubState) -> None:
        self.state = state

    async def send(self, request: HttpRequest, *, retry: RetryPolicy) -> HttpReply:
        del retry
        headers = {name.lower(): value for name, value in request.headers.items()}
        answered = self.state.answer(_asked(request.method, request.url, headers, request.content))
        return HttpReply(
            status=answered.status,
            headers={name.lower(): value for name, value in answered.headers.items()},
            body=b"" if answered.body is None else json.dumps(answered.body).encode(),
            latency_seconds=0.0,
        )


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

    def _reply(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        content = self.rfile.read(int(headers.get("content-length", 0)))
        answered = self.state.answer(_asked(self.command, self.path, headers, content))
        body = b"" if answered.body is None else json.dumps(answered.body).encode()
        self.send_response(answered.status)
        for name, value in answered.headers.items():
            self.send_header(name, value)
        if body:
            self.send_header("Content-Type", "application/json; charset=utf-8")
        if answered.status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self._reply()

    def do_POST(self) -> None:
        self._reply()

    def do_PATCH(self) -> None:
        self._reply()

    def do_DELETE(self) -> None:
        self._reply()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named by http.server
        del format, args
