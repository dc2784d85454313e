"""What the action hands to the suite of a re-run: how the attempt before is found, ``fresh``."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ci_judge.action.order import Judged, Order
from ci_judge.engine.stopping import StopSign
from ci_judge.sinks.log import LogWriter
from ci_judge.workflows.earlier_attempts import EarlierAttempt, FoundEarlier, NoEarlierAttempt
from tests.action_step import Step
from tests.component.test_attempt_search import HEAD, left
from tests.github_fake import TOKEN
from tests.github_past import Past, github_past

OTHER, MERGE = "e" * 40, "d" * 40


@pytest.fixture
def past() -> Iterator[Past]:
    with github_past() as state:
        yield state


class Rerun(Step):
    """A step of attempt 2 that only looks for the attempt before."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.found: FoundEarlier | None = None
        self.extra = {"GITHUB_RUN_ATTEMPT": "2", "GITHUB_SHA": HEAD}

    def look(self, **inputs: str) -> FoundEarlier | None:
        ended = self.judges()

        async def judge(order: Order, log: LogWriter, stop_sign: StopSign) -> Judged:
            assert order.look_for_earlier is not None
            self.found = await order.look_for_earlier("report.json")
            return await ended(order, log, stop_sign)

        given = {"github_token": TOKEN, "comment": "never"} | inputs
        assert self.run(judge, **given) == 0
        return self.found

    def why_none(self, **inputs: str) -> str:
        nothing = self.look(**inputs)
        assert isinstance(nothing, NoEarlierAttempt), nothing
        return nothing.reason

    def check_out(self, commit: str, folder: str = ".") -> None:
        git = self.files.workspace / folder / ".git"
        git.mkdir(parents=True)
        (git / "HEAD").write_text(commit)


@pytest.fixture
def step(tmp_path: Path, past: Past) -> Rerun:
    rerun = Rerun(tmp_path)
    rerun.extra |= past.environment()
    return rerun


def test_a_rerun_is_handed_the_attempt_before_it(step: Rerun, past: Past) -> None:
    left(past, 1)
    found = step.look()
    assert isinstance(found, EarlierAttempt)
    assert found.attempt == 2


@pytest.mark.parametrize("attempt", ["1", "", "second"])
def test_in_a_first_attempt_nothing_is_looked_for(step: Rerun, past: Past, attempt: str) -> None:
    left(past, 1)
    step.extra["GITHUB_RUN_ATTEMPT"] = attempt
    assert step.look() is None
    assert past.requests == []


def test_it_is_looked_for_under_the_comments_key(step: Rerun, past: Past) -> None:
    left(past, 1, name="ci-judge-report-leg-1")
    assert isinstance(step.look(comment_key="Leg 1"), EarlierAttempt)
    assert '"ci-judge-report-ci-judge"' in step.why_none()


@pytest.mark.parametrize(
    ("inputs", "environment", "why"),
    [
        ({"github_token": ""}, {}, "GitHub cannot be asked without github-token"),
        ({}, {"SSL_CERT_FILE": "/nowhere.pem"}, "SSL_CERT_FILE"),
        ({}, {"GITHUB_RUN_ID": ""}, "does not say which run"),
        ({}, {"GITHUB_SHA": ""}, "which commit this is"),
        ({}, {"GITHUB_API_URL": "http://127.0.0.1:9/api"}, "cannot be asked for"),
    ],
    ids=["no token", "no way", "no run", "no commit", "nobody there"],
)
def test_where_nothing_can_be_asked_the_run_goes_on_with_a_reason(
    step: Rerun, past: Past, inputs: dict[str, str], environment: dict[str, str], why: str
) -> None:
    left(past, 1)
    step.extra |= environment
    assert why in step.why_none(**inputs)


@pytest.mark.parametrize(("given", "fresh"), [("", False), ("false", False), ("true", True)])
def test_fresh_is_passed_on_and_the_attempt_before_still_found(
    step: Rerun, past: Past, given: str, *, fresh: bool
) -> None:
    left(past, 1)
    assert isinstance(step.look(fresh=given), EarlierAttempt)
    assert step.orders[0].fresh is fresh


def test_fresh_is_a_boolean(step: Rerun) -> None:
    assert step.run(step.judges(), fresh="1") == 2
    assert any('"fresh" is "1"' in error for error in step.errors())


@pytest.mark.parametrize("event", ["push", "pull_request", "issue_comment"])
def test_code_that_is_not_the_runs_own_is_judged_anew(step: Rerun, past: Past, event: str) -> None:
    left(past, 1)
    step.extra["GITHUB_EVENT_NAME"] = event
    step.check_out(OTHER)
    why = step.why_none(allow_untrusted_code="true")
    assert f"commit {OTHER[:10]} is checked out" in why
    assert past.stored == []


def test_the_commit_of_the_folder_that_is_judged_counts(step: Rerun, past: Past) -> None:
    left(past, 1)
    step.check_out(HEAD)
    assert isinstance(step.look(), EarlierAttempt)
    step.check_out(OTHER, "tools")
    assert isinstance(step.look(), EarlierAttempt)
    assert "is checked out" in step.why_none(working_directory="tools")


def test_a_folder_of_the_checkout_is_of_its_commit(step: Rerun, past: Past) -> None:
    left(past, 1)
    step.check_out(OTHER)
    (step.files.workspace / "app/tests").mkdir(parents=True)
    assert "is checked out" in step.why_none(working_directory="app/tests")


@pytest.mark.parametrize("checked_out", [HEAD, MERGE])
def test_head_and_merge_commit_of_a_pull_request_are_the_runs_own(
    step: Rerun, past: Past, checked_out: str
) -> None:
    left(past, 1)
    head = {"sha": HEAD, "ref": "topic", "repo": {"full_name": "octo-org/example"}}
    step.files.event.write_text(json.dumps({"pull_request": {"number": 7, "head": head}}))
    step.extra |= {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_SHA": MERGE}
    step.check_out(checked_out)
    assert isinstance(step.look(), EarlierAttempt)
