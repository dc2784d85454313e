"""The report that an earlier attempt of this very run has left, or why there is none to use."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from ci_judge.github_api import GitHubAccess, GitHubApi, History, Patience, Sender
from ci_judge.transport import HttpReply, HttpRequest, RetryPolicy, Transport, TransportFailure
from ci_judge.workflows.attempt_search import AttemptSearch
from ci_judge.workflows.earlier_attempts import EarlierAttempt, FoundEarlier, NoEarlierAttempt
from tests.builders import a_group, a_report, a_test
from tests.github_fake import TOKEN
from tests.github_past import OWN_RUN, REPOSITORY, Past, github_past, zipped
from tests.virtual_loop import VirtualLoop, run_virtually

NAME = "ci-judge-report-ci-judge"
HEAD = "f" * 40
RUN = int(OWN_RUN)


@pytest.fixture
def past() -> Iterator[Past]:
    with github_past() as state:
        yield state


def a_report_file(attempt: int | None, **changes: Any) -> bytes:
    """Give a report of an attempt at our commit; ``changes`` are of ``run`` in it."""
    document, runs = a_report(a_group(a_test(passes=7, fails=3)))
    document["run"].update({"attempt": attempt, "commit": HEAD} | changes)  # type: ignore[typeddict-item] # keys of a case
    for group in document["groups"]:
        for test in group["tests"]:
            test["runs"] = list(runs.runs(test["id"]))
    return json.dumps(document).encode()


def left(
    past: Past, attempt: int | None, *, run: int = RUN, name: str = NAME, **changes: Any
) -> None:
    """Have an attempt leave a report, ``seed`` telling which it is."""
    report = a_report_file(attempt, **changes)
    past.add_artifact(run, zipped({"report.json": report}), name=name)


def a_search(past: Past, sender: Sender, *, attempt: int) -> AttemptSearch:
    access = GitHubAccess(api_url=past.environment()["GITHUB_API_URL"], graphql_url="", token=TOKEN)
    api = GitHubApi(sender, access, patience=Patience(most_seconds=0))
    return AttemptSearch(
        history=History(api, REPOSITORY),
        run_id=OWN_RUN,
        attempt=attempt,
        commit=HEAD,
        name=NAME,
    )


def look(past: Past, *, attempt: int = 2) -> FoundEarlier:
    async def searched() -> FoundEarlier:
        transport = Transport()
        try:
            return await a_search(past, transport, attempt=attempt).look("report.json")
        finally:
            await transport.aclose()

    return asyncio.run(searched())


def found(past: Past, *, attempt: int = 2) -> dict[str, Any]:
    earlier = look(past, attempt=attempt)
    assert isinstance(earlier, EarlierAttempt), earlier
    assert earlier.attempt == attempt
    return dict(earlier.report.document["run"])


def why_none(past: Past, *, attempt: int = 2) -> str:
    nothing = look(past, attempt=attempt)
    assert isinstance(nothing, NoEarlierAttempt), nothing
    assert nothing.attempt == attempt
    assert NAME in nothing.reason
    return nothing.reason


def asked_for(past: Past) -> list[str]:
    return [path.partition("?")[0].partition(f"{REPOSITORY}/")[2] for path, _ in past.requests]


def test_the_first_attempts_report_is_found_with_its_runs(past: Past) -> None:
    left(past, 1)
    earlier = look(past)
    assert isinstance(earlier, EarlierAttempt)
    assert len(list(earlier.report.runs.runs("refund-policy/asks"))) == 10
    ((_, headers),) = past.stored
    assert "authorization" not in headers


def test_of_several_attempts_the_one_before_is_taken_and_no_other_read(past: Past) -> None:
    left(past, 1)
    left(past, 2)
    assert found(past, attempt=3)["attempt"] == 2
    assert len(past.stored) == 1


def test_the_highest_number_of_an_attempt_counts_whichever_was_uploaded_last(past: Past) -> None:
    left(past, 2, seed=1)
    left(past, 1)
    assert found(past, attempt=4)["attempt"] == 2
    left(past, 2, seed=5)
    assert found(past, attempt=4)["seed"] == 5, "of two with one number the newer"


def test_a_report_that_tells_no_number_is_that_of_a_first_attempt(past: Past) -> None:
    left(past, None)
    assert found(past)["attempt"] is None


@pytest.mark.parametrize("attempt", [2, 3])
def test_an_attempt_that_is_not_before_ours_is_passed_over(past: Past, attempt: int) -> None:
    left(past, attempt)
    assert f"its report is of attempt {attempt}, this is attempt 2" in why_none(past)
    left(past, 1)
    assert found(past)["attempt"] == 1


def test_what_other_runs_have_left_is_never_read(past: Past) -> None:
    left(past, 1, run=RUN - 1)
    past.add_artifact(RUN, zipped({"report.json": a_report_file(1)}), name=f"{NAME}-other")
    assert "GitHub lists none" in why_none(past)
    assert past.stored == []


def test_where_the_run_lists_none_the_repositorys_list_is_asked(past: Past) -> None:
    past.unlisted.add(RUN)
    left(past, 1, seed=3)
    left(past, 1, run=RUN + 1, seed=9)
    assert found(past)["seed"] == 3
    assert asked_for(past)[:2] == [f"actions/runs/{RUN}/artifacts", "actions/artifacts"]


def test_no_artifact_is_read_twice(past: Past) -> None:
    past.add_artifact(RUN, b"no zip", name=NAME)
    why = why_none(past)
    assert why.count("artifact 1:") == 1
    assert len(past.stored) == 1


def test_five_are_read_at_most_and_three_told_of(past: Past) -> None:
    left(past, 1)
    for _ in range(5):
        left(past, 9)
    why = why_none(past)
    assert len(past.stored) == 5
    assert why.count("its report is of attempt 9") == 3


@pytest.mark.parametrize(
    ("archive", "why"),
    [
        (b"no zip", "no zip file"),
        (zipped({"other.json": b"{}"}), 'holds no files called "report.json"'),
        (zipped({"report.json": b"nonsense"}), "not JSON"),
        (zipped({"report.json": b"[]"}), "$"),
        (zipped({"report.json": a_report_file(1, commit="e" * 40)}), "about another commit"),
        (zipped({"report.json": a_report_file(1, commit=None)}), "says nothing of its commit"),
        (
            zipped({"report.json": a_report_file(1).replace(b'"passes": 7', b'"passes": 8')}),
            "contradicts itself",
        ),
        (
            zipped(
                {
                    "report.json": a_report_file(1).replace(
                        b'"result": "failed"', b'"result": "passed"'
                    )
                }
            ),
            "contradicts itself",
        ),
    ],
    ids=["no zip", "empty", "no JSON", "no report", "other", "untold", "counts", "result"],
)
def test_what_is_no_sound_report_of_our_commit_is_passed_over(
    past: Past, archive: bytes, why: str
) -> None:
    past.add_artifact(RUN, archive, name=NAME)
    assert why in why_none(past)
    left(past, 1)
    assert found(past)["attempt"] == 1


def test_expired_and_huge_artifacts_are_not_read(past: Past) -> None:
    past.add_artifact(RUN, b"", name=NAME, expired=True)
    past.add_artifact(RUN, b"", name=NAME, size=2**31)
    why = why_none(past)
    assert "artifact 1: it has expired" in why
    assert "artifact 2: its artifact is larger than 100 MiB" in why
    assert past.stored == []


@pytest.mark.parametrize("status", [403, 404])
@pytest.mark.parametrize("where", ["actions/runs/4711/artifacts", "/zip"])
def test_a_lack_of_permission_is_said_with_its_remedy(past: Past, where: str, status: int) -> None:
    left(past, 1)
    past.refuse[where] = status
    why = why_none(past)
    assert f"GitHub answered {status}" in why
    assert "`permissions: actions: read`" in why


def test_a_refused_list_of_the_repository_is_said_too(past: Past) -> None:
    past.refuse["/example/actions/artifacts"] = 403
    assert "`permissions: actions: read`" in why_none(past)


def test_one_archive_that_is_not_given_does_not_hide_another(past: Past) -> None:
    left(past, 1)
    left(past, 1, seed=9)
    past.refuse["artifacts/2/zip"] = 404
    assert found(past)["seed"] != 9


class Broken:
    """A way to GitHub on which nothing comes back."""

    def __init__(self, *, hangs: bool) -> None:
        self._hangs = hangs

    async def send(
        self, request: HttpRequest, *, retry: RetryPolicy
    ) -> HttpReply | TransportFailure:
        del request, retry
        if self._hangs:
            await asyncio.sleep(10_000)
        return HttpReply(status=502, headers={}, body=b"bad gateway", latency_seconds=0.0)


@pytest.mark.parametrize(
    ("hangs", "why", "seconds"), [(True, "took longer than 90 s", 90), (False, "502", 0)]
)
def test_a_github_that_is_down_or_hangs_is_given_up(
    past: Past, *, hangs: bool, why: str, seconds: float
) -> None:
    loop = VirtualLoop()
    search = a_search(past, Broken(hangs=hangs), attempt=2)
    nothing = run_virtually(search.look("report.json"), loop=loop)
    assert isinstance(nothing, NoEarlierAttempt)
    assert why in nothing.reason
    assert "permissions" not in nothing.reason
    assert loop.time() == pytest.approx(seconds)
