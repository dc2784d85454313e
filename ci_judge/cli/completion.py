"""``ci-judge completion``: what lets a shell complete commands and options."""

import click
from click.shell_completion import get_completion_class

from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.errors import InvalidInput

VARIABLE = "_CI_JUDGE_COMPLETE"
"""By which the script of a shell asks for completions."""

_NAME = "ci-judge"


@click.command(
    short_help="Print the script that completes commands in your shell.",
    epilog='Example: eval "$(ci-judge completion bash)"',
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@pass_screen
def command(screen: Screen, shell: str) -> None:
    """Print a script for SHELL that completes commands and options of ci-judge.

    In ~/.bashrc or ~/.zshrc: eval "$(ci-judge completion bash)", or zsh; for fish:
    ci-judge completion fish > ~/.config/fish/completions/ci-judge.fish
    """
    for line in script(shell).splitlines():
        screen.out.line(line)


def script(shell: str) -> str:
    """Return the script for bash, zsh or fish. Raises InvalidInput for a shell not known."""
    from ci_judge.cli.front import commands  # noqa: PLC0415 - it imports the commands

    kind = get_completion_class(shell)
    if kind is None:
        raise InvalidInput.of(f'completion for "{shell}" is not known')
    made = kind(commands, {}, _NAME, VARIABLE)
    return made.source_template % made.source_vars()


def answer_shell(arguments: list[str]) -> int:
    """Answer a shell that asks, past everything that changes what is printed."""
    from ci_judge.cli.front import commands  # noqa: PLC0415 - it imports the commands

    try:
        commands.main(arguments, prog_name=_NAME, complete_var=VARIABLE)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
