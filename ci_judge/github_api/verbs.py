"""The requests that CI Judge makes of GitHub about comments and pull requests."""

from collections.abc import Mapping
from typing import Any

from ci_judge.github_api.calls import MOST_PAGES, GitHubCalls
from ci_judge.github_api.comments import COMMENTS_QUERY, comment_of, own_comments_of
from ci_judge.github_api.values import Comment, GitHubRefusal, Head, PullRequest


class GitHubApi(GitHubCalls):
    """Verbs on top of the calls."""

    async def own_comments(self, pull_request: PullRequest) -> tuple[Comment, ...] | GitHubRefusal:
        """Give every comment under the pull request that this token's user wrote, oldest first."""
        owner, _, name = pull_request.repository.partition("/")
        found: list[Comment] = []
        after: str | None = None
        for _ in range(MOST_PAGES):
            page = await self._comments_page(
                {"owner": owner, "name": name, "number": pull_request.number, "after": after}
            )
            if isinstance(page, GitHubRefusal):
                return page
            try:
                found.extend(own_comments_of(page))
                after = page["pageInfo"]["endCursor"] if page["pageInfo"]["hasNextPage"] else None
            except (KeyError, TypeError, ValueError):
                return GitHubRefusal(message="GitHub's list of comments cannot be read")
            if after is None:
                return tuple(sorted(found, key=lambda comment: comment.id))
        return GitHubRefusal(message=f"there are more than {MOST_PAGES:,} pages of comments")

    async def comment(self, repository: str, comment_id: int) -> Comment | GitHubRefusal:
        """Read one comment as it stands now."""
        answer = await self.rest("GET", f"repos/{repository}/issues/comments/{comment_id}")
        if isinstance(answer, GitHubRefusal):
            return answer
        return comment_of(answer.body) or GitHubRefusal(message="GitHub's answer is no comment")

    async def create_comment(
        self, pull_request: PullRequest, body: str
    ) -> Comment | GitHubRefusal | None:
        """Post a new comment. None: it is posted, but GitHub's answer does not say where."""
        path = f"repos/{pull_request.repository}/issues/{pull_request.number}/comments"
        answer = await self.rest("POST", path, body={"body": body})
        return answer if isinstance(answer, GitHubRefusal) else comment_of(answer.body)

    async def update_comment(
        self, repository: str, comment_id: int, body: str
    ) -> Comment | GitHubRefusal | None:
        """Replace a comment's text. None: it is replaced, but GitHub's answer cannot be read."""
        path = f"repos/{repository}/issues/comments/{comment_id}"
        answer = await self.rest("PATCH", path, body={"body": body})
        return answer if isinstance(answer, GitHubRefusal) else comment_of(answer.body)

    async def delete_comment(self, repository: str, comment_id: int) -> GitHubRefusal | None:
        """Delete a comment; None when it is gone."""
        answer = await self.rest("DELETE", f"repos/{repository}/issues/comments/{comment_id}")
        return answer if isinstance(answer, GitHubRefusal) else None

    async def head_of(self, pull_request: PullRequest) -> str | GitHubRefusal:
        """Give the commit that is the pull request's head now."""
        path = f"repos/{pull_request.repository}/pulls/{pull_request.number}"
        answer = await self.rest("GET", path)
        if isinstance(answer, GitHubRefusal):
            return answer
        return _sha(answer.body) or GitHubRefusal(message="GitHub's answer names no head")

    async def heads_of_commit(self, repository: str, sha: str) -> tuple[Head, ...] | GitHubRefusal:
        """Give the open pull requests that a commit is the head of."""
        return _heads(await self.items(f"repos/{repository}/commits/{sha}/pulls"), sha)

    async def heads_of_branch(
        self, repository: str, *, owner: str, branch: str, sha: str
    ) -> tuple[Head, ...] | GitHubRefusal:
        """Give the open pull requests from a branch of ``owner``'s whose head is this commit.

        GitHub ignores a filter that it cannot make sense of, so the commit is what counts.
        """
        query = {"state": "open", "head": f"{owner}:{branch}"}
        return _heads(await self.items(f"repos/{repository}/pulls", query=query), sha)

    async def _comments_page(self, variables: Mapping[str, Any]) -> Any | GitHubRefusal:
        data = await self.graphql(COMMENTS_QUERY, variables)
        if isinstance(data, GitHubRefusal):
            return data
        try:
            return data["repository"]["pullRequest"]["comments"]
        except (KeyError, TypeError):
            return GitHubRefusal(message="there is no such pull request")


def _heads(items: tuple[Any, ...] | GitHubRefusal, sha: str) -> tuple[Head, ...] | GitHubRefusal:
    if isinstance(items, GitHubRefusal):
        return items
    numbers = {
        item["number"]
        for item in items
        if isinstance(item, dict)
        and item.get("state") == "open"
        and _sha(item) == sha
        and isinstance(item.get("number"), int)
    }
    return tuple(Head(number=number, sha=sha) for number in sorted(numbers))


def _sha(pull_request: Any) -> str | None:
    head = pull_request.get("head") if isinstance(pull_request, dict) else None
    sha = head.get("sha") if isinstance(head, dict) else None
    return sha if isinstance(sha, str) and sha else None
