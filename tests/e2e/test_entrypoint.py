"""The container's entrypoint, isolated as in the image, on the example and in an inert log."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ci_judge.sinks.outputs import OUTPUTS
from tests.e2e.commands import LONGEST_SECONDS, REPOSITORY, copy_of
from tests.github_fake import TOKEN, github
from tests.runner_double import RunnerFiles, SeenLog, read_log, read_outputs, read_summary


class Step:
    """One step of the action in a workspace of its own."""

    def __init__(self, folder: Path) -> None:
        self.files = RunnerFiles(folder)

    def run(
        self, environment: dict[str, str], *, entrypoint: Path = REPOSITORY / "entrypoint.py"
    ) -> tuple[int, SeenLog, str]:
        done = subprocess.run(
            [sys.executable, "-I", "-B", "-u", str(entrypoint)],
            cwd=self.files.workspace,
            env={"PATH": os.environ["PATH"]} | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        text = done.stdout.decode()
        return done.returncode, read_log(text), text


@pytest.fixture
def step(tmp_path: Path) -> Step:
    return Step(tmp_path)


def faq_bot_in(step: Step) -> None:
    folder = copy_of("faq-bot", step.files.workspace)
    shutil.rmtree(folder / "scenarios/generated")  # the flaw alone makes a quicker run


def test_the_example_fails_with_outputs_summary_annotation_and_comment(step: Step) -> None:
    faq_bot_in(step)
    event = {"pull_request": {"number": 7, "head": {"sha": "a" * 40, "ref": "topic"}}}
    step.files.event.write_text(json.dumps(event))
    with github() as hub:
        code, log, _ = step.run(
            step.files.environment(config="faq-bot/ci-judge.yaml", github_token=TOKEN)
            | hub.environment()
            | {"GITHUB_EVENT_NAME": "pull_request"}
        )
        bodies = [comment.body for comment in hub.comments]
    assert code == 1
    outputs = read_outputs(step.files.output)
    counts = {name: outputs[name] for name in ("status", "tests", "passed", "failed", "errors")}
    assert counts == {"status": "failed", "tests": "3", "passed": "2", "failed": "1", "errors": "0"}
    for kind in ("json", "junit", "html", "markdown"):
        assert (step.files.workspace / outputs[kind]).is_file(), kind
    assert "Asks how to get money back" in read_summary(step.files.summary)
    failed = [error for error in log.annotations("error") if "file" in error.properties]
    assert [(error.properties["file"], error.properties["line"]) for error in failed] == [
        ("faq-bot/scenarios/refunds.yaml", "5")
    ]
    (body,) = bodies
    assert body is not None
    assert body.startswith("<!-- ci-judge key=")
    assert "Asks how to get money back" in body
    assert outputs["comment-url"].startswith("https://github.example/")
    assert TOKEN in log.masks
    groups = [command.message for command in log.commands if command.name == "group"]
    assert groups[0] == "Tests as they finish"
    assert "2 passed, 1 failed: Refund policy" in groups
    assert len(groups) == sum(command.name == "endgroup" for command in log.commands)


def test_what_the_workspace_holds_does_not_reach_our_process(step: Step) -> None:
    faq_bot_in(step)
    for name in ("json", "httpx", "ci_judge", "sitecustomize"):
        (step.files.workspace / f"{name}.py").write_text("raise SystemExit('taken over')")
    environment = step.files.environment(config="faq-bot/ci-judge.yaml")
    code, _, text = step.run(environment | {"PYTHONPATH": str(step.files.workspace)})
    assert code == 1
    assert "taken over" not in text


def test_a_wrong_configuration_is_an_error_with_its_place_and_all_outputs(step: Step) -> None:
    faq_bot_in(step)
    config = step.files.workspace / "faq-bot/ci-judge.yaml"
    config.write_text(config.read_text().replace("threshold:", "treshold:"))
    code, log, _ = step.run(step.files.environment(config="faq-bot/ci-judge.yaml"))
    assert code == 2
    (error,) = log.annotations("error")
    assert "threshold" in error.message
    assert error.properties["file"] == "faq-bot/ci-judge.yaml"
    outputs = read_outputs(step.files.output)
    assert outputs["status"] == "invalid"
    assert set(outputs) >= {"json", "junit", "html", "markdown", "seed", "comment-url"}


def test_what_was_given_is_called_as_the_workflow_calls_it(step: Step) -> None:
    faq_bot_in(step)
    code, log, _ = step.run(
        step.files.environment(config="faq-bot/ci-judge.yaml", select="nobody", tags="nothing")
    )
    assert code == 5
    (error,) = log.annotations("error")
    assert "look at select and tags" in error.message


HOSTILE_CASE = """\
import sys
from ci_judge import case

print("::error::from the import")

@case('says "anything"')
def test_hostile():
    for text in ("::set-output name=status::passed", "##[error]forged", "\\r::stop-commands::x"):
        print(text)
        print(text, file=sys.stderr)
    raise RuntimeError("::error::from the message\\r::warning::and a line")
