import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from ci_judge.action.desk import connect_to_github
from ci_judge.action.door import CommentTime
from ci_judge.action.order import Judge, Judged, Order
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import InvalidInput, NothingToJudge, Place, Problem
from ci_judge.github_api import GitHubAccess, GitHubApi, Patience
from ci_judge.sinks.log import LogWriter
from ci_judge.sinks.outputs import OUTPUTS
from tests.action_step import Step, on_pull_request
from tests.builders import a_test
from tests.github_fake import TOKEN, GitHubState, github
from tests.runner_double import read_summary


@pytest.fixture
def step(tmp_path: Path) -> Step:
    return Step(tmp_path)


@pytest.fixture
def hub() -> Iterator[GitHubState]:
    with github() as state:
        yield state


def raises(error: BaseException) -> Judge:
    async def judge(order: Order, log: LogWriter, stop_sign: StopSign) -> Judged:
        del order, log, stop_sign
        raise error

    return judge


def test_a_failed_gate_fails_the_step_and_says_why(step: Step) -> None:
    judge = step.judges(a_test(passes=7, fails=3), headline="1 of 1 tests failed")
    assert step.run(judge) == 1
    result, test = step.log.annotations("error")
    assert result.message == "1 of 1 tests failed"
    assert test.properties["file"] == "examples/scenarios/refunds.yaml"
    assert read_summary(step.files.summary) == "# summary\n"
    assert step.outputs["status"] == "failed"
    assert step.outputs["report-dir"] == "ci-judge-report"
    assert step.outputs["json"] == "ci-judge-report/report.json"
    assert list(step.outputs) == list(OUTPUTS)


def test_a_pass_has_no_error(step: Step) -> None:
    assert step.run(step.judges(a_test())) == 0
    assert step.errors() == []
    assert step.outputs["status"] == "passed"


def test_what_is_ordered_is_what_the_inputs_say(step: Step) -> None:
    (step.files.workspace / "app").mkdir()
    step.run(
        step.judges(a_test()),
        config="suite.yaml",
        runs="3",
        select="refunds",
        tags="smoke",
        working_directory="app",
        pr_number="12",
        github_token=TOKEN,
    )
    (order,) = step.orders
    assert order.config == "suite.yaml"
    assert order.overrides == {"run.runs": "3"}
    assert (order.select, order.tags) == ("refunds", "smoke")
    assert order.working_directory == (step.files.workspace / "app").resolve()
    assert order.context.pull_request == 12
    assert order.context.commit == "0" * 40
    assert order.secrets == (TOKEN,)
    assert step.outputs["report-dir"] == "app/ci-judge-report"


def test_summary_and_annotations_can_be_left_out_but_for_why_the_step_fails(step: Step) -> None:
    step.run(step.judges(a_test(fails=1)), summary="false", annotations="False")
    assert read_summary(step.files.summary) == ""
    assert [one.name for one in step.log.commands] == ["error"]
    step.written.clear()
    step.run(step.judges(a_test()), annotations="False")
    assert step.log.commands == ()


def test_a_wrong_input_is_one_error_and_exit_2(step: Step) -> None:
    assert step.run(step.judges(a_test()), summary="yes") == 2
    assert step.errors() == [
        'input "summary" is "yes", which is not a boolean (write true or false)'
    ]
    assert step.orders == []
    assert step.outputs == dict.fromkeys(OUTPUTS, "") | {"status": "invalid"}


def test_mistakes_in_files_are_annotated_where_they_stand(step: Step) -> None:
    folder = step.files.workspace / "app" / "suite" / "scenarios"
    folder.mkdir(parents=True)
    (folder / "a,b.yaml").touch()
    place = Place(file="scenarios/a,b.yaml", line=4, column=7)
    problem = Problem(message="unknown key 'nmae'", hint="did you mean name?", place=place)
    judge = raises(InvalidInput(problem))
    assert step.run(judge, working_directory="app", config="suite/ci-judge.yaml") == 2
    (error,) = step.log.annotations("error")
    assert {**error.properties, "title": ""} == {
        "title": "",
        "file": "app/suite/scenarios/a,b.yaml",
        "line": "4",
        "col": "7",
    }


def test_many_mistakes_are_all_in_the_log(step: Step) -> None:
    problems = [Problem(message=f"mistake {number}") for number in range(25)]
    step.run(raises(InvalidInput(*problems)))
    assert step.log.dropped() == {}
    assert step.errors()[-1].startswith("and 16 more")
    assert all(f"mistake {number}" in "".join(step.written) for number in range(25))


def test_nothing_to_judge_is_invalid(step: Step) -> None:
    assert step.run(raises(NothingToJudge.of("no test matched"))) == 5
    assert step.outputs["status"] == "invalid"


