"""What a re-run may go on from: an earlier attempt at the code that is checked out now."""

from collections.abc import Mapping
from pathlib import Path

from ci_judge.checkout import commit_of, repository_of
from ci_judge.ci_context import CiContext


def why_other_code(
    environment: Mapping[str, str], context: CiContext, *, folder: Path, workspace: Path
) -> str | None:
    """Say that ``folder`` holds another commit than the run's, None where it does not seem so.

    A re-run keeps its commit. What a branch or a pull request is checked out at by name may have
    moved since the attempt before, and no report tells of it.
    """
    repository = repository_of(folder, top=workspace)
    commit = commit_of(repository) if repository else None
    if commit in {None, environment.get("GITHUB_SHA"), context.commit}:
        return None
    return (
        f"commit {str(commit)[:10]} is checked out, which is not the run's own, so that an earlier"
        " attempt may have judged other code"
    )
