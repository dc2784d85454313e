"""The command line's border, in this process: what it says can neither act nor give away."""

import errno
import json
from pathlib import Path

import click
import pytest

from ci_judge.cli import front
from ci_judge.cli.front import run_command_line
from ci_judge.renderers.json_report import render
from tests.builders import a_group, a_report, a_test
from tests.runner_double import read_log

CANARY = "c4nary  passw0rd"  # with two blanks, which a line of output would make one
FORGED = "##[error]forged"
CRITERIA = "## Refunds\n\nWithin 14 days.\n"
SCENARIOS = """\
criterion: refunds
scenarios:
  - {name: Asks, message: How?, expected: 'Says "14 days".'}
"""
CONFIG = """\
suite: {criteria: acceptance.md, paths: [scenarios.yaml], env: [SHOP_PASSWORD]}
target: {url: "http://127.0.0.1:9/"}
judge: {provider: stub}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ci-judge.yaml").write_text(CONFIG)
    (tmp_path / "acceptance.md").write_text(CRITERIA)
    (tmp_path / "scenarios.yaml").write_text(SCENARIOS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOP_PASSWORD", CANARY)
    return tmp_path


def obeyed(capsys: pytest.CaptureFixture[str]) -> tuple[str, list[str]]:
    seen = capsys.readouterr()
    text = seen.out + seen.err
    return text, [command.name for command in read_log(text).commands]


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["run"],
        ["generate", "--criterion", FORGED],
        ["render", f"{FORGED}.json"],
        ["init", f"{FORGED}/\n::error::x"],
        [FORGED],
        [f"--{FORGED}"],
        ["check", "--config", f"\n::error::{FORGED}.yaml"],
    ],
)
def test_what_stands_in_an_error_is_no_command(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    (folder / "ci-judge.yaml").write_text(f'{CONFIG}"{FORGED}": 1\n"\\n::error::x": 2\n')
    if arguments[0] == "init":
        (folder / FORGED).write_text("a file in the way")
    assert run_command_line(arguments) == 2
    text, commands = obeyed(capsys)
    assert commands == []
    assert "error" in text


def test_a_forged_report_is_rendered_inert(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document, runs = a_report(
        a_group(a_test("a/x", name=f"{FORGED}\r::error::x"), title=f"{FORGED} \n::error::y")
    )
    (folder / "report.json").write_text("".join(render(document, runs)), "utf-8")
    arguments = ["report.json", "--format", "console", "--format", "html"]
    assert run_command_line(["render", *arguments, "--report-dir", f"{FORGED}"]) == 0
    text, commands = obeyed(capsys)
    assert commands == []
    assert "forged" in text


def test_generated_files_are_named_inert(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "acceptance.md").write_text(f"## Refunds {{#{FORGED}}}\n\nWithin 14 days.\n")
    run_command_line(["generate"])
    assert obeyed(capsys)[1] == []


def test_json_on_stdout_is_inert_and_still_json(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "case_a.py").write_text(
        "from ci_judge import case\n"
        f"@case('has \"{FORGED}\"')\ndef test_a():\n    return {FORGED!r}\n"
    )
    (folder / "ci-judge.yaml").write_text("suite: {paths: [.]}\njudge: {provider: stub}\n")
    (folder / "scenarios.yaml").unlink()
    assert run_command_line(["run", "--json"]) == 0
    text, commands = obeyed(capsys)
    assert commands == []
    assert FORGED in str(json.loads(text))


def test_no_command_is_no_success_and_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line([]) == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.startswith("Usage: ci-judge")
    lines = seen.err.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ") and line.split()] == [
        *("Judge", "--version", "-h,"),
        *front.COMMANDS,
        "Example:",
    ]


def test_check_warns_of_a_gate_out_of_reach_where_run_does(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["check", "--runs", "2"]) == 0
    text = capsys.readouterr().out
    assert "warning: " in text
    assert "cannot be passed" in text
    assert "None" not in text
    (folder / "ci-judge.yaml").write_text(f"{CONFIG}run: {{runs: 2}}\n")
    assert run_command_line(["check"]) == 2
    assert "2 runs cannot prove a pass rate of 0.7" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_check_tells_what_a_run_would_promise_and_send(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["check"]) == 0
    text = capsys.readouterr().out
    assert "would pass in 60 % of CI runs" in text
    assert "requests to the target: 10 expected, 30 with every retry\n" in text
    assert text.endswith("1 test, 10 runs, judge: stub. Nothing was sent.\n")


def test_check_lists_every_row_where_some_are_chosen(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "rows.csv").write_text("q\n" + "How?\n" * 60)
    scenario = '{name: Asks, from: rows.csv, message: "{{q}}", expected: Says "14 days".}'
    (folder / "acceptance.md").write_text("## Refunds\n")
    (folder / "scenarios.yaml").write_text(f"criterion: refunds\nscenarios: [{scenario}]\n")
    assert run_command_line(["check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith("  refunds/asks[")]) == 5
    assert "  … and 55 more rows of refunds/asks (-k or -m lists every row)" in lines
    assert lines[-1].startswith("60 tests, 600 runs")
    assert run_command_line(["check", "-k", "asks[1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith("  refunds/asks[1")]) == 11


def test_check_warns_of_a_variable_that_a_run_will_need(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (folder / "ci-judge.yaml").read_text()
    (folder / "ci-judge.yaml").write_text(
        text.replace("target: {", "target: {query: {a: '${SHOP}'}, ")
    )
    assert run_command_line(["check"]) == 0
    assert 'a run will be refused: the variable "SHOP" in target.query' in capsys.readouterr().out
    assert run_command_line(["run"]) == 2
    assert 'the variable "SHOP" in target.query' in capsys.readouterr().err


def test_check_shows_no_secret_that_a_case_file_raises(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "case_a.py").write_text(
        "import os\nfrom ci_judge import case\nprint(os.environ['SHOP_PASSWORD'])\n"
        "raise RuntimeError('no login with ' + os.environ['SHOP_PASSWORD'])\n"
    )
    (folder / "ci-judge.yaml").write_text(CONFIG.replace("[scenarios.yaml]", "[.]"))
    assert run_command_line(["check"]) == 2
    text, _ = obeyed(capsys)
    assert "no login with ***" in text
    assert "c4nary" not in text


class Raising(front.LazyCommands):
    """A command ``x`` that raises."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        del ctx, cmd_name
        return click.Command("x", callback=self._raise)

    def _raise(self) -> None:
        raise self._error


