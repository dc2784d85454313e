"""What a repository's past holds: commits, changed files, earlier runs and what they left."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ci_judge.github_api.calls import GitHubCalls
from ci_judge.github_api.values import GitHubRefusal, PullRequest

MOST_FILES = 3_000
"""GitHub lists no more files of a pull request."""

_MOST_COMPARED = 300
"""GitHub lists no more files of a comparison."""

_FILE_PAGES, _COMMIT_PAGES, _RUN_PAGES, _ARTIFACT_PAGES = 30, 3, 3, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFiles:
    """Paths that were changed, old names of renamed files too. ``whole``: there are no more."""

    paths: tuple[str, ...]
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two commits: the newest one that both come from, and what changed since."""

    merge_base: str
    files: ChangedFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRun:
    """A run of a workflow. ``repository`` is where its code came from, ``event`` what began it."""

    id: int
    commit: str
    repository: str
    event: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """What a run left. ``size_bytes`` is that of its archive; ``run_id`` is None where untold."""

    id: int
    name: str
    expired: bool
    size_bytes: int
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class History:
    """The past of one repository ("owner/name")."""

    calls: GitHubCalls
    repository: str

    async def files_of(self, pull_request: PullRequest) -> ChangedFiles | GitHubRefusal:
        """Give the files that a pull request changes."""
        path = f"{self._path}/pulls/{pull_request.number}/files"
        found = await self.calls.items(path, most_pages=_FILE_PAGES)
        if isinstance(found, GitHubRefusal):
            return found
        return ChangedFiles(paths=tuple(_paths(found)), whole=len(found) < MOST_FILES)

    async def compare(self, base: str, head: str) -> Compared | GitHubRefusal:
        """Compare two commits."""
        answer = await self.calls.rest("GET", f"{self._path}/compare/{base}...{head}")
        if isinstance(answer, GitHubRefusal):
            return answer
        merge_base = _text(answer.body, "merge_base_commit", "sha")
        files = _at(answer.body, "files")
        if not merge_base or not isinstance(files, list):
            return GitHubRefusal(message="GitHub's answer is no comparison", status=answer.status)
        changed = ChangedFiles(paths=tuple(_paths(files)), whole=len(files) < _MOST_COMPARED)
        return Compared(merge_base=merge_base, files=changed)

    async def ancestors(self, commit: str) -> tuple[str, ...] | GitHubRefusal:
        """Give a commit and the newest few hundred that it comes from, itself first."""
        found = await self.calls.items(
            f"{self._path}/commits", query={"sha": commit}, most_pages=_COMMIT_PAGES
        )
        if isinstance(found, GitHubRefusal):
            return found
        return tuple(filter(None, (_text(item, "sha") for item in found)))

    async def workflow_of(self, run_id: str) -> int | GitHubRefusal:
        """Give the id of the workflow that a run is one of."""
        answer = await self.calls.rest("GET", f"{self._path}/actions/runs/{run_id}")
        if isinstance(answer, GitHubRefusal):
            return answer
        found = _at(answer.body, "workflow_id")
        return found if isinstance(found, int) else GitHubRefusal(message="there is no workflow")

    async def completed_runs(
        self, workflow: int, *, branch: str
    ) -> tuple[PastRun, ...] | GitHubRefusal:
        """Give the newest few hundred completed runs of a workflow on a branch, newest first."""
        found = await self.calls.items(
            f"{self._path}/actions/workflows/{workflow}/runs",
            query={"branch": branch, "status": "completed", "exclude_pull_requests": "true"},
            key="workflow_runs",
            most_pages=_RUN_PAGES,
        )
        return found if isinstance(found, GitHubRefusal) else tuple(_runs(found))

    async def artifacts(self, run_id: str, *, name: str) -> tuple[Artifact, ...] | GitHubRefusal:
        """Give the artifacts of this name that a run left."""
        return await self._artifacts(f"{self._path}/actions/runs/{run_id}/artifacts", name)

    async def artifacts_of_all_runs(self, *, name: str) -> tuple[Artifact, ...] | GitHubRefusal:
        """Give the newest few hundred artifacts of this name, whichever run left them."""
        return await self._artifacts(f"{self._path}/actions/artifacts", name)

    async def _artifacts(self, path: str, name: str) -> tuple[Artifact, ...] | GitHubRefusal:
        found = await self.calls.items(
            path, query={"name": name}, key="artifacts", most_pages=_ARTIFACT_PAGES
        )
        if isinstance(found, GitHubRefusal):
            return found
        # a server that does not know the filter gives all of them
        return tuple(artifact for artifact in _read_artifacts(found) if artifact.name == name)

    async def archive(self, artifact: Artifact, *, most_bytes: int) -> bytes | GitHubRefusal:
        """Read an artifact's zip file."""
        place = await self.calls.location(f"{self._path}/actions/artifacts/{artifact.id}/zip")
        if isinstance(place, GitHubRefusal):
            return place
        return await self.calls.file(place, most_bytes=most_bytes)

    @property
    def _path(self) -> str:
        return f"repos/{self.repository}"


def _paths(files: Any) -> Iterator[str]:
    for file in files:
        for key in ("filename", "previous_filename"):
            if path := _text(file, key):
                yield path


def _runs(items: Any) -> Iterator[PastRun]:
    for item in items:
        number, commit = _at(item, "id"), _text(item, "head_sha")
        if isinstance(number, int) and commit:
            yield PastRun(
                id=number,
                commit=commit,
                repository=_text(item, "head_repository", "full_name"),
                event=_text(item, "event"),
                url=_text(item, "html_url"),
            )


def _read_artifacts(items: Any) -> Iterator[Artifact]:
    for item in items:
        number, size = _at(item, "id"), _at(item, "size_in_bytes")
        run = _at(item, "workflow_run", "id")
        if isinstance(number, int):
            yield Artifact(
                id=number,
                name=_text(item, "name"),
                expired=_at(item, "expired") is True,
                size_bytes=size if isinstance(size, int) else 0,
                run_id=str(run) if isinstance(run, int) else None,
            )


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: Any, *keys: str) -> str:
    found = _at(value, *keys)
    return found if isinstance(found, str) else ""
