"""What we ask of GitHub, as typed verbs; what goes wrong there is a value."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from ci_judge.transport import HttpReply, HttpRequest, RetryPolicy, TransportFailure

_API_VERSION = "2022-11-28"
_TIMEOUT_SECONDS = 30.0
_RETRY = RetryPolicy(retries=2, retry_timeouts=False)
_MOST_PAGES = 200
_PAGE_SIZE = 50  # of the largest comments; twice as many could pass the limit of one reply
_DONE = range(200, 300)

COMMENTS_QUERY = f"""\
query CommentsOfPullRequest($owner: String!, $name: String!, $number: Int!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      comments(first: {_PAGE_SIZE}, after: $after) {{
        pageInfo {{ hasNextPage endCursor }}
        nodes {{ fullDatabaseId url body viewerDidAuthor }}
      }}
    }}
  }}
}}
"""


class Sender(Protocol):
    """Whoever exchanges HTTP messages; ``Transport`` does."""

    async def send(
        self, request: HttpRequest, *, retry: RetryPolicy
    ) -> HttpReply | TransportFailure: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubAccess:
    """Where GitHub's interfaces are, and what opens them."""

    api_url: str
    graphql_url: str
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request: its repository as "owner/name", and its number."""

    repository: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment that stands under a pull request. ``url`` is its page for people."""

    id: int
    url: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubRefusal:
    """Why GitHub did not do it. ``status`` is None when no answer came."""

    message: str
    status: int | None = None


_Json: TypeAlias = dict[str, Any]


class GitHubApi:
    """The requests that CI Judge makes of GitHub, github.com or another server."""

    def __init__(self, sender: Sender, access: GitHubAccess) -> None:
        self._sender = sender
        self._access = access

    async def own_comments(self, pull_request: PullRequest) -> tuple[Comment, ...] | GitHubRefusal:
        """Give every comment under the pull request that this token's user wrote, oldest first."""
        owner, _, name = pull_request.repository.partition("/")
        found: list[Comment] = []
        after: str | None = None
        for _ in range(_MOST_PAGES):
            page = await self._comments_page(
                {"owner": owner, "name": name, "number": pull_request.number, "after": after}
            )
            if isinstance(page, GitHubRefusal):
                return page
            found.extend(_own(page))
            after = page["pageInfo"]["endCursor"] if page["pageInfo"]["hasNextPage"] else None
            if after is None:
                return tuple(found)
        return GitHubRefusal(message=f"there are more than {_MOST_PAGES * _PAGE_SIZE:,} comments")

    async def create_comment(self, pull_request: PullRequest, body: str) -> Comment | GitHubRefusal:
        """Post a new comment under the pull request."""
        path = f"repos/{pull_request.repository}/issues/{pull_request.number}/comments"
        return _comment(await self._call("POST", self._rest(path), {"body": body}))

    async def update_comment(
        self, repository: str, comment_id: int, body: str
    ) -> Comment | GitHubRefusal:
        """Replace a comment's text."""
        path = f"repos/{repository}/issues/comments/{comment_id}"
        return _comment(await self._call("PATCH", self._rest(path), {"body": body}))

    async def _comments_page(self, variables: Mapping[str, Any]) -> _Json | GitHubRefusal:
        answer = await self._call(
            "POST",
            self._access.graphql_url,
            {"query": COMMENTS_QUERY, "variables": dict(variables)},
        )
        if isinstance(answer, GitHubRefusal):
            return answer
        try:
            comments: _Json = answer["data"]["repository"]["pullRequest"]["comments"]
        except (KeyError, TypeError):
            return GitHubRefusal(message=_graphql_complaint(answer))
        return comments

    def _rest(self, path: str) -> str:
        return f"{self._access.api_url.rstrip('/')}/{path}"

    async def _call(self, method: str, url: str, body: _Json) -> _Json | GitHubRefusal:
        request = HttpRequest(
            method=method,
            url=url,
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self._access.token}",
                "Content-Type": "application/json",
                "User-Agent": "ci-judge",
                "X-GitHub-Api-Version": _API_VERSION,
            },
            content=json.dumps(body).encode(),
            timeout_seconds=_TIMEOUT_SECONDS,
        )
        reply = await self._sender.send(request, retry=_RETRY)
        if isinstance(reply, TransportFailure):
            return GitHubRefusal(message=reply.message)
        return _object(reply)


def _object(reply: HttpReply) -> _Json | GitHubRefusal:
    try:
        answer = reply.json()
    except ValueError:
        answer = None
    if reply.status not in _DONE:
        said = answer.get("message") if isinstance(answer, dict) else None
        told = f": {said}" if isinstance(said, str) else ""
        return GitHubRefusal(message=f"GitHub answered {reply.status}{told}", status=reply.status)
    if not isinstance(answer, dict):
        return GitHubRefusal(message="GitHub's answer is not a JSON object", status=reply.status)
    return answer


def _comment(answer: _Json | GitHubRefusal) -> Comment | GitHubRefusal:
    if isinstance(answer, GitHubRefusal):
        return answer
    try:
        return Comment(id=answer["id"], url=answer["html_url"], body=answer.get("body") or "")
    except KeyError as missing:
        return GitHubRefusal(message=f"GitHub's answer has no {missing}")


def _own(page: _Json) -> list[Comment]:
    return [
        Comment(id=int(node["fullDatabaseId"]), url=node["url"], body=node["body"] or "")
        for node in page["nodes"]
        if node is not None and node["viewerDidAuthor"]
    ]


def _graphql_complaint(answer: _Json) -> str:
    """Give what a GraphQL answer without data says: its errors stand in a 200 reply."""
    errors = answer.get("errors")
    first = errors[0] if isinstance(errors, list) and errors else {}
    said = first.get("message") if isinstance(first, dict) else None
    return f"GitHub answered: {said}" if said else "there is no such pull request"
