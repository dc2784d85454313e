"""Every child process: its environment, its output, and its end."""

from ci_judge.processes.child import Child, Children
from ci_judge.processes.command import CommandResult, run_command
from ci_judge.processes.environment import scrubbed_environment
from ci_judge.processes.output import CapturedOutput

__all__ = [
    "CapturedOutput",
    "Child",
    "Children",
    "CommandResult",
    "run_command",
    "scrubbed_environment",
]
