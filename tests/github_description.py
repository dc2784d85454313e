"""GitHub's own descriptions of its interfaces, from npm, and a way to GitHub that they check.

The whole REST description is large; it is cut down once a process to the paths that are used.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from openapi_core import OpenAPI
from openapi_core.datatypes import RequestParameters
from werkzeug.datastructures import Headers, ImmutableMultiDict

from ci_judge.transport import HttpReply, HttpRequest, RetryPolicy
from tests.github_fake import GitHubState, Hub
from tests.tools import missing

_PACKAGES = Path(__file__).parent / "node" / "node_modules" / "@octokit"
_REPOSITORY = "/repos/{owner}/{repo}"
_API = "/api/v3"

PATHS = (
    f"{_REPOSITORY}/issues/{{issue_number}}/comments",
    f"{_REPOSITORY}/issues/comments/{{comment_id}}",
    f"{_REPOSITORY}/pulls",
    f"{_REPOSITORY}/pulls/{{pull_number}}",
    f"{_REPOSITORY}/commits/{{commit_sha}}/pulls",
)


def package_file(package: str, name: str) -> Path:
    """Find a file of one of GitHub's packages."""
    path = _PACKAGES / package / name
    if not path.is_file():
        missing(f"the npm package @octokit/{package} is not installed")
    return path


@cache
def rest_description(paths: tuple[str, ...] = PATHS) -> dict[str, Any]:
    """Give the description of these paths, with all that they refer to."""
    text = package_file("openapi", "generated/api.github.com.json").read_text(encoding="utf-8")
    whole = json.loads(text)
    kept = {path: whole["paths"][path] for path in paths}
    components: dict[str, dict[str, Any]] = {}
    open_refs = list(_refs(kept))
    while open_refs:
        _, _, kind, name = open_refs.pop().split("/")
        if name not in components.setdefault(kind, {}):
            components[kind][name] = whole["components"][kind][name]
            open_refs.extend(_refs(components[kind][name]))
    head = {key: whole[key] for key in ("openapi", "info", "servers")}
    return {**head, "paths": kept, "components": components}


def examples() -> dict[str, dict[str, Any]]:
    """Give GitHub's examples of what our fake answers with, for ``GitHubState.templates``.

    The teams of its pull requests lack what the schema asks of a team.
    """
    found = rest_description()["components"]["examples"]
    no_teams: dict[str, Any] = {"requested_teams": []}
    return {
        "comment": found["issue-comment"]["value"],
        "pull": found["pull-request"]["value"] | no_teams,
        "listed": found["pull-request-simple-items"]["value"][0] | no_teams,
    }


def _refs(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from _refs(value)


@cache
def _checker(paths: tuple[str, ...]) -> OpenAPI:
    return OpenAPI.from_dict(rest_description(paths))


@dataclass(slots=True)
class DescribedRequest:
    """A request as openapi-core wants to see it: addressed to github.com."""

    request: HttpRequest
    host_url: str = "https://api.github.com"
    parameters: RequestParameters = field(init=False)

    def __post_init__(self) -> None:
        query = parse_qsl(urlsplit(self.request.url).query)
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(query),
            header=Headers(list(self.request.headers.items())),
            cookie=ImmutableMultiDict(),
        )

    @property
    def path(self) -> str:
        return urlsplit(self.request.url).path.removeprefix(_API)

    @property
    def method(self) -> str:
        return self.request.method.lower()

    @property
    def content_type(self) -> str:
        return self.request.headers.get("Content-Type", "")

    @property
    def body(self) -> bytes | None:
        return self.request.content or None


@dataclass(slots=True)
class DescribedResponse:
    """An answer as openapi-core wants to see it."""

    reply: HttpReply

    @property
    def data(self) -> bytes:
        return self.reply.body

    @property
    def status_code(self) -> int:
        return self.reply.status

    @property
    def headers(self) -> Mapping[str, Any]:
        return dict(self.reply.headers)

    @property
    def content_type(self) -> str:
        return "application/json"


class DescribedHub:
    """A way to the fake that fails for what GitHub's description does not allow.

    Answers of a status that an operation does not name, as a rate limit's, need no more than the
    form of GitHub's errors.
    """

    def __init__(self, state: GitHubState, paths: Iterable[str] = PATHS) -> None:
        self._hub = Hub(state)
        self._paths = tuple(paths)
        self.checked: list[tuple[str, str, int]] = []

    async def send(self, request: HttpRequest, *, retry: RetryPolicy) -> HttpReply:
        reply = await self._hub.send(request, retry=retry)
        if not request.url.endswith("/graphql"):
            self._check(DescribedRequest(request), reply)
        return reply

    def _check(self, asked: DescribedRequest, reply: HttpReply) -> None:
        checker = _checker(self._paths)
        checker.validate_request(asked)
        template = self._template(asked)
        operation = rest_description(self._paths)["paths"][template][asked.method]
        assert set(asked.parameters.query) <= _names_in_query(operation, self._paths)
        if str(reply.status) in operation["responses"]:
            checker.validate_response(asked, DescribedResponse(reply))
        else:
            assert reply.status >= 300
        self.checked.append((asked.method.upper(), template, reply.status))

    def _template(self, asked: DescribedRequest) -> str:
        given = asked.path.split("/")
        for template in self._paths:
            parts = template.split("/")
            if len(parts) == len(given) and all(
                one == other or one.startswith("{") for one, other in zip(parts, given, strict=True)
            ):
                return template
        raise AssertionError(f"{asked.path} is not described")


def _names_in_query(operation: Mapping[str, Any], paths: tuple[str, ...]) -> set[str]:
    """Give what may stand in the query: a server ignores the rest without a word."""
    known = rest_description(paths)["components"].get("parameters", {})
    parameters = (
        known[one["$ref"].rpartition("/")[2]] if "$ref" in one else one
        for one in operation.get("parameters", [])
    )
    return {one["name"] for one in parameters if one["in"] == "query"}