def test_a_crash_sets_the_outputs_and_stays_inert(step: Step) -> None:
    assert step.run(raises(KeyError("x\n::error::pwned\n##[error]pwned"))) == 70
    (error,) = step.errors()
    assert "bug in CI Judge" in error
    assert "KeyError" in error
    assert step.outputs["status"] == "error"
    assert any("Traceback" in line for line in step.log.shown)


def test_what_others_print_meanwhile_stays_inert(step: Step) -> None:
    judges = step.judges(a_test())

    async def judge(order: Order, log: LogWriter, stop_sign: StopSign) -> Judged:
        sys.stdout.write("::set-output name=status::hacked\n")
        sys.stderr.write("##[error]pwned\n")
        sys.stderr.write("progress\r::error::pwned\n")
        return await judges(order, log, stop_sign)

    assert step.run(judge) == 0
    assert {one.name for one in step.log.commands} == {"notice"}
    assert sum("pwned" in line for line in step.log.shown) == 2
    assert sum("hacked" in line for line in step.log.shown) == 1


def test_the_token_is_masked_before_anything_else(step: Step) -> None:
    step.run(raises(RuntimeError(f"cannot use {TOKEN}")), github_token=TOKEN)
    assert step.written[0] == f"::add-mask::{TOKEN}\n"
    assert TOKEN not in "".join(step.written[1:])


def test_a_signal_puts_up_the_stop_sign(step: Step) -> None:
    judges = step.judges(a_test(), status="interrupted", exit_code=143)

    async def judge(order: Order, log: LogWriter, stop_sign: StopSign) -> Judged:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(stop_sign.wait(), timeout=10)
        return await judges(order, log, stop_sign)

    before = signal.getsignal(signal.SIGTERM)
    try:
        assert step.run(judge) == 143
    finally:
        signal.signal(signal.SIGTERM, before)
    assert step.outputs["status"] == "interrupted"


def test_a_pull_request_gets_its_comment(step: Step, hub: GitHubState) -> None:
    on_pull_request(step, hub)
    assert step.run(step.judges(a_test()), github_token=TOKEN) == 0
    (comment,) = hub.comments
    assert comment.body == (
        f"<!-- ci-judge key=CI/judge sha={'f' * 40} run=4711 attempt=1 -->\n# comment\n"
    )
    assert step.outputs["comment-url"] == hub.url_of(comment)


def test_a_comment_that_is_refused_is_a_notice_and_not_the_verdict(
    step: Step, hub: GitHubState
) -> None:
    on_pull_request(step, hub)
    hub.refuse_writes = 403
    assert step.run(step.judges(a_test()), github_token=TOKEN) == 0
    notices = [one.message for one in step.log.annotations("notice")]
    assert any("comment was not posted" in message and "fork" in message for message in notices)
    assert step.outputs["status"] == "passed"
    assert step.outputs["comment-url"] == ""


