"""The one comment under a pull request that is ours and always up to date."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ci_judge.github_api import Comment, GitHubApi, GitHubRefusal, PullRequest
from ci_judge.model.document import ReportDocument
from ci_judge.protocols import RunSource
from ci_judge.sinks.comment_choice import choose
from ci_judge.sinks.comment_origin import Origin, origin_of
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.fitting import MarkdownWithin, fitted, utf16_units

LARGEST_UNITS = 65_000
"""UTF-16 units. GitHub refuses 65,536 characters, and it is not said how it counts."""

_Answer = TypeVar("_Answer")

_ROUNDS = 6
_FINE = frozenset({"passed", "skipped"})
_FORBIDDEN, _NOT_FOUND = 403, 404
_AWAY = frozenset({404, 410})
_NOT_POSTED = "The comment was not posted: "
_HINT = (
    "; the job needs `permissions: pull-requests: write`, which a pull request from a fork does not"
    " get"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """Whose comment it is, and when it is written.

    With ``only_failures`` a run that passed or was skipped writes only where a comment of ours
    stands already. ``head_binds`` says that the run judged what was the head of the pull request:
    then a comment is left alone as soon as there is another head.
    """

    origin: Origin
    only_failures: bool = False
    head_binds: bool = False


class StickyComment:
    """Creates the comment, or brings ours up to date, in place.

    ``tell`` is told what was left alone, and why.
    """

    name = "comment"

    def __init__(
        self,
        api: GitHubApi,
        pull_request: PullRequest,
        *,
        manner: Manner,
        markdown: MarkdownWithin,
        published: Callable[[str], None],
        tell: Callable[[str], None],
    ) -> None:
        self._api = api
        self._pull_request = pull_request
        self._manner = manner
        self._markdown = markdown
        self._published = published
        self._tell = tell
        self._created: Comment | None = None
        self._posted = False
        self._address: str | None = None  # of what we wrote, as soon as we did
        self._gone: set[int] = set()

    async def publish(self, document: ReportDocument, runs: RunSource) -> None:
        """Write the comment unless it says the same already; ``published`` gets its address.

        Raises SinkFailed when GitHub does not let us.
        """
        del runs  # the Markdown was made from them
        try:
            await self._until_settled(document)
        except SinkFailed as failure:
            if self._address is None:
                raise
            why = str(failure).removeprefix(_NOT_POSTED)
            self._tell(f"The comment was written, but not looked at again: {why}")
            self._published(self._address)

    async def _until_settled(self, document: ReportDocument) -> None:
        unwanted = self._manner.only_failures and document["status"] in {"passed", "skipped"}
        body = self._body()
        for _ in range(_ROUNDS):
            # the head first: between looking at the comments and writing nothing may come
            head = await self._api.head_of(self._pull_request)
            ours = self._ours(_or_raise(await self._api.own_comments(self._pull_request)))
            if ours:
                if await self._settle(ours, body, head):
                    return
            elif self._posted or unwanted:
                self._published("")
                return
            else:
                await self._create(body)
        raise SinkFailed(f"{_NOT_POSTED}others keep changing it")

    def _body(self) -> str:
        head = f"{self._manner.origin.marker}\n"
        return head + fitted(self._markdown, LARGEST_UNITS - utf16_units(head), utf16_units)

    def _ours(self, comments: tuple[Comment, ...]) -> list[Comment]:
        """Give the comments with our key, the one that stays first.

        The list may lag behind: what we have just written counts, what was gone does not.
        """
        listed = {found.id: found for found in comments if self._owns(found)}
        if self._created is not None:
            listed.setdefault(self._created.id, self._created)
        return [listed[id_] for id_ in sorted(listed) if id_ not in self._gone]

    def _owns(self, comment: Comment) -> bool:
        origin = origin_of(comment.body)
        return origin is not None and origin.key == self._manner.origin.key

    async def _create(self, body: str) -> None:
        answer = _or_raise(await self._api.create_comment(self._pull_request, body))
        self._posted = True
        self._address = answer.url if answer else ""
        # GitHub may change line ends; what counts is what we meant
        self._created = Comment(id=answer.id, url=answer.url, body=body) if answer else None

    async def _settle(self, ours: list[Comment], body: str, head: str | GitHubRefusal) -> bool:
        """Let one comment be left, the oldest, with what is newest; False: look again."""
        stays, *younger = ours
        others = [found for found in ours if not _same(found.body, body)]
        known = _or_raise(head) if others else None
        choice = choose(body, others, head=known, head_binds=self._manner.head_binds)
        written = not _same(stays.body, choice.body)
        if written and not await self._write(stays, choice.body):
            return False
        for each in younger:
            await self._delete(each)
        if written and not await self._lasts(stays, choice.body):
            return False
        if choice.kept:
            self._tell(choice.kept)
        self._published(stays.url)
        return True

    async def _write(self, stays: Comment, body: str) -> bool:
        """Bring the comment to this text; False when it is gone."""
        repository = self._pull_request.repository
        answer = await self._api.update_comment(repository, stays.id, body)
        if isinstance(answer, GitHubRefusal) and answer.status in _AWAY:
            self._gone.add(stays.id)
            return False
        _or_raise(answer)
        self._address = stays.url
        return True

    async def _lasts(self, stays: Comment, body: str) -> bool:
        """Look again, last of all: an older run may have looked before us and written after us."""
        found = await self._api.comment(self._pull_request.repository, stays.id)
        if isinstance(found, GitHubRefusal):  # what we wrote stands, as far as we know
            return found.status not in _AWAY
        return _rank(found.body) >= _rank(body)

    async def _delete(self, comment: Comment) -> None:
        refused = await self._api.delete_comment(self._pull_request.repository, comment.id)
        if refused is not None and refused.status not in _AWAY:
            self._tell(f"A second comment of ours stays: {refused.message}")


def _rank(body: str) -> tuple[int, int]:
    origin = origin_of(body)
    return origin.rank if origin else (-1, -1)


def _or_raise(answer: _Answer | GitHubRefusal) -> _Answer:
    if not isinstance(answer, GitHubRefusal):
        return answer
    unlikely = answer.limited or "locked" in answer.message
    hint = _HINT if answer.status in (_FORBIDDEN, _NOT_FOUND) and not unlikely else ""
    raise SinkFailed(f"{_NOT_POSTED}{answer.message}{hint}")


def _same(one: str, other: str) -> bool:
    """Compare texts as GitHub keeps them: it changes line ends."""
    return _normal(one) == _normal(other)


def _normal(body: str) -> str:
    return body.replace("\r\n", "\n").rstrip()
