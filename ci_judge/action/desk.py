"""Hands the finished report to every place on GitHub; none of them changes the verdict."""

import os
import traceback
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ci_judge.action.comment_desk import CommentDesk, Connect
from ci_judge.action.mistakes import TITLE
from ci_judge.action.order import Judged
from ci_judge.action_inputs import ActionInputs
from ci_judge.ci_context import CiContext
from ci_judge.errors import CiJudgeError
from ci_judge.github_api import GitHubAccess, GitHubApi, Patience
from ci_judge.protocols import Sink
from ci_judge.sinks.annotations import Annotations
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.log import LogWriter
from ci_judge.sinks.outputs import Published
from ci_judge.sinks.step_summary import StepSummary
from ci_judge.transport import Effects, Transport
from ci_judge.version import __version__


@asynccontextmanager
async def connect_to_github(
    access: GitHubAccess, patience: Patience, *, environment: Mapping[str, str]
) -> AsyncIterator[GitHubApi]:
    """Open the way to GitHub for as long as the comment takes, through the runner's proxy."""

    async def sleep(seconds: float) -> None:
        await patience.pause(seconds)

    transport = Transport(
        connections=1,
        environment=environment,
        user_agent=f"ci-judge/{__version__}",
        effects=Effects(sleep=sleep, now=patience.now),
    )
    try:
        yield GitHubApi(transport, access, patience=patience)
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

    async def comment(self, judged: Judged, patience: Patience) -> str:
        """Write the comment and give its address, empty where there is none; raises nothing."""
        desk = CommentDesk(
            environment=self.environment,
            inputs=self.inputs,
            context=self.context,
            log=self.log,
            connect=self.connect,
            patience=patience,
        )
        folder = self.inputs.working_directory / judged.report_dir
        shown = self._in_workspace(judged.report_dir)
        urls: list[str] = []
        with self._guarding("comment"):
            urls.append(await desk.comment(judged, folder=folder, shown_folder=shown))
        return "".join(urls)

    def _sinks(self, judged: Judged) -> Iterator[Sink]:
        folder = PurePosixPath(self._in_workspace(judged.root))
        yield Annotations(self.log, folder=folder, tests=self.inputs.annotations)
        summary = self.environment.get("GITHUB_STEP_SUMMARY")
        if self.inputs.summary and summary:
            yield StepSummary(Path(summary), judged.summary_markdown)

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
        absolute = Path(os.path.realpath(self.inputs.working_directory / path))
        if absolute.is_relative_to(workspace):
            return absolute.relative_to(workspace).as_posix()
        return absolute.as_posix()
