"""A GitHub with a past on the loopback address: commits, earlier runs, artifacts elsewhere.

Artifacts lie on a second server, as GitHub's do, which must not be shown the token.
"""

import io
import json
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

REPOSITORY = "octo-org/example"
WORKFLOW = 77
OWN_RUN = "4711"


@dataclass(slots=True, kw_only=True)
class PastArtifact:
    id: int
    run: int
    name: str
    content: bytes
    expired: bool = False
    size: int | None = None
    """What is said of its size, None for the truth."""


@dataclass(slots=True)
class Past:
    """What the server holds, and what both servers were asked.

    ``commits`` are the main branch, newest first; ``refuse`` maps words of a path to a status.
    Of ``unlisted`` runs the artifacts are listed among the repository's alone.
    """

    commits: list[str] = field(default_factory=list)
    merge_base: str = ""
    runs: list[dict[str, Any]] = field(default_factory=list)
    artifacts: list[PastArtifact] = field(default_factory=list)
    files: list[dict[str, str]] = field(default_factory=list)
    refuse: dict[str, int] = field(default_factory=dict)
    unlisted: set[int] = field(default_factory=set)
    requests: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    stored: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    base: str = ""
    storage: str = ""

    def add_run(self, id: int, commit: str, **changes: Any) -> None:  # noqa: A002 - the key's name
        run = {
            "id": id,
            "head_sha": commit,
            "head_branch": "main",
            "status": "completed",
            "event": "push",
            "head_repository": {"full_name": REPOSITORY},
            "html_url": f"https://github.example/{REPOSITORY}/actions/runs/{id}",
        }
        self.runs.append(run | changes)

    def add_artifact(
        self,
        run: int,
        content: bytes,
        *,
        name: str,
        expired: bool = False,
        size: int | None = None,
    ) -> None:
        artifact = PastArtifact(
            id=len(self.artifacts) + 1,
            run=run,
            name=name,
            content=content,
            expired=expired,
            size=size,
        )
        self.artifacts.append(artifact)

    def environment(self) -> dict[str, str]:
        return {
            "GITHUB_API_URL": f"{self.base}/api/v3",
            "GITHUB_GRAPHQL_URL": f"{self.base}/api/graphql",
        }


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Make a zip file of these files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


@contextmanager
def github_past() -> Iterator[Past]:
    """Serve both until the end of the block."""
    past = Past()
    with _served(_Api, past) as api, _served(_Storage, past) as storage:
        past.base, past.storage = api, storage
        yield past


@contextmanager
def _served(kind: type["_Handler"], past: Past) -> Iterator[str]:
    handler = type("Handler", (kind,), {"past": past})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(timeout=10)


class _Handler(BaseHTTPRequestHandler):
    past: Past
    protocol_version = "HTTP/1.1"

    def lowered(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def answer(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named by http.server
        del format, args


class _Storage(_Handler):
    def do_GET(self) -> None:
        self.past.stored.append((self.path, self.lowered()))
        number = int(self.path.rpartition("/")[2])
        content = next(one.content for one in self.past.artifacts if one.id == number)
        self.answer(200, content, Content_Type="application/zip")


class _Api(_Handler):
    def do_GET(self) -> None:
        self.past.requests.append((self.path, self.lowered()))
        refused = next((code for part, code in self.past.refuse.items() if part in self.path), None)
        place = urlsplit(self.path)
        path = place.path.removeprefix(f"/api/v3/repos/{REPOSITORY}/")
        if refused:
            self._json(refused, {"message": "Resource not accessible by integration"})
        elif path.endswith("/zip"):
            number = path.split("/")[2]
            self.answer(302, b"", Location=f"{self.past.storage}/blob/{number}")
        else:
            found = self._found(path, {key: each[0] for key, each in parse_qs(place.query).items()})
            self._paged(place.path, found, parse_qs(place.query))

    def _found(self, path: str, query: dict[str, str]) -> Any:
        past = self.past
        if path.startswith("compare/"):
            return {"merge_base_commit": {"sha": past.merge_base}, "files": past.files}
        if path == "commits":
            start = past.commits.index(query["sha"])
            return [{"sha": commit} for commit in past.commits[start:]]
        if path == "actions/artifacts":
            named = [each for each in past.artifacts if each.name == query.get("name", each.name)]
            return {"artifacts": [_entry(each) for each in reversed(named)]}
        if path.endswith("/artifacts"):
            listed = [each for each in past.artifacts if each.run not in past.unlisted]
            return {"artifacts": [_entry(each) for each in listed if path == _of(each)]}
        if path == f"actions/workflows/{WORKFLOW}/runs":
            return {"workflow_runs": [run for run in past.runs if _is_wanted(run, query)]}
        known = {f"actions/runs/{OWN_RUN}": {"workflow_id": WORKFLOW}, "pulls/7/files": past.files}
        return known.get(path)

    def _paged(self, path: str, found: Any, query: dict[str, list[str]]) -> None:
        """Give a list's page, and the address of the next one as GitHub does."""
        if found is None:
            self._json(404, {"message": "Not Found"})
            return
        if not isinstance(found, list):
            self._json(200, found)
            return
        size, page = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
        link = f'<{self.past.base}{path}?per_page={size}&page={page + 1}>; rel="next"'
        more = len(found) > size * page
        self._json(200, found[size * (page - 1) : size * page], **({"Link": link} if more else {}))

    def _json(self, status: int, value: Any, **headers: str) -> None:
        self.answer(status, json.dumps(value).encode(), Content_Type="application/json", **headers)


def _is_wanted(run: Mapping[str, Any], query: Mapping[str, str]) -> bool:
    wanted = (("head_branch", query["branch"]), ("status", query["status"]))
    return all(run[key] == value for key, value in wanted)


def _of(artifact: PastArtifact) -> str:
    return f"actions/runs/{artifact.run}/artifacts"


def _entry(artifact: PastArtifact) -> dict[str, Any]:
    return {
        "id": artifact.id,
        "name": artifact.name,
        "expired": artifact.expired,
        "size_in_bytes": len(artifact.content) if artifact.size is None else artifact.size,
        "workflow_run": {"id": artifact.run},
    }
