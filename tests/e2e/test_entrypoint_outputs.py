"""All outputs are set on every path that the action's entrypoint can take."""

import json
from pathlib import Path

import pytest

from ci_judge.sinks.outputs import OUTPUTS
from tests.component.test_strangers import BASE, FORK, HEAD, HERE
from tests.e2e.commands import REPOSITORY
from tests.e2e.test_entrypoint import Step, a_checkout_that_runs
from tests.runner_double import SeenLog, read_outputs, read_summary

CASE = """\
from ci_judge import case

@case('says "{wanted}"')
def test_says():
    return {{"actual": "hello"}}
"""
CONFIG = "suite: {paths: [case_says.py]}\njudge: {provider: stub}\nrun: {seed: 7}\n"
ANTHROPIC = "suite: {paths: [case_says.py]}\njudge: {provider: anthropic, model: claude-sonnet-5}\n"
SKIP = {"missing_secret": "skip"}
NONE: dict[str, str] = {}


@pytest.fixture
def step(tmp_path: Path) -> Step:
    return Step(tmp_path)


def suite_in(step: Step, *, config: str = CONFIG, wanted: str = "hello") -> None:
    (step.files.workspace / "ci-judge.yaml").write_text(config)
    (step.files.workspace / "case_says.py").write_text(CASE.format(wanted=wanted))


def ran(
    step: Step, expected: int, inputs: dict[str, str] = NONE, *, extra: dict[str, str] = NONE
) -> SeenLog:
    code, log, text = step.run(step.files.environment(**inputs) | extra)
    assert code == expected, text
    return log


def outputs_of(step: Step) -> dict[str, str]:
    found = read_outputs(step.files.output)
    assert list(found) == list(OUTPUTS)
    return found


def from_a_fork(step: Step, event: str = "pull_request") -> dict[str, str]:
    head = {"sha": HEAD, "ref": "patch-1", "repo": {"full_name": FORK}}
    pull_request = {"number": 7, "head": head, "base": {"sha": BASE, "ref": "main"}}
    step.files.event.write_text(json.dumps({"pull_request": pull_request}))
    return {"GITHUB_EVENT_NAME": event, "GITHUB_REPOSITORY": HERE, "GITHUB_SHA": BASE}


def test_a_pass(step: Step) -> None:
    suite_in(step)
    ran(step, 0)
    found = outputs_of(step)
    counts = {name: found[name] for name in ("status", "tests", "passed", "failed", "errors")}
    assert counts == {"status": "passed", "tests": "1", "passed": "1", "failed": "0", "errors": "0"}
    assert (found["pass-rate"], found["seed"], found["skipped"]) == ("1.0", "7", "0")
    assert (found["regressions"], found["comment-url"]) == ("", "")
    assert float(found["cost-usd"]) == 0
    for kind in ("json", "junit", "html", "markdown"):
        assert (step.files.workspace / found[kind]).is_file()


def test_a_failure(step: Step) -> None:
    suite_in(step, wanted="goodbye")
    ran(step, 1)
    assert outputs_of(step)["status"] == "failed"


def test_a_regression_since_a_baseline(step: Step) -> None:
    suite_in(step)
    ran(step, 0)
    first = step.files.workspace / "earlier.json"
    first.write_bytes((step.files.workspace / "ci-judge-report/report.json").read_bytes())
    step.files.output.write_text("")
    (step.files.workspace / "case_says.py").write_text(
        CASE.format(wanted="hello").replace('"actual": "hello"', '"actual": "bye"')
    )
    ran(step, 1, {"baseline": "earlier.json", "fail_on": "regression"})
    assert outputs_of(step)["regressions"] == "1"
    assert "newly failing" in read_summary(step.files.summary)


def test_a_regression_without_a_baseline_to_tell_it_by(step: Step) -> None:
    suite_in(step, wanted="goodbye")
    log = ran(step, 1, {"baseline": "none", "fail_on": "regression"})
    assert outputs_of(step)["regressions"] == ""
    (error, *_) = log.annotations("error")
    assert "fail_on regression counts as error" in error.message


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"summary": "yes"}, "write true or false"),
        ({"allow_untrusted_code": "ja"}, "write true or false"),
        ({"missing_secret": "ignore"}, "write fail or skip"),
        ({"fail_on": "regressions"}, "regression"),
        ({"report_dir": "../out"}, "outside the workspace"),
        ({"report_dir": "case_says.py/reports"}, "cannot write reports"),
        ({"baseline": "nowhere.json"}, "cannot be read"),
        ({"working_directory": "nowhere"}, "which is no folder"),
    ],
)
def test_a_wrong_input(step: Step, inputs: dict[str, str], words: str) -> None:
    suite_in(step)
    log = ran(step, 2, inputs)
    assert outputs_of(step) == dict.fromkeys(OUTPUTS, "") | {"status": "invalid"}
    (error,) = log.annotations("error")
    assert words in error.message
    assert "\n" not in error.message


