"""What is settled before the suite is read: whether it runs, and what earlier reports there are."""

import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ci_judge.action.comment_desk import Connect
from ci_judge.action.lookback import change_of, lookback_of
from ci_judge.action.order import Judged
from ci_judge.action.reruns import why_other_code
from ci_judge.action.skipping import refusal, skipped, withheld
from ci_judge.action.strangers import (
    Stranger,
    refuse_stranger,
    stranger_of,
    with_pull_request,
)
from ci_judge.action_inputs import ActionInputs
from ci_judge.ci_context import CiContext
from ci_judge.errors import CiJudgeError
from ci_judge.github_api import GitHubAccess, GitHubRefusal, History, Patience
from ci_judge.sinks.log import LogWriter
from ci_judge.workflows.artifact_reports import MOST_SECONDS, artifact_name
from ci_judge.workflows.attempt_search import AttemptSearch
from ci_judge.workflows.baseline import FoundBaseline, NoBaseline
from ci_judge.workflows.baseline_search import BaselineSearch
from ci_judge.workflows.changed_paths import Touch, look_at_paths
from ci_judge.workflows.earlier_attempts import FoundEarlier, NoEarlierAttempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Lets a step in, or says why it is not judged.

    ``most_seconds`` is how long looking for changed files may take.
    """

    environment: Mapping[str, str]
    inputs: ActionInputs
    context: CiContext
    log: LogWriter
    connect: Connect
    most_seconds: float = MOST_SECONDS
    patience: Patience = field(default_factory=Patience)
    """One for all that is looked up, and what is left of it for the comment."""

    async def refuse_strangers(self) -> None:
        """Raise InvalidInput for a stranger's code in a job that has secrets, unless allowed."""
        inputs = self.inputs
        stranger = stranger_of(self.environment)
        if stranger is None:
            return
        if inputs.allow_untrusted_code:
            self.log.line("Code of strangers may run here: allow-untrusted-code is true")
            return
        known = await self._asked_about(stranger)
        if known is not None:
            refuse_stranger(
                known,
                workspace=inputs.workspace,
                working_directory=inputs.working_directory,
                configured_in=_configured_in(inputs),
            )

    async def _asked_about(self, stranger: Stranger) -> Stranger | None:
        """Ask whose a pull request is, where the event does not say; unanswered it is anybody's."""
        access = self._access()
        if stranger.asked is None or access is None:
            return stranger
        try:
            async with self.connect(access, Patience(most_seconds=0)) as api:
                answer = await api.rest("GET", f"repos/{stranger.here}/pulls/{stranger.asked}")
        except CiJudgeError:
            return stranger
        if isinstance(answer, GitHubRefusal):
            return stranger
        return with_pull_request(stranger, answer.body)

    async def why_untouched(self) -> str | None:
        """Say why nothing that is judged was changed, None where something was or may have been."""
        if not self.inputs.changed_paths:
            return None
        touch = await self._touch()
        if not touch.touched:
            return touch.said
        self.log.line(f"Judged, for {touch.said}")
        return None

    async def look_for_baseline(self, report_name: str) -> FoundBaseline:
        """Find the newest complete report of this workflow at or before the merge base."""
        name = artifact_name(self.inputs.comment_key)
        source = f'auto: artifact "{name}"'
        lookback = lookback_of(self.environment)
        access = self._access()
        if access is None or lookback is None or self.context.run_id is None:
            reason = "the event names no commit to look back from"
            return NoBaseline(source=source, reason=_NO_ACCESS if access is None else reason)
        try:
            async with self.connect(access, self.patience) as api:
                search = BaselineSearch(
                    history=History(api, self.context.repository or ""),
                    run_id=self.context.run_id,
                    lookback=lookback,
                    name=name,
                )
                return await search.look(report_name)
        except CiJudgeError as error:
            return NoBaseline(source=source, reason=f"GitHub cannot be asked: {error}")

    async def look_for_earlier(self, report_name: str) -> FoundEarlier | None:
        """Find the report of the newest earlier attempt of this run, None in the first attempt."""
        attempt, run_id, commit = (
            self.context.attempt,
            self.context.run_id,
            self.context.commit,
        )
        if attempt is None or attempt < _SECOND:
            return None
        other_code = self._why_other_code()
        access = self._access()
        if access is None or other_code or run_id is None or commit is None:
            reason = other_code or (_NO_ACCESS if access is None else _UNKNOWN_RUN)
            return NoEarlierAttempt(attempt=attempt, reason=reason)
        try:
            async with self.connect(access, self.patience) as api:
                search = AttemptSearch(
                    history=History(api, self.context.repository or ""),
                    run_id=run_id,
                    attempt=attempt,
                    commit=commit,
                    name=artifact_name(self.inputs.comment_key),
                )
                return await search.look(report_name)
        except CiJudgeError as error:
            return NoEarlierAttempt(attempt=attempt, reason=f"GitHub cannot be asked: {error}")

    def _why_other_code(self) -> str | None:
        return why_other_code(
            self.environment,
            self.context,
            folder=self.inputs.working_directory,
            workspace=self.inputs.workspace,
        )

    def skipped(self, why: str, *, quiet: bool = False) -> Judged:
        """Give the report of a step that judges nothing; ``quiet`` begins no comment for it."""
        self.log.line(f"Skipped: {why}")
        return skipped(why, inputs=self.inputs, context=self.context, now=time.time(), quiet=quiet)

    def without_secrets(self, error: CiJudgeError) -> Judged:
        """Skip where nothing is wrong but that no secrets are given, if that is wanted.

        Raises the error again, or one that says what to do.
        """
        why = withheld(error, self.context)
        if why is None:
            raise error
        if self.inputs.missing_secret == "skip":
            return self.skipped(why)
        raise refusal(why) from error

    async def _touch(self) -> Touch:
        access = self._access()
        if access is None:
            return Touch(touched=True, said=f"the changed files are not known: {_NO_ACCESS}")
        try:
            async with self.connect(access, self.patience) as api:
                history = History(api, self.context.repository or "")
                change = change_of(self.environment)
                async with asyncio.timeout(self.most_seconds):
                    return await look_at_paths(self.inputs.changed_paths, change, history)
        except TimeoutError:
            late = f"looking for them took longer than {self.most_seconds:.0f} s"
            return Touch(touched=True, said=f"the changed files are not known: {late}")
        except CiJudgeError as error:
            return Touch(touched=True, said=f"the changed files are not known: {error}")

    def _access(self) -> GitHubAccess | None:
        url, token = self.environment.get("GITHUB_API_URL"), self.inputs.github_token
        if not (url and token and self.context.repository):
            return None
        graphql_url = self.environment.get("GITHUB_GRAPHQL_URL", "")
        return GitHubAccess(api_url=url, graphql_url=graphql_url, token=token)


def _configured_in(inputs: ActionInputs) -> Path:
    """Give the folder of the workspace where the configuration lies, or else paths start."""
    start = inputs.working_directory
    folder = Path(os.path.realpath(start / (inputs.config or "ci-judge.yaml"))).parent
    return folder if folder.is_relative_to(inputs.workspace) else start


_SECOND = 2
_UNKNOWN_RUN = "GitHub does not say which run and which commit this is"
_NO_ACCESS = "GitHub cannot be asked without github-token, GITHUB_API_URL and GITHUB_REPOSITORY"