def test_a_bug_is_shown_as_one_and_is_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    error = ZeroDivisionError(f"{FORGED}\n::error::x")
    assert run_command_line(["x"], group=Raising(error)) == 70
    text, commands = obeyed(capsys)
    assert commands == []
    assert "ZeroDivisionError" in text.splitlines()[-1]
    assert front.ISSUES in text.splitlines()[-1]


def test_a_broken_pipe_of_ours_is_no_failed_gate(capsys: pytest.CaptureFixture[str]) -> None:
    error = BrokenPipeError(errno.EPIPE, "a socket, not our output")
    assert run_command_line(["x"], group=Raising(error)) == 70
    assert "BrokenPipeError" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "reports"])
def test_a_junit_copy_that_is_a_folder_is_refused_before_anything_is_sent(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (folder / "reports").mkdir()
    assert run_command_line(["run", "--junitxml", name]) == 2
    text, _ = obeyed(capsys)
    assert "--junitxml cannot be written" in text
    assert not (folder / "ci-judge-report" / "report.json").exists()


@pytest.mark.parametrize(
    "serve",
    [
        '{command: "a\\0b", ready_url: "http://127.0.0.1:9/"}',
        '{command: [python, "a\\0b"], ready_url: "http://127.0.0.1:9/"}',
        '{command: python, env: {A: "a\\0b"}, ready_url: "http://127.0.0.1:9/"}',
        '{command: python, ready_url: "http://127.0.0.1:99999/"}',
    ],
)
def test_what_no_command_can_be_given_is_a_mistake_of_the_file(
    folder: Path, capsys: pytest.CaptureFixture[str], serve: str
) -> None:
    target = f'target: {{url: "http://127.0.0.1:9/", serve: {serve}}}'
    text = CONFIG.replace('target: {url: "http://127.0.0.1:9/"}', target)
    (folder / "ci-judge.yaml").write_text(text)
    assert run_command_line(["run"]) == 2
    shown, _ = obeyed(capsys)
    assert shown.startswith("error: ci-judge.yaml:2:")
    assert "Traceback" not in shown
