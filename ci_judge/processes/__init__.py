"""Every child process: its environment, its output, and its end."""

from ci_judge.processes.child import Child, Children
from ci_judge.processes.command import CommandResult, run_command
from ci_judge.processes.environment import scrubbed_environment
from ci_judge.processes.output import CapturedOutput
from ci_judge.processes.words import command_words
from ci_judge.processes.workshop import CommandTrouble, Output, Trade, Workshop, last_words

__all__ = [
    "CapturedOutput",
    "Child",
    "Children",
    "CommandResult",
    "CommandTrouble",
    "Output",
    "Trade",
    "Workshop",
    "command_words",
    "last_words",
    "run_command",
    "scrubbed_environment",
]
