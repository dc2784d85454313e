"""The reference is what the code says, and leaves nothing of it out."""

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ci_judge.action_inputs import INPUTS
from ci_judge.cli import command_page
from ci_judge.cli.front import COMMANDS, commands
from ci_judge.errors import ExitCode
from ci_judge.model import document
from ci_judge.model.evidence import FailureCode
from ci_judge.model.reasons import NotRunCode
from ci_judge.settings.environment import setting_keys
from ci_judge.sinks.outputs import OUTPUTS
from ci_judge.workflows import reference_docs
from ci_judge.workflows.reference.reason_words import CODES, EXIT_CODES

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "reference"


def text_of(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def test_the_committed_pages_are_what_the_code_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Remedy: make write."""
    codes = [reference_docs.main([], root=ROOT), command_page.main([], root=ROOT)]
    assert codes == [0, 0], capsys.readouterr().err


def test_there_is_no_page_that_nothing_makes() -> None:
    made = {*reference_docs.reference_pages(), "commands.md"}
    assert {path.name for path in FOLDER.iterdir()} == made


def test_checking_names_what_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reference_docs.main(["--write"], root=tmp_path) == 0
    assert reference_docs.main(["--check"], root=tmp_path) == 0
    (tmp_path / "docs/reference/report.md").write_text("old", encoding="utf-8")
    assert reference_docs.main(["--check"], root=tmp_path) == 1
    said = capsys.readouterr().err
    assert "docs/reference/report.md is not what the code says" in said
    assert "configuration.md" not in said


def test_every_setting_stands_beside_its_variable() -> None:
    page = text_of("configuration.md")
    for key in setting_keys():
        assert f"`{key.variable}`" in page, key.path


def test_every_command_option_and_example_is_there() -> None:
    page = text_of("commands.md")
    context = click.Context(commands, info_name="ci-judge", **commands.context_settings)
    for name in COMMANDS:
        command = commands.get_command(context, name)
        assert command is not None
        section = page.split(f"## ci-judge {name}\n")[1].split("\n## ")[0]
        flags = [one.opts[0] for one in command.params if isinstance(one, click.Option)]
        for flag in (*flags, "--help"):
            assert re.search(rf"`.*{flag}\b.*` \|", section), (name, flag)
        assert section.count("```") == 4, f"{name} has no example"


def test_every_input_and_output_is_there() -> None:
    page = text_of("action.md")
    for name in (*INPUTS, *OUTPUTS):
        assert f"| `{name}` |" in page


def test_every_reason_and_exit_code_has_its_words() -> None:
    codes = {one.value for kind in (FailureCode, NotRunCode) for one in kind}
    assert {str(code) for code in CODES} == codes
    assert set(EXIT_CODES) == set(ExitCode)
    section = text_of("report.md").split("## Reason codes\n")[1]
    for code in codes:
        assert section.count(f"| `{code}` |") == 1, code


@pytest.mark.parametrize("name", ["ReportDocument", "SummaryEntry", "TestEntry", "RunEntry"])
def test_every_key_of_a_report_is_there(name: str) -> None:
    section = text_of("report.md").split(f"## {name}\n")[1].split("\n## ")[0]
    for key in getattr(document, name).__annotations__:
        assert f"| `{key}` |" in section, key


def test_the_page_of_commands_does_not_depend_on_who_asked_for_help_before() -> None:
    """click keeps the help option of a command as the first context named it."""
    for name in COMMANDS:
        command = commands.get_command(click.Context(commands), name)
        assert command is not None
        CliRunner().invoke(command, ["--help"])
    assert command_page.command_page().count("| `-h, --help` |") == len(COMMANDS)
