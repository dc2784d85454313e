"""What goes to GitHub and what comes back, as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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
class Head:
    """An open pull request's number and the commit that is its head now."""

    number: int
    sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment that stands under a pull request. ``url`` is its page for people."""

    id: int
    url: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubAnswer:
    """An answer of a status below 400.

    ``headers`` have lower-case names; ``body`` is the JSON, None where there is none.
    """

    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubRefusal:
    """Why GitHub did not do it. ``status`` is None when no answer came.

    ``limited`` says that it was a rate limit, which nobody's permissions would lift.
    """

    message: str
    status: int | None = None
    limited: bool = False
