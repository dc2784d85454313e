"""Hands the finished report to every place on GitHub; none of them changes the verdict."""

import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from ci_judge.action.mistakes import TITLE
from ci_judge.action.order import Judged
from ci_judge.action_inputs import ActionInputs
from ci_judge.ci_context import CiContext
from ci_judge.errors import CiJudgeError
from ci_judge.github_api import GitHubAccess, GitHubApi, PullRequest
from ci_judge.protocols import Sink
from ci_judge.sinks.annotations import Annotations
from ci_judge.sinks.comment import Origin, StickyComment
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.log import LogWriter
from ci_judge.sinks.outputs import Published
from ci_judge.sinks.step_summary import StepSummary
from ci_judge.transport import Transport
from ci_judge.version import __version__

Connect: TypeAlias = Callable[[GitHubAccess], AbstractAsyncContextManager[GitHubApi]]


@asynccontextmanager
async def connect_to_github(
    access: GitHubAccess, *, environment: Mapping[str, str]
) -> AsyncIterator[GitHubApi]:
    """Open the way to GitHub for as long as the comment takes, through the runner's proxy."""
    transport = Transport(
        connections=1, environment=environment, user_agent=f"ci-judge/{__version__}"
    )
    try:
        yield GitHubApi(transport, access)
    finally:
        await transport.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Publishes one finished run of the action."""

    environment: Mapping[str, str]
    inputs: ActionInputs
    context: CiContext
    log: LogWriter
    connect: Connect

    async def publish(self, judged: Judged) -> Published:
        """Write annotations and summary; raises nothing for what goes wrong with them."""
        for sink in self._sinks(judged):
            with self._guarding(sink.name):
                await sink.publish(judged.document, judged.runs)
        return Published(
            report_dir=self._in_workspace(judged.report_dir),
            files={kind: self._in_workspace(path) for kind, path in judged.files.items()},
        )

    async def comment(self, judged: Judged) -> str:
        """Write the comment and give its address, empty where there is none; raises nothing."""
        missing = self._why_no_comment()
        if missing:
            self.log.line(f"No pull request comment: {missing}")
            return ""
        urls: list[str] = []
        with self._guarding(StickyComment.name):
            async with self.connect(self._access()) as api:
                sink = StickyComment(
                    api,
                    self._pull_request(),
                    origin=self._origin(),
                    markdown=judged.comment_markdown,
                    only_failures=self.inputs.comment == "on-failure",
                    published=urls.append,
                )
                await sink.publish(judged.document, judged.runs)
        return "".join(urls)

    def _sinks(self, judged: Judged) -> Iterator[Sink]:
        if self.inputs.annotations:
            yield Annotations(self.log, folder=PurePosixPath(self._in_workspace(judged.root)))
        summary = self.environment.get("GITHUB_STEP_SUMMARY")
        if self.inputs.summary and summary:
            yield StepSummary(Path(summary), judged.summary_markdown)

    def _why_no_comment(self) -> str:
        reasons = (
            (self.inputs.comment == "never", "the input comment is never"),
            (self.context.pull_request is None, "this event has no pull request"),
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

    def _pull_request(self) -> PullRequest:
        return PullRequest(
            repository=self.context.repository or "", number=self.context.pull_request or 0
        )

    def _origin(self) -> Origin:
        return Origin(
            key=self.inputs.comment_key,
            sha=self.context.commit or "",
            run=self.context.run_id or "",
            attempt=str(self.context.attempt or ""),
        )

    @contextmanager
    def _guarding(self, place: str) -> Iterator[None]:
        """Show what goes wrong with one place, and let it cost neither the others nor the verdict.

        A CiJudgeError is the way to GitHub that cannot be opened, as with a wrong SSL_CERT_FILE.
        """
        try:
            yield
        except SinkFailed as failure:
            self.log.command("notice", str(failure), title=TITLE)
        except CiJudgeError as error:
            message = f"The {place} was not written: {error}"
            self.log.command("warning", message, title=TITLE)
        except Exception as error:  # noqa: BLE001 - a crash here must not change the verdict
            self.log.untrusted("".join(traceback.format_exception(error)))
            message = f"A bug in CI Judge kept the {place} from being written"
            self.log.command("warning", message, title=TITLE)

    def _in_workspace(self, path: Path) -> str:
        workspace = self.inputs.workspace
        absolute = (self.inputs.working_directory / path).resolve()
        if absolute.is_relative_to(workspace):
            return absolute.relative_to(workspace).as_posix()
        return absolute.as_posix()