def test_a_configured_report_folder_outside_of_the_workspace(step: Step) -> None:
    suite_in(step, config=f"{CONFIG}report: {{dir: ../out}}\n")
    (error,) = ran(step, 2).annotations("error")
    assert "lies outside the workspace" in error.message
    assert outputs_of(step)["status"] == "invalid"


def test_links_that_lead_to_themselves(step: Step) -> None:
    suite_in(step)
    (step.files.workspace / "circle").symlink_to("circle")
    ran(step, 0)
    assert outputs_of(step)["status"] == "passed"


@pytest.mark.parametrize("name", ["report-dir", "working-directory", "config"])
def test_an_input_that_is_such_a_link(step: Step, name: str) -> None:
    suite_in(step)
    (step.files.workspace / "circle").symlink_to("circle")
    ran(step, 2, {name: "circle"})
    assert outputs_of(step)["status"] == "invalid"


def test_a_fork_without_secrets(step: Step) -> None:
    suite_in(step, config=ANTHROPIC)
    log = ran(step, 2, extra=from_a_fork(step))
    assert outputs_of(step)["status"] == "invalid"
    (error,) = log.annotations("error")
    assert "ANTHROPIC_API_KEY" in error.message
    assert "missing-secret" in error.message


def test_a_fork_whose_missing_secrets_are_no_failure(step: Step) -> None:
    suite_in(step, config=ANTHROPIC)
    log = ran(step, 0, SKIP, extra=from_a_fork(step))
    assert outputs_of(step)["status"] == "skipped"
    assert any("ANTHROPIC_API_KEY" in notice.message for notice in log.annotations("notice"))
    assert "ANTHROPIC_API_KEY" in read_summary(step.files.summary)


def test_a_secret_that_the_configuration_names_counts_too(step: Step) -> None:
    config = "suite: {paths: [case_says.py]}\ntarget: {url: 'https://${HOST}/'}\n"
    suite_in(step, config=f"{config}judge: {{provider: stub}}\n")
    ran(step, 0, SKIP, extra=from_a_fork(step))
    assert outputs_of(step)["status"] == "skipped"


def test_a_missing_secret_of_our_own_is_never_skipped(step: Step) -> None:
    suite_in(step, config=ANTHROPIC)
    ran(step, 2, SKIP)
    assert outputs_of(step)["status"] == "invalid"


def test_a_strangers_checkout(step: Step) -> None:
    suite_in(step)
    (step.files.workspace / ".git").mkdir()
    (step.files.workspace / ".git/HEAD").write_text(HEAD)
    log = ran(step, 2, extra=from_a_fork(step, "pull_request_target"))
    assert outputs_of(step)["status"] == "invalid"
    (error,) = log.annotations("error")
    assert "allow-untrusted-code" in error.message
    assert not (step.files.workspace / "ci-judge-report").exists()


@pytest.mark.parametrize(
    "code", ["raise KeyError('x')\n", "def main():\n    raise KeyError('x')\n"]
)
def test_a_crash_that_nothing_else_caught(step: Step, tmp_path: Path, code: str) -> None:
    checkout = a_checkout_that_runs(code, tmp_path / "checkout")
    ended, log, text = step.run(step.files.environment(), entrypoint=checkout)
    assert ended == 70, text
    assert "KeyError" in text
    assert outputs_of(step) == dict.fromkeys(OUTPUTS, "") | {"status": "error"}
    assert len(log.annotations("error")) == 1


def test_the_table_of_outputs_is_the_one_that_is_promised() -> None:
    promised = (
        "status tests passed failed errors waived skipped regressions pass-rate cost-usd requests"
        " report-dir json junit html markdown comment-url seed"
    )
    assert list(OUTPUTS) == promised.split()
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in readme for name in OUTPUTS)
