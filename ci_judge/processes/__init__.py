"""Every child process: its environment, its output, and its end."""

from ci_judge.processes.child import Child, Children
from ci_judge.processes.child_user import ChildUser
from ci_judge.processes.command import CommandResult, run_command
from ci_judge.processes.environment import scrubbed_environment
from ci_judge.processes.output import CapturedOutput
from ci_judge.processes.own_user import RunAs, UserQuest, open_user
from ci_judge.processes.user_sweep import end_the_rest_of_the_container
from ci_judge.processes.words import command_words
from ci_judge.processes.workshop import CommandTrouble, Output, Trade, Workshop, last_words

__all__ = [
    "CapturedOutput",
    "Child",
    "ChildUser",
    "Children",
    "CommandResult",
    "CommandTrouble",
    "Output",
    "RunAs",
    "Trade",
    "UserQuest",
    "Workshop",
    "command_words",
    "end_the_rest_of_the_container",
    "last_words",
    "open_user",
    "run_command",
    "scrubbed_environment",
]
