"""Makes ``docs/reference/commands.md`` out of the commands themselves.

``python -m ci_judge.cli.command_page --write``
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from ci_judge.cli.front import COMMANDS, commands
from ci_judge.workflows.reference.pages import cell, code, page, paragraphs, settle, table

MADE_BY = "ci_judge.cli.command_page"
_WIDTH = 78
"""Of lines on the page, whatever terminal it is made on."""
_HEAD = """\
`ci-judge` followed by flags alone is `ci-judge run`; without anything it prints its help and
ends with exit code 2. Errors are one line each, with what to do about it. The exit codes of all
commands are [those of a report](report.md#exit-codes)."""


def command_page() -> str:
    context = click.Context(commands, info_name="ci-judge", **commands.context_settings)
    parts = [text for name in COMMANDS for text in _command(name, context)]
    return page("Commands", _HEAD, *parts, made_by=MADE_BY)


def _command(name: str, above: click.Context) -> Iterator[str]:
    command = commands.get_command(above, name)
    if command is None:
        return
    context = click.Context(command, info_name=name, parent=above, terminal_width=_WIDTH)
    yield f"## ci-judge {name}"
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```"
    yield paragraphs(command.help or "")
    yield table(("option", "meaning"), _options(command, context))
    yield f"```bash\n{' '.join((command.epilog or '').split()).removeprefix('Example: ')}\n```"


def _options(command: click.Command, context: click.Context) -> Iterator[list[str]]:
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is not None and record[1]:
            yield [code(record[0]), cell(record[1])]
    # click makes this one with the names of the context that asked first, and keeps it
    yield [code(", ".join(context.help_option_names)), "Show this message and exit."]


def main(arguments: list[str], *, root: Path = Path()) -> int:
    """Write the page (--write), or say that it is not as the commands are (--check)."""
    pages = {"commands.md": command_page()}
    return settle(pages, arguments, root=root, remedy=f"python -m {MADE_BY}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