"""


def test_nothing_that_a_case_prints_or_raises_becomes_a_command(step: Step) -> None:
    (step.files.workspace / "case_hostile.py").write_text(HOSTILE_CASE)
    (step.files.workspace / "ci-judge.yaml").write_text(
        "suite: {paths: [case_hostile.py]}\njudge: {provider: stub}\n"
    )
    code, log, text = step.run(step.files.environment())
    assert code == 3
    assert "RuntimeError" in text
    assert not log.stopped_at_end
    assert {command.name for command in log.commands} <= {"group", "endgroup", "error", "warning"}
    for command in log.commands:
        assert not command.message.startswith(("from the", "forged", "and a line"))
    assert read_outputs(step.files.output)["status"] == "error"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_sets_the_outputs(step: Step, number: signal.Signals, code: int) -> None:
    (step.files.workspace / "ci-judge.yaml").write_text(
        "suite: {paths: [case_slow.py]}\njudge: {provider: stub}\n"
    )
    started = step.files.workspace / "started"
    os.mkfifo(started)
    (step.files.workspace / "case_slow.py").write_text(
        "import pathlib, threading\nfrom ci_judge import case\n"
        "@case('x \"y\"')\ndef test_slow():\n"
        f"    pathlib.Path({str(started)!r}).write_text('yes')\n"
        "    threading.Event().wait(600)\n"
    )
    running = subprocess.Popen(
        [sys.executable, "-I", "-B", "-u", str(REPOSITORY / "entrypoint.py")],
        cwd=step.files.workspace,
        env={"PATH": os.environ["PATH"]} | step.files.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    reader = os.open(started, os.O_RDWR)  # both ways, so that opening does not wait for the case
    try:
        assert select.select([reader], [], [], LONGEST_SECONDS)[0], "the case was not called"
        running.send_signal(number)
        out, _ = running.communicate(timeout=15)
    finally:
        os.close(reader)
        running.kill()
        running.communicate()
    assert running.returncode == code, out.decode()
    outputs = read_outputs(step.files.output)
    assert list(outputs) == list(OUTPUTS)
    assert outputs["status"] == "interrupted"
    assert (step.files.workspace / outputs["json"]).is_file()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_we_are_still_being_imported_sets_the_outputs(
    step: Step, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    checkout = a_checkout_that_runs(
        f"import os, signal\nos.kill(os.getpid(), signal.{number.name})\n", tmp_path / "checkout"
    )
    step.files.output.write_text("another<<word\nstatus\nword\n")
    ended, log, text = step.run(step.files.environment(), entrypoint=checkout)
    assert ended == code, text
    assert [each.message for each in log.annotations("error")] == [
        "Interrupted before there was a result"
    ]
    outputs = read_outputs(step.files.output)
    assert outputs.pop("another") == "status"
    assert outputs == dict.fromkeys(OUTPUTS, "") | {"status": "interrupted"}
    assert "Traceback" not in text


def test_a_signal_after_the_run_leaves_what_the_run_has_said(step: Step, tmp_path: Path) -> None:
    checkout = a_checkout_that_runs(
        "import os, pathlib, signal\n"
        "pathlib.Path(os.environ['GITHUB_OUTPUT']).write_text('status<<word\\npassed\\nword\\n')\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n",
        tmp_path / "checkout",
    )
    ended, log, _ = step.run(step.files.environment(), entrypoint=checkout)
    assert ended == 143
    assert log.commands == ()
    assert read_outputs(step.files.output) == {"status": "passed"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_costs_nothing_that_the_first_has_begun(
    step: Step, tmp_path: Path, number: signal.Signals
) -> None:
    checkout = a_checkout_that_runs(
        "import os, signal\n"
        "class End(SystemExit):\n"
        "    @property\n"
        f"    def code(self): os.kill(os.getpid(), signal.{number.name}); return 143\n"
        "try: os.kill(os.getpid(), signal.SIGTERM)\n"
        "except SystemExit: raise End\n",
        tmp_path / "checkout",
    )
    ended, log, text = step.run(step.files.environment(), entrypoint=checkout)
    assert ended == 143, text
    assert read_outputs(step.files.output)["status"] == "interrupted"
    assert (len(log.annotations("error")), len(text.splitlines())) == (1, 1), text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_interpreter_ends_changes_nothing(
    step: Step, tmp_path: Path, number: signal.Signals
) -> None:
    checkout = a_checkout_that_runs(
        "import os, signal\n"
        "class Last:\n"
        f"    def __del__(self): os.kill(os.getpid(), signal.{number.name})\n"
        "last = Last()\n"
        "def main(): return 1\n",
        tmp_path / "checkout",
    )
    assert step.run(step.files.environment(), entrypoint=checkout)[::2] == (1, "")


def a_checkout_that_runs(code: str, folder: Path) -> Path:
    """Make a checkout whose action is these lines, and give its entrypoint."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "ci_judge", folder / "ci_judge", ignore=ignored)
    (folder / "ci_judge/action/__init__.py").write_text(code)
    return Path(shutil.copy(REPOSITORY / "entrypoint.py", folder))


def test_with_arguments_it_is_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-I", str(REPOSITORY / "entrypoint.py"), "--version"],
        env={"PATH": os.environ["PATH"], "GITHUB_ACTIONS": "true"},
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout.split()[0]) == (0, "ci-judge")
