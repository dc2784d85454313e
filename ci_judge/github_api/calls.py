"""Calls of GitHub's REST and GraphQL interfaces, from which the verbs are made."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlencode, urljoin

from ci_judge.github_api.limits import Patience
from ci_judge.github_api.replies import (
    answer_of,
    graphql_complaint,
    next_page,
    refusal,
    says_limited,
)
from ci_judge.github_api.values import GitHubAccess, GitHubAnswer, GitHubRefusal
from ci_judge.transport import HttpReply, HttpRequest, RetryPolicy, TransportFailure, same_origin

MOST_PAGES = 200
Query: TypeAlias = Mapping[str, str | int]

_API_VERSION = "2022-11-28"
_TIMEOUT_SECONDS = 30.0
_FILE_SECONDS = 60.0
_OK = 200
_ONCE_MORE = 2
_PAGE_SIZE = 100
_MOST_LIMITS = 20  # more waits than this are a server that asks for 0 seconds each time
_MOST_MOVES = 5
_MOVED = frozenset({301, 302, 307, 308})
_READING = frozenset({"GET", "HEAD"})


class Sender(Protocol):
    """Whoever exchanges HTTP messages; ``Transport`` does."""

    async def send(
        self, request: HttpRequest, *, retry: RetryPolicy
    ) -> HttpReply | TransportFailure: ...


class GitHubCalls:
    """The calls, with the token, over one server of GitHub's.

    What the network or the server breaks is tried again a bounded number of times, rate limits are
    waited out as far as ``patience`` goes, and a moved repository is followed on the same server.
    """

    def __init__(
        self, sender: Sender, access: GitHubAccess, *, patience: Patience | None = None
    ) -> None:
        self._sender = sender
        self._access = access
        self._patience = patience or Patience()

    async def rest(
        self, method: str, path: str, *, query: Query | None = None, body: Any = None
    ) -> GitHubAnswer | GitHubRefusal:
        """Call a path such as "repos/o/r/pulls". An answer of a status from 300 is a refusal."""
        url = self._url(path, query)
        for _ in range(_MOST_MOVES):
            if not same_origin(url, self._access.api_url):
                return GitHubRefusal(message="GitHub points to another server, not followed")
            reply = await self._patiently(method, url, body)
            if isinstance(reply, GitHubRefusal):
                return reply
            place = reply.headers.get("location") if reply.status in _MOVED else None
            if place is None:
                return answer_of(reply)
            url = urljoin(url, place)
        return GitHubRefusal(message=f"GitHub redirected more than {_MOST_MOVES} times")

    async def items(
        self,
        path: str,
        *,
        query: Query | None = None,
        key: str | None = None,
        most_pages: int = MOST_PAGES,
    ) -> tuple[Any, ...] | GitHubRefusal:
        """Read a list to its end, page by page, by the links to the next.

        ``key`` names the list where the answer is an object, as "artifacts" is. A list of more
        than ``most_pages`` pages ends there.
        """
        found: list[Any] = []
        place: str | None = self._url(path, {"per_page": _PAGE_SIZE, **(query or {})})
        for _ in range(most_pages):
            if place is None:
                break
            page = await self.rest("GET", place)
            if isinstance(page, GitHubRefusal):
                return page
            listed = page.body.get(key) if key and isinstance(page.body, dict) else page.body
            if not isinstance(listed, list):
                return GitHubRefusal(message="GitHub's answer has no list", status=page.status)
            found.extend(listed)
            place = next_page(page.headers)
        return tuple(found)

    async def location(self, path: str) -> str | GitHubRefusal:
        """Ask where a file lies, as an artifact's: the address must be read without the token."""
        url = self._url(path, None)
        reply = await self._patiently("GET", url, None)
        if isinstance(reply, GitHubRefusal):
            return reply
        place = reply.headers.get("location")
        if reply.status not in _MOVED or not place:
            return refusal(reply, "no redirect to the file")
        return urljoin(url, place)

    async def file(self, url: str, *, most_bytes: int) -> bytes | GitHubRefusal:
        """Read the file that ``location`` found, without the token: it may lie anywhere."""
        secure = self._access.api_url.startswith("https:")
        if secure and not url.startswith("https:"):
            return GitHubRefusal(message="GitHub points to a file over plain http, not followed")
        request = HttpRequest(
            method="GET", url=url, timeout_seconds=_FILE_SECONDS, most_body_bytes=most_bytes
        )
        retry = RetryPolicy(retries=_ONCE_MORE, retry_timeouts=True)
        reply = await self._sender.send(request, retry=retry)
        if isinstance(reply, TransportFailure):
            return GitHubRefusal(message=reply.message)
        return reply.body if reply.status == _OK else refusal(reply, "the file was not given")

    async def graphql(self, query: str, variables: Mapping[str, Any]) -> Any | GitHubRefusal:
        """Give the data that a query asks for. Errors in a reply of status 200 are a refusal."""
        content = {"query": query, "variables": dict(variables)}
        reply = await self._patiently("POST", self._access.graphql_url, content)
        answer = reply if isinstance(reply, GitHubRefusal) else answer_of(reply)
        if isinstance(answer, GitHubRefusal):
            return answer
        complaint = graphql_complaint(answer.body)
        return GitHubRefusal(message=complaint) if complaint else answer.body["data"]

    def _url(self, path: str, query: Query | None) -> str:
        """Give a path's address; what a server gave us as an address stays as it is."""
        url = path if "://" in path else f"{self._access.api_url.rstrip('/')}/{path}"
        return f"{url}?{urlencode(query)}" if query else url

    async def _patiently(self, method: str, url: str, body: Any) -> HttpReply | GitHubRefusal:
        for earlier in range(_MOST_LIMITS):
            reply = await self._send(method, url, body)
            if isinstance(reply, GitHubRefusal) or not says_limited(reply):
                return reply
            given_up = await self._patience.wait(reply.headers, earlier=earlier)
            if given_up:
                return replace(refusal(reply, f"a rate limit; {given_up}"), limited=True)
        return GitHubRefusal(message="GitHub's rate limit does not end", limited=True)

    async def _send(self, method: str, url: str, body: Any) -> HttpReply | GitHubRefusal:
        request = HttpRequest(
            method=method,
            url=url,
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self._access.token}",
                "User-Agent": "ci-judge",
                "X-GitHub-Api-Version": _API_VERSION,
                **({} if body is None else {"Content-Type": "application/json"}),
            },
            content=b"" if body is None else json.dumps(body).encode(),
            timeout_seconds=_TIMEOUT_SECONDS,
        )
        reading = method in _READING or url == self._access.graphql_url
        retry = RetryPolicy(retries=_ONCE_MORE, retry_timeouts=reading, retry_rate_limits=False)
        reply = await self._sender.send(request, retry=retry)
        return (
            GitHubRefusal(message=reply.message) if isinstance(reply, TransportFailure) else reply
        )
