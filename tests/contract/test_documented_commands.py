"""Commands, flags and settings that the documentation names are ones that there are."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

from ci_judge.cli import options
from ci_judge.cli.front import COMMANDS, commands
from ci_judge.errors import InvalidInput
from ci_judge.file_schema.wording import declared_at
from ci_judge.settings import ConfigFile, load_settings
from tests.documents import ROOT, Block, blocks_of, pages

NAMED = [ROOT / name for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md")] + [
    path for path in pages() if path.parent.name != "decisions"
]
IN_SHELLS = [each for path in NAMED for each in blocks_of(path) if each.language == "bash"]
EXAMPLES = [path for path in (ROOT / "examples/workflows").iterdir() if path.suffix == ".yml"]
SECTIONS = frozenset(ConfigFile.model_fields)
FILES = frozenset({"report.json", "report.html", "report.md"})
"""What looks like a setting and is a file."""


def commands_in(text: str) -> Iterator[list[str]]:
    """Give the words after each ``ci-judge`` of a shell block, in a container too."""
    joined = text.replace("\\\n", " ")
    for part in re.split(r"\n|&&|;", joined):
        words = shlex.split(part, comments=True)
        start = next((n for n, word in enumerate(words) if _is_ours(word)), None)
        if start is not None:
            yield words[start + 1 :]


def scripts_of(path: Path) -> str:
    """Give what a workflow's steps run, and a GitLab job."""
    found = yaml.safe_load(path.read_text(encoding="utf-8").replace("#!", "#"))
    jobs = found["jobs"].values() if "jobs" in found else found.values()
    lines = [line for job in jobs for line in job.get("script", ())]
    lines += [step.get("run", "") for job in jobs for step in job.get("steps", ())]
    return "\n".join(lines)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_each_command_of_an_example_is_one_that_the_command_line_takes(
    path: Path, tmp_path: Path
) -> None:
    for words in commands_in(scripts_of(path)):
        parse(words, tmp_path)


def _is_ours(word: str) -> bool:
    return bool(re.fullmatch(r"(.*/)?ci-judge(:[\d.]+)?", word))


def parse(words: list[str], folder: Path) -> None:
    """Let the real command read its arguments; the values of overrides are read, too."""
    arguments = words if words and not words[0].startswith("-") else ["run", *words]
    above = click.Context(commands, info_name="ci-judge", **commands.context_settings)
    command = commands.get_command(above, arguments[0])
    assert command is not None, words
    values = dict(command.make_context(arguments[0], arguments[1:], parent=above).params)
    known = {options.parameter_name(key) for _, key, _ in options.OVERRIDES}
    if known <= set(values):
        (folder / "ci-judge.yaml").write_text("judge: {provider: stub, model: any}")
        given = options.given_overrides(values)
        load_settings(config=None, cwd=folder, environment={}, overrides=given)


@pytest.mark.parametrize("block", IN_SHELLS, ids=str)
def test_each_command_is_one_that_the_command_line_takes(block: Block, tmp_path: Path) -> None:
    for words in commands_in(block.text):
        parse(words, tmp_path)


def test_a_flag_or_a_value_that_there_is_not_would_be_noticed(tmp_path: Path) -> None:
    with pytest.raises(click.NoSuchOption):
        parse(["run", "--treshold", "0.8"], tmp_path)
    with pytest.raises(InvalidInput):
        parse(["run", "--threshold", "80"], tmp_path)
    assert list(commands_in("docker run --rm x/ci-judge:0.1.0 run -x\nls")) == [["run", "-x"]]
    assert list(commands_in("A=1 ci-judge check && ci-judge run --runs \\\n 3 # why")) == [
        ["check"],
        ["run", "--runs", "3"],
    ]


# --- names --------------------------------------------------------------------------------


def code_spans(path: Path) -> set[str]:
    prose = re.sub(
        r"^(`{3,}|~{3,}).*?^\1`*$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    return set(re.findall(r"(?<!`)`([^`\n]+)`(?!`)", prose))


@pytest.mark.parametrize("path", NAMED, ids=lambda path: str(path.relative_to(ROOT)))
def test_settings_commands_and_flags_that_are_named_exist(path: Path) -> None:
    above = click.Context(commands, info_name="ci-judge", **commands.context_settings)
    made = [commands.get_command(above, name) for name in COMMANDS]
    flags = {word for one in made if one for each in one.params for word in each.opts}
    for span in code_spans(path):
        section, *keys = span.partition(" ")[0].rstrip(":").split(".")
        if section in SECTIONS and keys and all(re.fullmatch(r"[a-z_]+", key) for key in keys):
            assert _is_declared(section, *keys), span
        if span.startswith("ci-judge "):
            name = span.split()[1]
            assert name in COMMANDS or name.startswith("-"), span
            named = set(re.findall(r"(?<=\s)--[a-z-]+", span))
            assert named <= flags | {"--help"}, span


def _is_declared(section: str, *keys: str) -> bool:
    for start in ((section,), (section, "any"), (section, 0)):
        if declared_at(ConfigFile, (*start, *keys)) is not None:
            return True
    return f"{section}.{'.'.join(keys)}" in FILES
