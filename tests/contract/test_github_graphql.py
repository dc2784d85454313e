"""Our one GraphQL query is legal in GitHub's own schema, and its answer what the fake gives."""

import asyncio
from functools import cache
from typing import Any

from graphql import (
    GraphQLObjectType,
    GraphQLSchema,
    build_schema,
    execute,
    parse,
    validate,
)

from ci_judge.github_api import COMMENTS_QUERY
from tests.github_description import package_file
from tests.github_fake import Asked, GitHubState, Hub
from tests.sticky import PULL_REQUEST, api_over, manner


@cache
def schema() -> GraphQLSchema:
    text = package_file("graphql-schema", "schema.graphql").read_text(encoding="utf-8")
    return build_schema(text, assume_valid=True)


def complaints(query: str) -> list[str]:
    return [error.message for error in validate(schema(), parse(query))]


def test_the_query_is_legal() -> None:
    assert complaints(COMMENTS_QUERY) == []


def test_the_check_itself_finds_what_is_not() -> None:
    assert complaints(COMMENTS_QUERY.replace("viewerDidAuthor", "viewerDidWrite"))
    assert complaints(COMMENTS_QUERY.replace("$number: Int!", "$number: String!"))
    assert complaints(COMMENTS_QUERY.replace("comments(first", "comments(begin"))


def test_nothing_that_it_asks_for_is_about_to_go() -> None:
    pull_request = schema().get_type("PullRequest")
    comment = schema().get_type("IssueComment")
    assert isinstance(pull_request, GraphQLObjectType)
    assert isinstance(comment, GraphQLObjectType)
    for field in ("fullDatabaseId", "url", "body", "viewerDidAuthor"):
        assert comment.fields[field].deprecation_reason is None, field
    assert pull_request.fields["comments"].deprecation_reason is None


def test_the_fake_answers_what_the_schema_promises() -> None:
    """Execute the query by the schema over the fake's data; both answers must be the same."""
    state = GitHubState()
    for number in range(3):
        state.add(f"{manner().origin.marker}\n{number}", ours=number == 1)
    asyncio.run(api_over(Hub(state), state).own_comments(PULL_REQUEST))
    (asked, answered) = state.exchanges[-1]
    assert executed(asked, answered.body["data"]) == answered.body["data"]


def executed(asked: Asked, data: dict[str, Any]) -> Any:
    result = execute(
        schema(),
        parse(asked.body["query"]),
        root_value={"repository": data["repository"]},
        variable_values=asked.body["variables"],
    )
    assert not asyncio.iscoroutine(result)
    assert result.errors is None  # type: ignore[union-attr]  # nothing here is asynchronous
    return result.data  # type: ignore[union-attr]  # likewise
