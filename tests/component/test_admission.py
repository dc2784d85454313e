"""What the action settles before the suite is read: forks, secrets, untouched paths, a baseline."""

import asyncio
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ci_judge.action.admission import Admission
from ci_judge.action.desk import connect_to_github
from ci_judge.action.order import Judged, Order
from ci_judge.action_inputs import read_inputs
from ci_judge.ci_context import github_context
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import InvalidInput, Problem
from ci_judge.sinks.log import LogWriter
from ci_judge.sinks.outputs import OUTPUTS
from ci_judge.workflows.baseline import Baseline, FoundBaseline, NoBaseline
from tests.action_step import Step
from tests.builders import a_test
from tests.component.test_baseline_search import COMMITS, left
from tests.github_fake import TOKEN, Answered, Fault, GitHubState, github
from tests.github_past import Past, github_past
from tests.runner_double import read_summary

HEAD, BASE = "f" * 40, COMMITS[0]
FORK = "stranger/example"
SKIP = {"missing_secret": "skip"}


class AdmittedStep(Step):
    """A step whose judge looks for the baseline, or stops at the problem that a test has set."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.problem: InvalidInput | None = None
        self.found: FoundBaseline | None = None

    def started_by(self, name: str, **event: Any) -> None:
        self.extra["GITHUB_EVENT_NAME"] = name
        self.files.event.write_text(json.dumps(event))

    def by_pull_request(self, home: str = FORK, *, name: str = "pull_request") -> None:
        self.started_by(
            name,
            pull_request={
                "number": 7,
                "head": {"sha": HEAD, "ref": "patch-1", "repo": {"full_name": home}},
                "base": {"sha": BASE, "ref": "feature"},
            },
            repository={"default_branch": "main"},
        )

    def start(self, **inputs: str) -> int:
        return self.run(self._judge, **{"github_token": TOKEN} | inputs)

    async def _judge(self, order: Order, log: LogWriter, stop_sign: StopSign) -> Judged:
        judged = await self.judges(a_test())(order, log, stop_sign)
        if self.problem:
            raise self.problem
        assert order.look_for_baseline is not None
        self.found = await order.look_for_baseline("report.json")
        return judged


@pytest.fixture
def step(tmp_path: Path) -> AdmittedStep:
    return AdmittedStep(tmp_path)


@pytest.fixture
def hub() -> Iterator[GitHubState]:
    with github() as state:
        yield state


@pytest.fixture
def past() -> Iterator[Past]:
    with github_past() as state:
        state.commits = list(COMMITS)
        state.merge_base = COMMITS[1]
        yield state


def without(*names: str) -> InvalidInput:
    return InvalidInput(*(Problem(message=f"{name} is empty", unset=name) for name in names))


def test_a_forks_pull_request_without_secrets_is_one_line_that_says_what_to_do(
    step: AdmittedStep,
) -> None:
    step.by_pull_request()
    step.problem = without("ANTHROPIC_API_KEY", "STAGING_TOKEN")
    assert step.start() == 2
    (error,) = step.errors()
    assert "a pull request of a fork's is given no secrets" in error
    assert "ANTHROPIC_API_KEY, STAGING_TOKEN" in error
    assert "missing-secret" in error
    assert "\n" not in error
    assert step.outputs == dict.fromkeys(OUTPUTS, "") | {"status": "invalid"}


def test_it_can_be_skipped_instead_which_everybody_is_told(
    step: AdmittedStep, hub: GitHubState
) -> None:
    step.by_pull_request()
    step.extra |= hub.environment()
    step.problem = without("ANTHROPIC_API_KEY")
    assert step.start(**SKIP) == 0
    (notice,) = step.notices()
    assert "Skipped: a pull request of a fork's is given no secrets" in notice
    assert "ANTHROPIC_API_KEY" in read_summary(step.files.summary)
    (comment,) = hub.comments
    assert comment.body is not None
    assert "Nothing was judged: a pull request of a fork's" in comment.body
    assert list(step.outputs) == list(OUTPUTS)
    assert step.outputs["status"] == "skipped"
    assert (step.outputs["tests"], step.outputs["seed"], step.outputs["json"]) == ("0", "", "")
    assert step.errors() == []


def test_a_skip_that_cannot_be_commented_on_is_in_the_summary(
    step: AdmittedStep, hub: GitHubState
) -> None:
    step.by_pull_request()
    step.extra |= hub.environment()
    hub.refuse_writes = 403
    step.problem = without("ANTHROPIC_API_KEY")
    assert step.start(**SKIP) == 0
    assert "Nothing was judged" in read_summary(step.files.summary)
    left_there = step.files.workspace / "ci-judge-report" / "comment.md"
    assert "Nothing was judged" in left_there.read_text()
    assert step.outputs["status"] == "skipped"


@pytest.mark.parametrize("event", ["pull_request", "push"])
def test_dependabot_is_known(step: AdmittedStep, event: str) -> None:
    step.by_pull_request("octo-org/example", name=event)
    step.extra["GITHUB_ACTOR"] = "dependabot[bot]"
    step.problem = without("ANTHROPIC_API_KEY")
    assert step.start(**SKIP) == 0
    assert any("Dependabot's is given no secrets" in notice for notice in step.notices())


@pytest.mark.parametrize(
    ("home", "problem"),
    [
        ("octo-org/example", without("ANTHROPIC_API_KEY")),
        (FORK, InvalidInput(*without("KEY").problems, Problem(message="unknown key treshold"))),
        (FORK, InvalidInput(Problem(message="something else"))),
    ],
)
def test_nothing_else_is_ever_skipped(step: AdmittedStep, home: str, problem: InvalidInput) -> None:
    step.by_pull_request(home)
    step.problem = problem
    assert step.start(**SKIP) == 2
    assert step.outputs["status"] == "invalid"


def test_a_strangers_code_beside_secrets_is_not_touched(step: AdmittedStep) -> None:
    step.by_pull_request(name="pull_request_target")
    git = step.files.workspace / ".git"
    git.mkdir()
    (git / "HEAD").write_text(HEAD)
    (step.files.workspace / "ci-judge.yaml").write_text("no: [yaml")
    assert step.start() == 2
    (error,) = step.errors()
    assert "the code of a fork's pull request is checked out" in error
    assert step.orders == []
    assert step.outputs == dict.fromkeys(OUTPUTS, "") | {"status": "invalid"}


def test_unless_that_is_allowed(step: AdmittedStep) -> None:
    step.by_pull_request(name="pull_request_target")
    assert step.start(allow_untrusted_code="true", comment="never") == 0
    assert any("allow-untrusted-code" in line for line in step.log.shown)


def test_after_a_comment_github_is_asked_whose_the_pull_request_is(
    step: AdmittedStep, hub: GitHubState
) -> None:
    step.started_by("issue_comment", issue={"number": 7, "pull_request": {"url": "x"}})
    step.extra |= hub.environment() | {"GITHUB_SHA": BASE}
    git = step.files.workspace / ".git"
    git.mkdir()
    (git / "HEAD").write_text(HEAD)
    hub.templates["pull"] = {"head": {"sha": HEAD, "repo": {"full_name": FORK}}}
    assert step.start() == 2
    hub.templates["pull"] = {"head": {"sha": HEAD, "repo": {"full_name": "octo-org/example"}}}
    assert step.start(comment="never") == 0
    hub.refuse_reads = 403
    assert step.start() == 2


def changed(past: Past, *names: str) -> None:
    past.files = [{"filename": name} for name in names]


def test_a_pull_request_that_touches_nothing_judged_is_skipped(
    step: AdmittedStep, past: Past
) -> None:
    step.by_pull_request()
    step.extra |= past.environment()
    changed(past, "README.md", "docs/a.md")
    assert step.start(changed_paths="src/**\nprompts", comment="never") == 0
    assert step.orders == []
    assert step.outputs["status"] == "skipped"
    assert step.notices() == ["Skipped: changed-paths means none of the 2 changed paths."]
    assert "changed-paths" in read_summary(step.files.summary)


def test_an_untouched_pull_request_has_its_comment_updated_and_gets_none_of_its_own(
    step: AdmittedStep, hub: GitHubState
) -> None:
    step.by_pull_request()
    step.extra |= hub.environment()
    files = Answered(status=200, body=[{"filename": "docs/a.md"}])
    hub.faults.append(Fault(answer=files, path="/files"))
    assert step.start(changed_paths="src/**") == 0
    assert hub.comments == []
    marker = f"<!-- ci-judge key=CI/judge sha={HEAD} run=4710 attempt=1 -->"
    earlier = hub.add(f"{marker}\n# failed\n", ours=True)
    assert step.start(changed_paths="src/**") == 0
    assert "Nothing was judged: changed-paths" in str(earlier.body)


@pytest.mark.parametrize(
    "file",
    [
        {"filename": "src/a/b.py"},
        {"filename": "other.py", "previous_filename": "src/moved.py"},
        {"filename": "prompts"},
    ],
)
def test_one_that_does_is_judged(step: AdmittedStep, past: Past, file: dict[str, str]) -> None:
    step.by_pull_request()
    step.extra |= past.environment()
    past.files = [{"filename": f"docs/{number}.md"} for number in range(250)] + [file]
    assert step.start(changed_paths="src/**\nprompts", comment="never") == 0
    assert step.outputs["status"] == "passed"
    assert any("was changed" in line for line in step.log.shown)


def test_a_push_is_looked_at_by_its_commits(step: AdmittedStep, past: Past) -> None:
    step.started_by("push", before=COMMITS[1])
    step.extra |= past.environment() | {"GITHUB_SHA": COMMITS[0]}
    past.merge_base = COMMITS[1]
    changed(past, "docs/a.md")
    assert step.start(changed_paths="src", comment="never") == 0
    assert step.outputs["status"] == "skipped"
    assert f"compare/{COMMITS[1]}...{COMMITS[0]}" in past.requests[0][0]


def test_a_push_that_takes_commits_back_is_judged(step: AdmittedStep, past: Past) -> None:
    step.started_by("push", before=COMMITS[0])
    step.extra |= past.environment() | {"GITHUB_SHA": COMMITS[1]}
    past.merge_base = COMMITS[1]
    changed(past)
    assert step.start(changed_paths="src", comment="never") == 0
    assert step.outputs["status"] == "passed"
    assert any("the branch was rewound" in line for line in step.log.shown)


@pytest.mark.parametrize(
    ("count", "event"), [(3_000, "pull_request"), (300, "push")], ids=["pull request", "push"]
)
def test_more_files_than_github_lists_count_as_touched(
    step: AdmittedStep, past: Past, count: int, event: str
) -> None:
    step.by_pull_request()
    if event == "push":
        step.started_by("push", before=COMMITS[1])
        past.merge_base = COMMITS[1]
    step.extra |= past.environment() | {"GITHUB_SHA": COMMITS[0]}
    changed(past, *(f"docs/{number}.md" for number in range(count)))
    assert step.start(changed_paths="src", comment="never") == 0
    assert step.outputs["status"] == "passed"
    assert any("more changed files than GitHub lists" in line for line in step.log.shown)


@pytest.mark.parametrize("event", ["pull_request", "push"])
def test_a_change_without_files_counts_as_touched(
    step: AdmittedStep, past: Past, event: str
) -> None:
    """GitHub may not have looked yet, and an empty list is no proof of anything."""
    step.by_pull_request()
    if event == "push":
        step.started_by("push", before=COMMITS[1])
        past.merge_base = COMMITS[1]
    step.extra |= past.environment() | {"GITHUB_SHA": COMMITS[0]}
    changed(past)
    assert step.start(changed_paths="src", comment="never") == 0
    assert step.outputs["status"] == "passed"
    assert any("GitHub lists no changed file" in line for line in step.log.shown)


def test_files_that_are_not_told_in_time_count_as_touched(step: AdmittedStep, past: Past) -> None:
    step.by_pull_request()
    inputs = {"github_token": TOKEN, "changed_paths": "src"}
    environment = step.files.environment(**inputs) | step.extra | past.environment()
    written: list[str] = []
    admission = Admission(
        environment=environment,
        inputs=read_inputs(environment),
        context=github_context(environment),
        log=LogWriter(written.append, commands=True),
        connect=partial(connect_to_github, environment=environment),
        most_seconds=0,
    )
    assert asyncio.run(admission.why_untouched()) is None
    assert "looking for them took longer than 0 s" in "".join(written)


@pytest.mark.parametrize(
    ("event", "refuse", "inputs", "why"),
    [
        ("pull_request", {"files": 403}, {}, "pull-requests: read"),
        ("pull_request", {}, {"github_token": ""}, "GitHub cannot be asked"),
        ("schedule", {}, {}, "no changed files to look at"),
    ],
)
def test_where_the_files_are_not_known_it_is_judged(
    step: AdmittedStep,
    past: Past,
    event: str,
    refuse: dict[str, int],
    inputs: dict[str, str],
    why: str,
) -> None:
    step.by_pull_request(name=event)
    step.extra |= past.environment()
    past.refuse = refuse
    assert step.start(changed_paths="src", comment="never", **inputs) == 0
    assert step.outputs["status"] == "passed"
    assert any(why in line for line in step.log.shown)


def test_the_baseline_of_a_pull_request_lies_at_its_merge_base(
    step: AdmittedStep, past: Past
) -> None:
    step.by_pull_request()
    step.extra |= past.environment()
    left(past, 1, COMMITS[0], name="ci-judge-report-ci-judge")
    left(past, 2, COMMITS[1], name="ci-judge-report-ci-judge")
    step.start(comment="never")
    assert isinstance(step.found, Baseline)
    assert step.found.commit == COMMITS[1]


@pytest.mark.parametrize(
    ("event", "environment", "commit"),
    [
        ({"before": COMMITS[1]}, {}, COMMITS[1]),
        ({"before": "0" * 40, "repository": {"default_branch": "main"}}, {}, COMMITS[0]),
        (
            {"before": "0" * 40, "repository": {"default_branch": "main"}},
            {"GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": "v1"},
            COMMITS[0],
        ),
    ],
    ids=["push", "new branch", "tag"],
)
def test_the_baseline_of_a_push_came_before_it(
    step: AdmittedStep, past: Past, event: dict[str, Any], environment: dict[str, str], commit: str
) -> None:
    step.started_by("push", **event)
    step.extra |= past.environment() | {"GITHUB_SHA": COMMITS[0]} | environment
    left(past, 1, COMMITS[0], name="ci-judge-report-ci-judge")
    left(past, 2, COMMITS[1], name="ci-judge-report-ci-judge")
    step.start(comment="never")
    assert isinstance(step.found, Baseline)
    assert step.found.commit == commit


def test_the_baseline_of_a_merge_group_is_its_base(step: AdmittedStep, past: Past) -> None:
    group = {"base_sha": COMMITS[1], "base_ref": "refs/heads/main", "head_sha": HEAD}
    step.started_by("merge_group", merge_group=group)
    step.extra |= past.environment()
    left(past, 1, COMMITS[1], name="ci-judge-report-ci-judge")
    step.start(comment="never")
    assert isinstance(step.found, Baseline)


def test_the_baseline_is_looked_for_under_the_comments_key(step: AdmittedStep, past: Past) -> None:
    step.by_pull_request()
    step.extra |= past.environment()
    left(past, 1, COMMITS[1], name="ci-judge-report-leg-1")
    step.start(comment="never", comment_key="Leg 1")
    assert isinstance(step.found, Baseline)


@pytest.mark.parametrize(
    ("inputs", "environment", "why"),
    [
        ({"github_token": ""}, {}, "GitHub cannot be asked without"),
        ({}, {"SSL_CERT_FILE": "/nowhere.pem"}, "SSL_CERT_FILE"),
        ({}, {"GITHUB_EVENT_PATH": "/nowhere"}, "names no commit"),
    ],
)
def test_where_nothing_can_be_asked_there_is_no_baseline_and_a_reason(
    step: AdmittedStep, past: Past, inputs: dict[str, str], environment: dict[str, str], why: str
) -> None:
    step.by_pull_request()
    step.extra |= past.environment() | environment
    assert step.start(comment="never", **inputs) == 0
    assert isinstance(step.found, NoBaseline)
    assert why in step.found.reason
