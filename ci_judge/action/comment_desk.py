"""Takes the comment to the pull requests that the run is about, or leaves it in a file."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ci_judge.action.mistakes import TITLE
from ci_judge.action.order import Judged
from ci_judge.action_inputs import ActionInputs
from ci_judge.ci_context import CiContext
from ci_judge.errors import InvalidInput
from ci_judge.github_api import GitHubAccess, GitHubApi, GitHubRefusal, Patience, PullRequest
from ci_judge.sinks.comment import LARGEST_UNITS, Manner, StickyComment
from ci_judge.sinks.comment_origin import Origin
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.files import prepare_report_folder, write_whole
from ci_judge.sinks.log import LogWriter
from ci_judge.workflows.pull_requests import Known, Lookup, ask, lookup_of, pull_requests

Connect: TypeAlias = Callable[[GitHubAccess, Patience], AbstractAsyncContextManager[GitHubApi]]
COMMENT_FILE = "comment.md"
"""What could not be posted, in the report's folder."""

_GIVEN_UP = "The comment was given up, and may not have been posted"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentDesk:
    """Publishes the comment of one finished run.

    ``patience`` is how long GitHub's rate limits may hold us up.
    """

    environment: Mapping[str, str]
    inputs: ActionInputs
    context: CiContext
    log: LogWriter
    connect: Connect
    patience: Patience

    async def comment(self, judged: Judged, *, folder: Path, shown_folder: str) -> str:
        """Write the comment and give its address, empty where there is none.

        What cannot be posted is left in ``folder``. Raises what is a bug, and CiJudgeError where
        the way to GitHub cannot be opened.
        """
        left = folder / COMMENT_FILE
        self._remove_old(left)
        lookup = self._lookup()
        missing = self._why_no_comment(lookup)
        if missing:
            self._say_none(missing)
            return ""
        try:
            async with self.connect(self._access(), self.patience) as api:
                return await self._everywhere(judged, lookup, api)
        except SinkFailed as failure:
            self._leave(judged, left, f"{shown_folder}/{COMMENT_FILE}", failure)
            return ""
        except asyncio.CancelledError:
            self._leave(judged, left, f"{shown_folder}/{COMMENT_FILE}", _GIVEN_UP)
            raise

    async def _everywhere(self, judged: Judged, lookup: Lookup, api: GitHubApi) -> str:
        """Comment on each pull request; what goes wrong with one is told after the others."""
        repository = self.context.repository or ""
        known = await ask(lookup, repository, api, pr_number=self.inputs.pr_number)
        if isinstance(known, GitHubRefusal):
            raise SinkFailed(f"The comment was not posted: {known.message}")
        if not known.numbers:
            self._say_none(known.why_none)
        urls: list[str] = []
        failures: list[SinkFailed] = []
        for each in pull_requests(repository, known):
            try:
                sink = self._sink(judged, api, each, known=known, published=urls.append)
                await sink.publish(judged.document, judged.runs)
            except SinkFailed as failure:
                failures.append(failure)
        if failures:
            raise failures[0]
        return next(filter(None, urls), "")

    def _sink(
        self,
        judged: Judged,
        api: GitHubApi,
        pull_request: PullRequest,
        *,
        known: Known,
        published: Callable[[str], None],
    ) -> StickyComment:
        return StickyComment(
            api,
            pull_request,
            manner=Manner(
                origin=self._origin(),
                only_failures=judged.quiet or self.inputs.comment == "on-failure",
                head_binds=known.head_binds and self.context.commit is not None,
            ),
            markdown=judged.comment_markdown,
            published=published,
            tell=self._notice,
        )

    def _lookup(self) -> Lookup:
        return lookup_of(self.environment, self.context, pr_number=self.inputs.pr_number)

    def _why_no_comment(self, lookup: Lookup) -> str:
        none = lookup.why_none if isinstance(lookup, Known) else ""
        reasons = (
            (self.inputs.comment == "never", "the input comment is never"),
            (bool(none), none),
            (self.context.repository is None, "GITHUB_REPOSITORY is not set"),
            (self.inputs.github_token is None, "there is no github-token"),
            (not self.environment.get("GITHUB_API_URL"), "GITHUB_API_URL is not set"),
            (not self.environment.get("GITHUB_GRAPHQL_URL"), "GITHUB_GRAPHQL_URL is not set"),
        )
        return next((reason for applies, reason in reasons if applies), "")

    def _access(self) -> GitHubAccess:
        return GitHubAccess(
            api_url=self.environment.get("GITHUB_API_URL", ""),
            graphql_url=self.environment.get("GITHUB_GRAPHQL_URL", ""),
            token=self.inputs.github_token or "",
        )

    def _origin(self) -> Origin:
        return Origin(
            key=self.inputs.comment_key,
            sha=self.context.commit or "",
            run=self.context.run_id or "",
            attempt=str(self.context.attempt or ""),
        )

    def _leave(self, judged: Judged, path: Path, shown: str, failure: SinkFailed | str) -> None:
        """Keep the text where the next steps find it: the summary has it too, unless it is off."""
        try:
            # a skipped run has neither made the folder nor looked where it leads to
            prepare_report_folder(path.parent, top=self.inputs.workspace)
            write_whole(path, [judged.comment_markdown(LARGEST_UNITS)])
            self._notice(f'{failure}. Its text is in "{shown}"')
        except InvalidInput as error:
            self._notice(f"{failure}. It could not be left in a file: {error.problems[0].message}")
        except OSError as error:
            self._notice(f"{failure}. It could not be left in a file: {error.strerror or error}")

    def _remove_old(self, path: Path) -> None:
        """Remove what an earlier run has left, in the workspace: a link may lead out of it."""
        if Path(os.path.realpath(path.parent)).is_relative_to(self.inputs.workspace):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def _notice(self, text: str) -> None:
        self.log.command("notice", text, title=TITLE)

    def _say_none(self, why: str) -> None:
        self.log.line(f"No pull request comment: {why}")
