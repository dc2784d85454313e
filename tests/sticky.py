"""Publishes the sticky comment as one run of the action would, over any way to GitHub."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from ci_judge.github_api import GitHubAccess, GitHubApi, Patience, PullRequest, Sender
from ci_judge.sinks.comment import Manner, StickyComment
from ci_judge.sinks.comment_origin import Origin
from ci_judge.transport import Effects, Transport
from tests.builders import a_group, a_report, a_test
from tests.github_fake import HEAD, REPOSITORY, TOKEN, GitHubState

PULL_REQUEST = PullRequest(repository=REPOSITORY, number=7)
PASSING = a_report(a_group(a_test()))
FAILING = a_report(a_group(a_test(passes=7, fails=3)))
TEXT = "# 7 of 10 passed\n"


def origin(key: str = "CI/judge", **changes: str) -> Origin:
    return Origin(**{"key": key, "sha": HEAD, "run": "12", "attempt": "1"} | changes)


def manner(key: str = "CI/judge", *, head_binds: bool = True, **changes: str) -> Manner:
    return Manner(origin=origin(key, **changes), head_binds=head_binds)


def text_by(body: str | None) -> str:
    """Give what a comment says below its marker."""
    return (body or "").partition("\n")[2].strip()


@dataclass(slots=True, kw_only=True)
class Clock:
    """Time that passes only while somebody waits. ``hurried`` is a step that ends."""

    seconds: float = 1_800_000_000.0
    waits: list[float] = field(default_factory=list)
    hurried: bool = False

    async def pause(self, seconds: float) -> bool:
        self.waits.append(seconds)
        if self.hurried:
            return False
        self.seconds += seconds
        return True

    async def sleep(self, seconds: float) -> None:
        await self.pause(seconds)

    def patience(self) -> Patience:
        return Patience(pause=self.pause, now=lambda: self.seconds)

    def transport(self) -> Transport:
        effects = Effects(sleep=self.sleep, now=lambda: self.seconds, random=lambda: 0.0)
        return Transport(connections=1, effects=effects)


@dataclass(slots=True, kw_only=True)
class Seen:
    """What a publication told: addresses, and what was left alone."""

    urls: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)


def access_to(hub: GitHubState, *, token: str = TOKEN) -> GitHubAccess:
    environment = hub.environment()
    return GitHubAccess(
        api_url=environment["GITHUB_API_URL"] + "/",
        graphql_url=environment["GITHUB_GRAPHQL_URL"],
        token=token,
    )


def api_over(sender: Sender, hub: GitHubState, clock: Clock | None = None) -> GitHubApi:
    return GitHubApi(sender, access_to(hub), patience=(clock or Clock()).patience())


async def publish_by(
    api: GitHubApi, text: str = TEXT, *, by: Manner | None = None, report: Any = FAILING
) -> Seen:
    """Publish once."""
    seen = Seen()
    sink = StickyComment(
        api,
        PULL_REQUEST,
        manner=by or manner(),
        markdown=lambda limit: text[:limit],
        published=seen.urls.append,
        tell=seen.told.append,
    )
    await sink.publish(*report)
    return seen


def publish(
    hub: GitHubState,
    text: str = TEXT,
    *,
    by: Manner | None = None,
    report: Any = FAILING,
    clock: Clock | None = None,
    token: str = TOKEN,
) -> Seen:
    """Publish once over HTTP; nothing really waits."""
    time = clock or Clock()

    async def once() -> Seen:
        transport = time.transport()
        api = GitHubApi(transport, access_to(hub, token=token), patience=time.patience())
        try:
            return await publish_by(api, text, by=by, report=report)
        finally:
            await transport.aclose()

    return asyncio.run(once())
