"""``ci-judge comment`` in the second of two workflows: the report is a stranger's, only data."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cmarkgfm
import pytest

from tests.builders import (
    a_difference,
    a_group,
    a_report,
    a_rerun,
    a_test,
    a_together,
    earlier_results,
)
from tests.e2e.commands import Result, ci_judge
from tests.github_fake import HEAD, REPOSITORY, TOKEN, GitHubState, StoredPull, github

RUN_URL = f"https://github.example/{REPOSITORY}/actions/runs/99"


class Job:
    """The job that comments, and what it finds in the artifact."""

    def __init__(self, folder: Path, hub: GitHubState) -> None:
        self.folder = folder
        self.hub = hub
        self.report = folder / "report.json"
        self.event = folder / "event.json"
        self.started_by()
        self.finds(a_group(a_test(passes=8, fails=2)))

    def started_by(self, home: str = "stranger/example", **changes: Any) -> None:
        run = {
            "id": 99,
            "run_attempt": 2,
            "head_sha": HEAD,
            "head_branch": "patch-1",
            "head_repository": {"full_name": home, "owner": {"login": home.partition("/")[0]}},
            "html_url": RUN_URL,
        }
        self.event.write_text(json.dumps({"workflow_run": run | changes}))
        self.hub.pulls = [StoredPull(number=7, sha=HEAD, owner="stranger", branch="patch-1")]

    def finds(self, *groups: Any, **changes: Any) -> None:
        self.write(*a_report(*groups, **changes))

    def write(self, document: Any, runs: Any) -> None:
        for group in document["groups"]:
            for test in group["tests"]:
                test["runs"] = list(runs.runs(test["id"]))
        self.report.write_text(json.dumps(document))

    def change(self, change: dict[str, Any]) -> None:
        self.report.write_text(json.dumps(json.loads(self.report.read_text()) | change))

    def run(self, *arguments: str, **environment: str) -> Result:
        here = {
            "GITHUB_EVENT_NAME": "workflow_run",
            "GITHUB_EVENT_PATH": str(self.event),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": "4711",
            "GITHUB_SHA": "0" * 40,
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_WORKFLOW": "Comment",
            "GITHUB_JOB": "comment",
        }
        environment = here | self.hub.environment() | environment
        return ci_judge("comment", "report.json", *arguments, cwd=self.folder, **environment)

    @property
    def body(self) -> str:
        (comment,) = self.hub.comments
        return comment.body or ""


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with github() as hub:
        yield Job(tmp_path, hub)


def test_the_comment_is_labelled_and_speaks_of_the_run_that_the_event_names(job: Job) -> None:
    done = job.run()
    assert (done.exit_code, done.err) == (0, "")
    assert done.out.startswith("comment: https://github.example/")
    marker = f"<!-- ci-judge key=Comment/comment sha={HEAD} run=99 attempt=2 -->"
    first, second, *_ = job.body.splitlines()
    assert first == marker
    assert second.startswith("> **From a fork, unverified:**")
    assert "1 of 1 test failed" in job.body
    assert f"]({RUN_URL})" in job.body
    assert HEAD[:10] in job.body
    assert "4f2a9c81d0" not in job.body  # what the report says of its commit
    assert "actions/runs/1234567890" not in job.body


def test_the_next_run_brings_it_up_to_date(job: Job) -> None:
    job.run("--key", "leg 1")
    job.finds(a_group(a_test()))
    job.started_by(id=100, run_attempt=1)
    assert job.run("--key", "leg 1").exit_code == 0
    assert "The only test passed" in job.body


def test_a_run_of_our_own_is_not_called_a_forks(job: Job) -> None:
    job.started_by(home=REPOSITORY)
    job.hub.pulls = [StoredPull(number=7, sha=HEAD, owner="octo-org", branch="patch-1")]
    assert job.run().exit_code == 0
    assert "From another workflow, unverified" in job.body


def test_a_head_that_is_of_no_open_pull_request_gets_no_comment(job: Job) -> None:
    job.hub.pulls = [StoredPull(number=7, sha="a" * 40, owner="stranger", branch="patch-1")]
    done = job.run()
    assert done.exit_code == 0
    assert "No comment: no pull request" in done.out
    assert job.hub.comments == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pull_request": 8}, "pull_request"),
        ({"groups": []} | {"summary": {}}, "summary"),
        ({"schema_version": 2}, "schema_version"),
        ({"status": "splendid"}, "splendid"),
        ({"warnings": [1]}, "warnings"),
    ],
)
def test_what_is_no_report_to_the_letter_is_refused(
    job: Job, change: dict[str, Any], words: str
) -> None:
    job.change(change)
    done = job.run()
    assert done.exit_code == 2
    assert words in done.err
    assert "Traceback" not in done.err
    assert job.hub.exchanges == []


def with_number(report: Any, *path: Any, value: float) -> Any:
    *above, key = path
    place = report
    for step in above:
        place = place[step]
    place[key] = value
    return report


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("groups", 0, "tests", 0, "rate"), 7.5),
        (("groups", 0, "tests", 0, "passes"), -3),
        (("groups", 0, "tests", 0, "passes"), 9),
        (("summary", "known_cost_usd"), -0.001),
        (("summary", "tests"), 10**30),
    ],
)
def test_a_number_that_no_run_gives_is_refused(job: Job, path: Any, value: float) -> None:
    report = json.loads(job.report.read_text())
    job.report.write_text(json.dumps(with_number(report, *path, value=value)))
    done = job.run()
    assert done.exit_code == 2, done.out
    assert "Traceback" not in done.err


def test_numbers_beyond_all_numbers_are_refused(job: Job) -> None:
    for written in ("1e999", "NaN", "-Infinity", "1" * 5_000):
        text = job.report.read_text().replace(
            '"known_cost_usd": 0.0', f'"known_cost_usd": {written}'
        )
        (job.folder / "other.json").write_text(text)
        done = ci_judge(
            "comment",
            "other.json",
            cwd=job.folder,
            GITHUB_EVENT_NAME="workflow_run",
            GITHUB_REPOSITORY=REPOSITORY,
            GITHUB_TOKEN=TOKEN,
            **job.hub.environment(),
        )
        assert done.exit_code == 2, written
        assert "Traceback" not in done.err


def test_a_report_that_is_too_large_is_refused_unread(job: Job) -> None:
    with job.report.open("ab") as file:
        file.truncate((32 << 20) + 1)
    done = job.run()
    assert done.exit_code == 2
    assert "larger than 32 MiB" in done.err


def test_nothing_in_the_report_becomes_alive_or_is_linked(job: Job) -> None:
    text = "@octo-user #1 <b> ![x](https://evil.example/x.png) [y](https://evil.example)"
    removed = [{"id": text, "name": text, "result": "passed"}]
    baseline = {
        "source": text,
        "problem": None,
        "commit": "a" * 40,
        "url": "https://evil.example/1",
        "started": text,
        "age_seconds": 9.0,
        "note": text,
        "removed": removed,
        "weaker": [{"kind": "check", "was": text, "now": text, "tests": [text]}],
        "alpha": 0.05,
        "suite": a_together(),
        "criteria": [a_together(criterion=text), a_together(criterion=text)],
    }
    change = {
        "kind": "not_comparable",
        "let_off": False,
        "result": None,
        "passes": 3,
        "judged": 4,
        "reasons": [text],
        "difference": a_difference(),
        "waiver": None,
    }
    test = a_test(passes=8, fails=2, name=text, file=text, expected=[text], change=change)
    test["gate"] = {**test["gate"], "sentence": text, "needs": text}
    job.finds(a_group(test, title=text), warnings=[text], baseline=baseline, headline=text)
    done = job.run()
    assert (done.exit_code, done.err) == (0, "")
    shown = cmarkgfm.github_flavored_markdown_to_html(job.body)
    assert set(re.findall(r'href="([^"]*)"', shown)) == {RUN_URL}
    assert "<img" not in shown
    assert "<b>" not in shown
    outside = re.sub(r"<(code|pre)\b.*?</\1>", "", shown, flags=re.DOTALL)
    assert "@octo-user" not in outside
    assert "evil" not in outside


def test_the_history_is_shown_up_to_the_attempt_that_github_tells_of(job: Job) -> None:
    test = a_test(passes=8, fails=2, earlier=earlier_results("passed", "failed", "passed"))
    document, runs = a_report(a_group(test))
    document["run"]["attempt"] = 5
    document["run"]["rerun"] = a_rerun("error", "passed", "passed", "passed", sentence="All kept.")
    job.write(document, runs)
    assert job.run().exit_code == 0
    assert "**Attempt 2:** ⚠️ undecided → ❌ **failed**\\\nAll kept.\n" in job.body
    assert "- `refund-policy/asks`: passed, failed\n" in job.body
    job.started_by(id=100, run_attempt=1)
    assert job.run().exit_code == 0
    assert "ttempt" not in job.body.partition("\n")[2]


def test_a_sentence_on_attempts_that_somebody_else_wrote_stays_dead(job: Job) -> None:
    text = "kept @octo-user #1 <b> [y](https://evil.example)\n\n# boo"
    document, runs = a_report(a_group(a_test(passes=8, fails=2)))
    document["run"]["attempt"] = 2
    document["run"]["rerun"] = a_rerun("failed", anew=text, sentence=text)
    job.write(document, runs)
    assert job.run().exit_code == 0
    shown = cmarkgfm.github_flavored_markdown_to_html(job.body)
    assert "<code>kept @octo-user #1" in shown
    assert set(re.findall(r'href="([^"]*)"', shown)) == {RUN_URL}
    assert "<b>" not in shown
    assert shown.count("<h") == 2  # the verdict, and the rule above the footer


def test_a_history_that_contradicts_itself_is_refused(job: Job) -> None:
    (earlier,) = earlier_results("passed", passes=11)
    job.finds(a_group(a_test(earlier=[earlier])))
    done = job.run()
    assert done.exit_code == 2
    assert "passed more runs than were judged in attempt 1" in done.err


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"GITHUB_EVENT_NAME": "pull_request"}, 'the event is "pull_request", not workflow_run'),
        ({"GITHUB_EVENT_NAME": ""}, "no GitHub workflow"),
        ({"GITHUB_TOKEN": ""}, '"GITHUB_TOKEN" is not set'),
    ],
)
def test_it_says_where_it_works(job: Job, environment: dict[str, str], words: str) -> None:
    done = job.run(**environment)
    assert done.exit_code == 2
    assert words in done.err


def test_where_github_does_not_let_us_that_is_no_success(job: Job) -> None:
    job.hub.refuse_writes = 403
    done = job.run()
    assert done.exit_code == 3
    assert "pull-requests: write" in done.err
    assert TOKEN not in done.err + done.out
