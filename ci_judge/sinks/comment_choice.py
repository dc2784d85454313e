"""Which of several reports the one comment should show."""

from collections.abc import Sequence
from dataclasses import dataclass

from ci_judge.github_api import Comment
from ci_judge.sinks.comment_origin import Origin, origin_of

_UNKNOWN = Origin(key="", sha="", run="", attempt="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The text that should stand. ``kept`` says why it is not ours, empty when it is."""

    body: str
    kept: str = ""


def choose(body: str, others: Sequence[Comment], *, head: str | None, head_binds: bool) -> Choice:
    """Choose between our text and the comments with our key that others wrote.

    ``head`` is the pull request's head now. A lower (run id, attempt) never replaces a higher one.
    Neither does a run whose commit is not the head: with ``head_binds`` nothing at all, otherwise
    (the run was never meant for the head alone) not what is about the head.
    """
    if not others:
        return Choice(body=body)
    best = max(others, key=lambda found: _origin(found.body).rank)
    mine, standing = _origin(body), _origin(best.body)
    if standing.rank > mine.rank:
        return _keep(best, f"{mine.shown} is older")
    if head not in (None, mine.sha) and (head_binds or standing.sha == head):
        wrong = f'commit "{mine.short_sha}" is not the head of the pull request any more'
        return _keep(best, wrong)
    return Choice(body=body)


def _keep(best: Comment, why: str) -> Choice:
    told = f"The comment of {_origin(best.body).shown} stays as it is: {why}"
    return Choice(body=best.body, kept=told)


def _origin(body: str) -> Origin:
    return origin_of(body) or _UNKNOWN
