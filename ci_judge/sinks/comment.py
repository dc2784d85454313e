"""The one comment under a pull request that is ours and always up to date."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote

from ci_judge.github_api import Comment, GitHubApi, GitHubRefusal, PullRequest
from ci_judge.model.document import ReportDocument
from ci_judge.protocols import RunSource
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.fitting import MarkdownWithin, fitted, utf16_units

LARGEST_UNITS = 65_000
"""UTF-16 units. GitHub refuses 65,536 characters, and it is not said how it counts."""

_Answer = TypeVar("_Answer")

_MARKER = re.compile(r"<!-- ci-judge key=(?P<key>\S+) sha=\S* run=\S* attempt=\S* -->")
_FORBIDDEN, _NOT_FOUND = 403, 404


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a comment comes from.

    ``key`` tells several comments under one pull request apart; ``run`` and ``attempt`` are those
    of the workflow run.
    """

    key: str
    sha: str
    run: str
    attempt: str

    @property
    def marker(self) -> str:
        """The hidden first line by which a later run finds the comment again."""
        return (
            f"<!-- ci-judge key={_word(self.key)} sha={_word(self.sha)}"
            f" run={_word(self.run)} attempt={_word(self.attempt)} -->"
        )

    def owns(self, body: str) -> bool:
        """Say whether the comment's first line is a marker with exactly this key."""
        first, *_ = body.splitlines() or [""]
        found = _MARKER.fullmatch(first.rstrip())
        return found is not None and found["key"] == _word(self.key)


class StickyComment:
    """Creates the comment, or brings ours up to date, in place.

    With ``only_failures`` a passing run writes only where a comment of ours stands already.
    """

    name = "comment"

    def __init__(
        self,
        api: GitHubApi,
        pull_request: PullRequest,
        *,
        origin: Origin,
        markdown: MarkdownWithin,
        only_failures: bool,
        published: Callable[[str], None],
    ) -> None:
        self._api = api
        self._pull_request = pull_request
        self._origin = origin
        self._markdown = markdown
        self._only_failures = only_failures
        self._published = published

    async def publish(self, document: ReportDocument, runs: RunSource) -> None:
        """Write the comment unless it says the same already; ``published`` gets its address.

        Raises SinkFailed when GitHub does not let us.
        """
        del runs  # the Markdown was made from them
        ours = self._ours(_or_raise(await self._api.own_comments(self._pull_request)))
        if ours is None and self._only_failures and document["status"] == "passed":
            return
        body = self._body()
        if ours is None or _normal(ours.body) != _normal(body):
            ours = _or_raise(await self._write(ours, body))
        self._published(ours.url)

    def _body(self) -> str:
        head = f"{self._origin.marker}\n"
        return head + fitted(self._markdown, LARGEST_UNITS - utf16_units(head), utf16_units)

    def _ours(self, comments: tuple[Comment, ...]) -> Comment | None:
        return next((found for found in comments if self._origin.owns(found.body)), None)

    async def _write(self, ours: Comment | None, body: str) -> Comment | GitHubRefusal:
        if ours is None:
            return await self._api.create_comment(self._pull_request, body)
        return await self._api.update_comment(self._pull_request.repository, ours.id, body)


def _or_raise(answer: _Answer | GitHubRefusal) -> _Answer:
    if not isinstance(answer, GitHubRefusal):
        return answer
    hint = ""
    if answer.status in (_FORBIDDEN, _NOT_FOUND):
        hint = (
            "; the job needs `permissions: pull-requests: write`, which a pull request from a fork"
            " does not get"
        )
    raise SinkFailed(f"The comment was not posted: {answer.message}{hint}")


def _word(text: str) -> str:
    """Spell text as one word that cannot end an HTML comment."""
    return quote(text, safe="/:") or "%"


def _normal(body: str) -> str:
    return body.replace("\r\n", "\n").rstrip()
