"""What a command shows: its output, its notices, and the secrets that neither may hold."""

import sys

import click

from ci_judge.errors import CiJudgeError
from ci_judge.redaction import Redactor
from ci_judge.sinks.log import LogWriter


class Screen:
    """Both logs of a command. Nothing that a command says goes past them."""

    def __init__(self) -> None:
        self.out = LogWriter(sys.stdout.write, commands=False)
        self.err = LogWriter(sys.stderr.write, commands=False)
        self._redactors: list[Redactor] = []

    def protect(self, redactor: Redactor) -> None:
        """Hide these secrets from here on."""
        self._redactors.append(redactor)
        self.out.protect(redactor)
        self.err.protect(redactor)

    def clean(self, error: CiJudgeError) -> None:
        """Take the secrets out of an error, before anything of it is cut."""
        for redactor in self._redactors:
            error.clean(redactor.text)


pass_screen = click.make_pass_decorator(Screen, ensure=True)
"""Hands a command the screen of this process as its first argument."""
