"""What we ask of a repository's past is in GitHub's description, and we read GitHub's examples."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from openapi_core import OpenAPI

from ci_judge.github_api import (
    GitHubAccess,
    GitHubApi,
    GitHubRefusal,
    History,
    PastRun,
    PullRequest,
)
from ci_judge.transport import HttpReply, HttpRequest, RetryPolicy
from tests.github_description import DescribedRequest, rest_description
from tests.github_fake import TOKEN
from tests.github_past import REPOSITORY, github_past

_REPOSITORY = "/repos/{owner}/{repo}"
PATHS = (
    f"{_REPOSITORY}/pulls/{{pull_number}}/files",
    f"{_REPOSITORY}/compare/{{basehead}}",
    f"{_REPOSITORY}/commits",
    f"{_REPOSITORY}/actions/runs/{{run_id}}",
    f"{_REPOSITORY}/actions/workflows/{{workflow_id}}/runs",
    f"{_REPOSITORY}/actions/runs/{{run_id}}/artifacts",
    f"{_REPOSITORY}/actions/artifacts",
    f"{_REPOSITORY}/actions/artifacts/{{artifact_id}}/{{archive_format}}",
)
BASE, HEAD = "a" * 40, "b" * 40
RUN = PastRun(id=30_433_642, commit=HEAD, repository="octocat/Hello-World", event="push", url="")


@cache
def description() -> OpenAPI:
    return OpenAPI.from_dict(rest_description(PATHS))


class Described:
    """Lets through what GitHub describes, and answers with GitHub's own example of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def send(self, request: HttpRequest, *, retry: RetryPolicy) -> HttpReply:
        del retry
        described = DescribedRequest(request)
        description().validate_request(described)
        self.asked.append(described.path)
        names = urlsplit(request.url).query
        allowed = {parameter["name"] for parameter in self._parameters(described.path)}
        assert {pair.partition("=")[0] for pair in names.split("&") if pair} <= allowed
        return HttpReply(
            status=200,
            headers={"content-type": "application/json"},
            body=json.dumps(self._example(described.path)).encode(),
            latency_seconds=0.0,
        )

    def _operation(self, path: str) -> Any:
        wanted = path.strip("/").split("/")
        found = [
            template
            for template in PATHS
            if len(parts := template.strip("/").split("/")) == len(wanted)
            and all(
                part.startswith("{") or part == have
                for part, have in zip(parts, wanted, strict=True)
            )
        ]
        return rest_description(PATHS)["paths"][found[0]]["get"]

    def _parameters(self, path: str) -> list[Any]:
        return [_resolved(each) for each in self._operation(path).get("parameters", [])]

    def _example(self, path: str) -> Any:
        content = self._operation(path)["responses"]["200"]["content"]["application/json"]
        return _resolved(next(iter(content["examples"].values())))["value"]


def _resolved(node: Any) -> Any:
    if "$ref" not in node:
        return node
    _, *keys = node["$ref"].split("/")
    place: Any = rest_description(PATHS)
    for key in keys:
        place = place[key]
    return place


def asked(verb: Callable[[History], Awaitable[Any]]) -> Any:
    async def ask() -> Any:
        access = GitHubAccess(api_url="https://api.github.com", graphql_url="", token=TOKEN)
        return await verb(History(GitHubApi(Described(), access), "octocat/Hello-World"))

    answer = asyncio.run(ask())
    assert not isinstance(answer, GitHubRefusal), answer
    return answer


@pytest.mark.parametrize(
    ("verb", "read"),
    [
        (
            lambda past: past.files_of(PullRequest(repository=past.repository, number=7)),
            lambda files: (files.paths, files.whole) == (("file1.txt",), True),
        ),
        (
            lambda past: past.compare(BASE, HEAD),
            lambda found: len(found.merge_base) == 40 and found.files.paths == ("file1.txt",),
        ),
        (lambda past: past.ancestors(HEAD), lambda commits: [len(sha) for sha in commits] == [40]),
        (lambda past: past.workflow_of("30433642"), lambda workflow: workflow == 159_038),
        (
            lambda past: past.completed_runs(159_038, branch="main"),
            lambda runs: (
                [(run.id, run.repository) for run in runs] == [(30_433_642, "octo-org/octo-repo")]
            ),
        ),
        (
            lambda past: past.artifacts(str(RUN.id), name="Rails"),
            lambda found: [(each.id, each.expired) for each in found] == [(11, False)],
        ),
        (
            lambda past: past.artifacts_of_all_runs(name="Rails"),
            lambda found: [(each.id, each.run_id) for each in found] == [(11, "2332938")],
        ),
    ],
    ids=["files", "compare", "commits", "run", "runs", "artifacts", "all artifacts"],
)
def test_each_request_is_described_and_its_example_is_read(
    verb: Callable[[History], Awaitable[Any]], read: Callable[[Any], bool]
) -> None:
    answer = asked(verb)
    assert read(answer), answer


def test_the_archives_address_is_a_redirect_as_described() -> None:
    operation = rest_description(PATHS)["paths"][PATHS[-1]]["get"]
    assert "302" in operation["responses"]
    names = [_resolved(each)["name"] for each in operation["parameters"]]
    assert names == ["owner", "repo", "artifact_id", "archive_format"]


def test_what_the_fake_tells_of_an_artifact_is_described() -> None:
    artifact = rest_description(PATHS)["components"]["schemas"]["artifact"]["properties"]
    with github_past() as past:
        past.add_artifact(4711, b"", name="report")
        reply = httpx.get(f"{past.base}/api/v3/repos/{REPOSITORY}/actions/artifacts")
    (told,) = reply.json()["artifacts"]
    assert set(told) <= set(artifact)
    assert set(told["workflow_run"]) <= set(artifact["workflow_run"]["properties"])
