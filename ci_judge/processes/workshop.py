"""Where the commands that a configuration names are run: JSON in, bytes or the trouble back."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ci_judge.model.evidence import FailureCode
from ci_judge.processes.child import Children
from ci_judge.processes.command import MAX_OUTPUT_BYTES, CommandResult, run_command
from ci_judge.processes.environment import scrubbed_environment
from ci_judge.processes.words import command_words, require_program

_LAST_LINE_CHARS = 300
_LONGEST_SCRIPT_BYTES = 1024**2
_TAIL_CHARS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """One command of the configuration. ``section`` names it ("judge.command")."""

    words: tuple[str, ...]
    names: tuple[str, ...]
    section: str
    timeout_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a command that ended well has written."""

    stdout: bytes
    stderr: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandTrouble:
    """Why a command gave nothing to use. ``output`` is what it wrote.

    Both texts are untrusted: the message quotes the last line of the command's standard error.
    """

    code: FailureCode
    message: str
    output: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Runs commands from ``root`` with a scrubbed environment, each in a group of its own.

    ``permit`` is asked before each: a text says why it may not be run.
    """

    children: Children
    root: Path
    environment: Mapping[str, str]
    clock: Callable[[], float] = time.monotonic
    permit: Callable[[], str | None] = lambda: None

    def trade(
        self,
        command: str | Sequence[str],
        *,
        names: Sequence[str],
        section: str,
        timeout_seconds: float,
    ) -> Trade:
        """Make ready to run a command, one process a call.

        Raises InvalidInput for text that is no command, a program that is not there, and variables
        that no child may see.
        """
        words = command_words(command, section=section, environment=self.environment)
        require_program(words, section=section, root=self.root, environment=self.environment)
        scrubbed_environment(self.environment, names=names)
        return Trade(
            words=words, names=tuple(names), section=section, timeout_seconds=timeout_seconds
        )

    def fingerprint(self, trade: Trade) -> list[Any]:
        """Give, as JSON, what decides about a command's answers besides what it is told.

        That is its words, the files among them (another script is another program), and its own
        variables.
        """
        given = {name: self.environment.get(name) for name in trade.names}
        files = [_file_digest(self.root / word) for word in trade.words]
        return [list(trade.words), files, given]

    async def run(self, trade: Trade, material: Any) -> Output | CommandTrouble:
        """Run a command with ``material`` as JSON (ASCII, one line) on its standard input."""
        refusal = self.permit()
        if refusal is not None:
            return CommandTrouble(code=FailureCode.BUDGET, message=refusal, output="", seconds=0.0)
        begun = self.clock()
        try:
            result = await run_command(
                trade.words,
                children=self.children,
                stdin=json.dumps(material, ensure_ascii=True, allow_nan=False).encode() + b"\n",
                timeout_seconds=trade.timeout_seconds,
                environment=scrubbed_environment(self.environment, names=trade.names),
                cwd=self.root,
            )
        except OSError as error:
            why = f"{error.strerror or error}{self._hint(str(error))}"
            message = f'{trade.section} cannot run "{trade.words[0]}": {why}'
            return CommandTrouble(
                code=FailureCode.CRASHED,
                message=message,
                output="",
                seconds=self.clock() - begun,
            )
        return self._told(trade, result, self.clock() - begun)

    def _told(self, trade: Trade, result: CommandResult, seconds: float) -> Output | CommandTrouble:
        stderr = self.shown(result.stderr)[-_TAIL_CHARS:]
        found = _trouble(trade, result)
        if found is None:
            return Output(stdout=result.stdout, stderr=stderr, seconds=seconds)
        code, why = found
        return CommandTrouble(
            code=code,
            message=f"{trade.section} {why}{last_words(stderr)}{self._hint(stderr)}",
            output=stderr or self.shown(result.stdout)[:_TAIL_CHARS],
            seconds=seconds,
        )

    def _hint(self, said: str) -> str:
        hint = self.children.hint(said)
        return f"; {hint}" if hint else ""

    def shown(self, output: bytes) -> str:
        """Give what a command wrote as text that may be quoted."""
        return self.children.redact(output.decode("utf-8", "replace"))


def _trouble(trade: Trade, result: CommandResult) -> tuple[FailureCode, str] | None:
    if result.timed_out:
        limit = f"did not end within {trade.timeout_seconds:g} s and was stopped"
        return FailureCode.TIMEOUT, limit
    if result.exit_code is not None and result.exit_code < 0:
        return FailureCode.CRASHED, f"was ended by signal {-result.exit_code}"
    if result.exit_code != 0:
        return FailureCode.EXITED, f"ended with exit code {result.exit_code}"
    if result.cut_bytes:
        limit = f"wrote more than {MAX_OUTPUT_BYTES // 1024**2} MiB"
        return FailureCode.TOO_LARGE, limit
    if not result.stdout.strip():
        return FailureCode.EMPTY, "wrote nothing to its standard output"
    return None


def last_words(stderr: str) -> str:
    """Quote the last line that a command wrote to its standard error, for the end of a message."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return f": {lines[-1][:_LAST_LINE_CHARS]}" if lines else ""


def _file_digest(path: Path) -> str | None:
    try:
        if not path.is_file() or path.stat().st_size > _LONGEST_SCRIPT_BYTES:
            return None
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except (OSError, ValueError):  # no path at all, such as a very long word
        return None
