"""What GitHub's answers say: their JSON, their complaints, their next page."""

import re
from collections.abc import Mapping
from typing import Any

from ci_judge.github_api.limits import is_rate_limit
from ci_judge.github_api.values import GitHubAnswer, GitHubRefusal
from ci_judge.transport import HttpReply

DONE = range(200, 300)
_LIMITED = "RATE_LIMITED"
_MOST_DETAILS = 3
_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_NEXT = re.compile(
    r';\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next(?=[\s,;]|$))', re.IGNORECASE
)


def next_page(headers: Mapping[str, str]) -> str | None:
    """Give the address of the next page that a ``Link`` header names."""
    links = _LINK.finditer(headers.get("link", ""))
    return next((link[1] for link in links if _NEXT.search(link[2])), None)


def says_limited(reply: HttpReply) -> bool:
    body = _json(reply)
    if reply.status in DONE:
        return _has_limit(body)
    return is_rate_limit(reply.status, reply.headers, _said(body))


def _has_limit(body: Any) -> bool:
    """Find GraphQL's own rate limit, an error in a reply of status 200."""
    errors = body.get("errors") if isinstance(body, dict) else None
    if not isinstance(errors, list):
        return False
    return any(isinstance(error, dict) and error.get("type") == _LIMITED for error in errors)


def answer_of(reply: HttpReply) -> GitHubAnswer | GitHubRefusal:
    if reply.status not in DONE:
        return refusal(reply, _said(_json(reply)))
    return GitHubAnswer(status=reply.status, headers=reply.headers, body=_json(reply))


def refusal(reply: HttpReply, why: str) -> GitHubRefusal:
    told = f": {why}" if why else ""
    return GitHubRefusal(message=f"GitHub answered {reply.status}{told}", status=reply.status)


def _json(reply: HttpReply) -> Any:
    """Give the answer's JSON; None for an empty answer and for what is no JSON."""
    try:
        return reply.json()
    except ValueError:
        return None


def _said(body: Any) -> str:
    """Give the message of a refusal, with what a 422 says of each field."""
    if not isinstance(body, dict):
        return ""
    message = body.get("message")
    errors = body.get("errors")
    details = (
        [_detail(error) for error in errors[:_MOST_DETAILS]] if isinstance(errors, list) else []
    )
    words = [message if isinstance(message, str) else "", *details]
    return "; ".join(word for word in words if word)


def _detail(error: Any) -> str:
    if isinstance(error, str):
        return error
    if not isinstance(error, dict):
        return ""
    message = error.get("message")
    parts = [error.get("field"), error.get("code")]
    return message if isinstance(message, str) else " ".join(p for p in parts if isinstance(p, str))


def graphql_complaint(body: Any) -> str:
    """Say why a GraphQL answer cannot be used: half of it would look like all of it."""
    errors = body.get("errors") if isinstance(body, dict) else None
    if errors:
        first = errors[0] if isinstance(errors, list) else None
        said = first.get("message") if isinstance(first, dict) else None
        return f"GitHub answered: {said}" if isinstance(said, str) else "GitHub answered an error"
    data = body.get("data") if isinstance(body, dict) else None
    return "" if isinstance(data, dict) else "GitHub's answer has no data"
