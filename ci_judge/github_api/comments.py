"""The comments under a pull request, as GitHub's answers give them."""

from typing import Any

from ci_judge.github_api.values import Comment

_PAGE_SIZE = 50  # of the largest comments; twice as many could pass the limit of one reply

COMMENTS_QUERY = f"""\
query CommentsOfPullRequest($owner: String!, $name: String!, $number: Int!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      comments(first: {_PAGE_SIZE}, after: $after) {{
        pageInfo {{ hasNextPage endCursor }}
        nodes {{ fullDatabaseId url body viewerDidAuthor }}
      }}
    }}
  }}
}}
"""


def own_comments_of(page: Any) -> list[Comment]:
    """Give those comments of a page of ``COMMENTS_QUERY`` that the token's user wrote."""
    return [
        Comment(id=int(node["fullDatabaseId"]), url=node["url"] or "", body=node["body"] or "")
        for node in page["nodes"]
        if node is not None and node["viewerDidAuthor"]
    ]


def comment_of(body: Any) -> Comment | None:
    """Read the answer to a write; None where it does not say which comment that was.

    A missing address is no reason to doubt the write.
    """
    found = body if isinstance(body, dict) else {}
    id_, url, text = found.get("id"), found.get("html_url"), found.get("body")
    if not isinstance(id_, int):
        return None
    return Comment(
        id=id_,
        url=url if isinstance(url, str) else "",
        body=text if isinstance(text, str) else "",
    )