class NoWay(AbstractAsyncContextManager[GitHubApi]):
    """A way to GitHub that cannot be opened."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def __aenter__(self) -> GitHubApi:
        raise self._error

    async def __aexit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ZeroDivisionError("in our connection"), "bug in CI Judge kept the comment"),
        (InvalidInput.of("SSL_CERT_FILE names no file"), "SSL_CERT_FILE names no file"),
    ],
)
def test_a_way_to_github_that_cannot_be_opened_does_not_change_the_verdict(
    step: Step, hub: GitHubState, error: Exception, words: str
) -> None:
    on_pull_request(step, hub)
    judge = step.judges(a_test(passes=1, fails=9))
    step.connect = lambda *_: NoWay(error)
    assert step.run(judge, github_token=TOKEN) == 1
    (warning,) = step.log.annotations("warning")
    assert words in warning.message
    assert step.outputs["status"] == "failed"
    assert step.outputs["json"] == "ci-judge-report/report.json"


def test_certificates_that_cannot_be_read_cost_the_comment_alone(
    step: Step, hub: GitHubState
) -> None:
    on_pull_request(step, hub)
    step.extra["SSL_CERT_FILE"] = "/nowhere/certificates.pem"
    assert step.run(step.judges(a_test()), github_token=TOKEN) == 0
    assert any("SSL_CERT_FILE" in one.message for one in step.log.annotations("warning"))
    assert step.outputs["status"] == "passed"


@pytest.mark.parametrize(
    ("changes", "inputs", "why"),
    [
        ({"GITHUB_EVENT_NAME": "schedule"}, {}, "this event has no pull request"),
        ({"GITHUB_EVENT_NAME": "merge_group"}, {"pr_number": "7"}, "a merge group has"),
        ({}, {"comment": "never"}, "the input comment is never"),
        ({}, {"github_token": ""}, "there is no github-token"),
    ],
)
def test_without_a_comment_nothing_is_asked_of_github(
    step: Step, hub: GitHubState, changes: dict[str, str], inputs: dict[str, str], why: str
) -> None:
    on_pull_request(step, hub)
    step.extra |= changes
    assert step.run(step.judges(a_test(fails=1)), **{"github_token": TOKEN} | inputs) == 1
    assert hub.requests == []
    assert any(f"No pull request comment: {why}" in line for line in step.log.shown)


def test_publishing_that_breaks_does_not_change_the_verdict(step: Step) -> None:
    step.files.summary.unlink()
    step.files.summary.mkdir()
    assert step.run(step.judges(a_test(passes=1, fails=9))) == 1
    assert any("step summary" in one.message for one in step.log.annotations("notice"))
    assert step.outputs["status"] == "failed"


def test_a_bug_in_publishing_does_not_change_the_verdict(step: Step) -> None:
    judges = step.judges(a_test(passes=1, fails=9))

    def broken(limit: int) -> str:
        raise ZeroDivisionError(limit)

    async def judge(order: Order, log: LogWriter, stop_sign: StopSign) -> Judged:
        judged = await judges(order, log, stop_sign)
        return Judged(
            document=judged.document,
            runs=judged.runs,
            root=judged.root,
            report_dir=judged.report_dir,
            files=judged.files,
            summary_markdown=broken,
            comment_markdown=broken,
        )

    assert step.run(judge) == 1
    assert any("bug in CI Judge" in one.message for one in step.log.annotations("warning"))
    assert step.outputs["status"] == "failed"


def test_a_runner_without_files_for_outputs_is_no_trouble(step: Step) -> None:
    step.extra |= {"GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": ""}
    assert step.run(step.judges(a_test())) == 0


def test_only_real_files_are_annotated(step: Step) -> None:
    places = (Place(file="the input runs", line=1, column=2), Place(file="x" * 5_000))
    problems = [Problem(message="is wrong", place=place) for place in places]
    assert step.run(raises(InvalidInput(*problems))) == 2
    for error in step.log.annotations("error"):
        assert set(error.properties) == {"title"}
        assert "is wrong" in error.message


class Signalled(AbstractAsyncContextManager[GitHubApi]):
    """A way to GitHub on which a signal comes, and nothing else ever."""

    async def __aenter__(self) -> GitHubApi:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(asyncio.Event().wait(), timeout=30)
        raise AssertionError("given up long before")

    async def __aexit__(self, *_: object) -> None:
        pass


class Silent(AbstractAsyncContextManager[GitHubApi]):
    """A way to GitHub on which nothing ever comes back."""

    async def __aenter__(self) -> GitHubApi:
        await asyncio.wait_for(asyncio.Event().wait(), timeout=30)
        raise AssertionError("given up long before")

    async def __aexit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("fails", [0, 9])
def test_a_github_that_never_answers_costs_the_comment_and_not_the_verdict(
    step: Step, hub: GitHubState, fails: int
) -> None:
    on_pull_request(step, hub)
    step.connect = lambda *_: Silent()
    step.comment_time = CommentTime(most_seconds=0.01)
    exit_code = step.run(step.judges(a_test(passes=1, fails=fails)), github_token=TOKEN)
    assert exit_code == (1 if fails else 0)
    assert step.outputs["comment-url"] == ""
    assert any("given up, for GitHub took too long" in line for line in step.log.shown)
    left = step.files.workspace / "ci-judge-report/comment.md"
    assert left.read_text() == "# comment\n"
    (notice,) = [told for told in step.notices() if "comment" in told]
    assert notice.startswith("The comment was given up, and may not have been posted. Its text is")


@pytest.mark.parametrize("fails", [0, 9])
def test_a_signal_while_the_comment_is_written_ends_it_and_not_the_verdict(
    step: Step, hub: GitHubState, fails: int
) -> None:
    on_pull_request(step, hub)
    step.connect = lambda *_: Signalled()
    step.comment_time = CommentTime(grace_seconds=0.01)
    before = signal.getsignal(signal.SIGTERM)
    try:
        exit_code = step.run(step.judges(a_test(passes=1, fails=fails)), github_token=TOKEN)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert exit_code == (1 if fails else 0)
    assert step.outputs["status"] == ("failed" if fails else "passed")
    assert step.outputs["comment-url"] == ""
    assert any("given up" in line and "SIGTERM" in line for line in step.log.shown)


def test_the_waits_for_rate_limits_are_counted_over_all_that_is_asked(
    step: Step, hub: GitHubState
) -> None:
    """What the look for changed files waited is no longer there for the comment."""
    on_pull_request(step, hub)
    seen: list[float] = []

    def connect(access: GitHubAccess, patience: Patience) -> AbstractAsyncContextManager[GitHubApi]:
        seen.append(patience.waited_seconds)
        patience.waited_seconds += 50
        return connect_to_github(access, patience, environment={})

    step.connect = connect
    step.run(step.judges(a_test()), github_token=TOKEN, changed_paths="src")
    assert seen == [0, 50]
