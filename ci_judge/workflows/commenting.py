"""Comments on a pull request with the report of another workflow's run: as data, unverified."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ci_judge.ci_context import CiContext, github_context, read_event
from ci_judge.errors import Incomplete, InvalidInput, Problem
from ci_judge.github_api import GitHubAccess, GitHubApi, GitHubRefusal
from ci_judge.model.document import ReportDocument
from ci_judge.renderers import markdown
from ci_judge.renderers.markdown_fit import Block, fit
from ci_judge.sinks.comment import Manner, StickyComment
from ci_judge.sinks.comment_origin import Origin
from ci_judge.sinks.failure import SinkFailed
from ci_judge.sinks.fitting import utf16_units
from ci_judge.transport import Transport
from ci_judge.workflows.pull_requests import Known, ask, lookup_of, pull_requests
from ci_judge.workflows.render import RecordedReport
from ci_judge.workflows.strict_reports import read_strict_report
from ci_judge.workflows.surroundings import Surroundings
from ci_judge.workflows.unverified_attempts import as_attempt

_EVENT = "workflow_run"
_WHERE = "run it in a workflow on workflow_run, with pull-requests: write and GITHUB_TOKEN"
_NEEDED = ("GITHUB_TOKEN", "GITHUB_API_URL", "GITHUB_GRAPHQL_URL", "GITHUB_REPOSITORY")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The run that made the report, as GitHub tells of it. ``stranger``: its code is a fork's."""

    run: str
    attempt: int | None
    url: str | None
    stranger: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """Where the comment stands, empty where there is none; ``notes`` say why, and what else."""

    url: str
    notes: tuple[str, ...]


async def comment_on(report: Path, surroundings: Surroundings, *, key: str) -> Posted:
    """Read a report strictly, render it here, and keep the one comment with this key up to date.

    Everything that the comment links or names of the run comes from the event.
    Raises InvalidInput for a report or an environment that is wrong, Incomplete where GitHub does
    not let us.
    """
    environment = surroundings.environment
    _refuse_environment(environment)
    recorded = read_strict_report(report)
    context, source = github_context(environment), _source(environment)
    notes: list[str] = []
    async with _connected(surroundings) as api:
        known = await _known(environment, context, api)
        if not known.numbers:
            return Posted(url="", notes=(f"No comment: {known.why_none}",))
        poster = _Poster(
            api=api, context=context, source=source, key=key, report=recorded, tell=notes.append
        )
        try:
            url = await poster.post(known)
        except SinkFailed as failure:
            raise Incomplete(Problem(message=str(failure))) from failure
    return Posted(url=url, notes=tuple(notes))


def _refuse_environment(environment: Mapping[str, str]) -> None:
    event = environment.get("GITHUB_EVENT_NAME", "")
    problems = [
        Problem(message=f'the variable "{name}" is not set', hint=_WHERE)
        for name in _NEEDED
        if not environment.get(name)
    ]
    if event != _EVENT:
        told = f'the event is "{event}"' if event else "this is no GitHub workflow"
        problems.insert(0, Problem(message=f"{told}, not {_EVENT}", hint=_WHERE))
    if problems:
        raise InvalidInput(*problems)


def _source(environment: Mapping[str, str]) -> Source:
    event = read_event(environment)
    run = _mapping(event.get(_EVENT))
    home = _mapping(run.get("head_repository")).get("full_name")
    here = environment.get("GITHUB_REPOSITORY", "")
    attempt, url = run.get("run_attempt"), run.get("html_url")
    return Source(
        run=str(run.get("id", "")),
        attempt=attempt if isinstance(attempt, int) else None,
        url=url if isinstance(url, str) else None,
        stranger=not isinstance(home, str) or home.casefold() != here.casefold(),
    )


@asynccontextmanager
async def _connected(surroundings: Surroundings) -> AsyncIterator[GitHubApi]:
    environment = surroundings.environment
    access = GitHubAccess(
        api_url=environment["GITHUB_API_URL"],
        graphql_url=environment["GITHUB_GRAPHQL_URL"],
        token=environment["GITHUB_TOKEN"],
    )
    transport = Transport(
        connections=1, environment=environment, user_agent=surroundings.user_agent
    )
    try:
        yield GitHubApi(transport, access)
    finally:
        await transport.aclose()


async def _known(environment: Mapping[str, str], context: CiContext, api: GitHubApi) -> Known:
    lookup = lookup_of(environment, context, pr_number=None)
    known = await ask(lookup, context.repository or "", api, pr_number=None)
    if isinstance(known, GitHubRefusal):
        raise Incomplete(Problem(message=f"the pull request was not found: {known.message}"))
    return known


@dataclass(frozen=True, slots=True, kw_only=True)
class _Poster:
    api: GitHubApi
    context: CiContext
    source: Source
    key: str
    report: RecordedReport
    tell: Callable[[str], None]

    async def post(self, known: Known) -> str:
        urls: list[str] = []
        for pull_request in pull_requests(self.context.repository or "", known):
            document = self._told_anew(pull_request.number)
            sink = StickyComment(
                self.api,
                pull_request,
                manner=Manner(origin=self._origin(), head_binds=True),
                markdown=partial(self._markdown, document),
                published=urls.append,
                tell=self.tell,
            )
            await sink.publish(document, self.report.runs)
        return next(filter(None, urls), "")

    def _origin(self) -> Origin:
        return Origin(
            key=self.key,
            sha=self.context.commit or "",
            run=self.source.run,
            attempt=str(self.source.attempt or ""),
        )

    def _told_anew(self, number: int) -> ReportDocument:
        """Replace all that the report says of where it comes from by what GitHub says."""
        document = as_attempt(self.report.document, self.source.attempt)
        baseline = document["baseline"]
        return {
            **document,
            "run": {
                **document["run"],
                "commit": self.context.commit,
                "branch": self.context.branch,
                "repository": self.context.repository,
                "pull_request": number,
                "url": self.source.url,
                "attempt": self.source.attempt,
            },
            "baseline": None if baseline is None else {**baseline, "url": None},
        }

    def _markdown(self, document: ReportDocument, limit: int) -> str:
        label = Block(text=_label(self.source))
        blocks = [label, *markdown.blocks(document, self.report.runs)]
        return fit(blocks, limit=limit, measure=utf16_units)


def _label(source: Source) -> str:
    whose = "From a fork, unverified" if source.stranger else "From another workflow, unverified"
    return (
        f"> **{whose}:** the code of this pull request could write into the report below"
        " whatever it liked."
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
